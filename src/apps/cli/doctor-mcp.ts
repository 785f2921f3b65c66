import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { EventJournal } from "../../base/ports/event-journal.ts";
import { mcp } from "../install/mcp.ts";
import { checkBound, checkEnd } from "./doctor-bound.ts";
import { type Check, type DoctorWorld, openOf, type RuntimeCheckup, warns } from "./doctor-check.ts";
import { checkLauncher } from "./doctor-launcher.ts";
import { checked } from "./doctor-machine.ts";
import { probeMcp } from "./doctor-mcp-probe.ts";
import { inJournal } from "./doctor-probe.ts";

const SHOW = "conduct init mcp";
const LOOK_MS = 50;
const LOOKS = 100;

/** What `conduct mcp proxy` would do for a client that started it now. */
export async function checkMcp(world: DoctorWorld, journal: EventJournal | undefined): Promise<RuntimeCheckup> {
  const checks = [
    await checked("launcher", SHOW, () => checkLauncher(world.home, SHOW, "optional")),
    await checked("bound", SHOW, () => checkBound(mcp, world)),
    await checked("self-test", SHOW, () => checkProbe(world, journal)),
  ];
  return { runtime: mcp.name, title: mcp.title, checks, open: openOf(mcp) };
}

/** A call that must not pass, to a server that does nothing. */
async function checkProbe(world: DoctorWorld, journal: EventJournal | undefined): Promise<Check> {
  if (journal === undefined) return warns("self-test", "not run: there is no store yet");
  const { env, home, cwd } = world;
  const mark = randomUUID().replaceAll("-", "");
  const { ran } = await probeMcp({ env, home, cwd, args: { path: join(home, "conduct.yaml"), content: mark } });
  const session = await sessionWith(journal, mark);
  const end = { letThrough: ran, as: session === undefined ? undefined : await inJournal(journal, session) };
  return checkEnd(mcp, world, end, { way: "the entry of a client", fix: SHOW });
}

/** The proxy names its session itself: it is found by what was called in it. */
async function sessionWith(journal: EventJournal, mark: string): Promise<string | undefined> {
  for (let look = 0; look < LOOKS; look++) {
    const { events } = await journal.read({ text: mark, types: ["call"], limit: 1 });
    if (events[0] !== undefined) return events[0].event.session;
    await sleep(LOOK_MS);
  }
  return undefined;
}
