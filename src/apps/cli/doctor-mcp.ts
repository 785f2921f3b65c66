import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { EventJournal } from "../../base/ports/event-journal.ts";
import { mcp } from "../install/mcp.ts";
import { checkBound, isWatched } from "./doctor-bound.ts";
import { type Check, type DoctorWorld, fails, holds, openOf, type RuntimeCheckup, warns } from "./doctor-check.ts";
import { checked } from "./doctor-machine.ts";
import { probeMcp } from "./doctor-mcp-probe.ts";
import { inJournal } from "./doctor-probe.ts";

const SHOW = "conduct init mcp";
const LOOK_MS = 50;
const LOOKS = 100;

/** What `conduct mcp proxy` would do for a client that started it now. */
export async function checkMcp(world: DoctorWorld, journal: EventJournal | undefined): Promise<RuntimeCheckup> {
  const checks = [
    holds("use", "nothing is installed: a client starts it, as conduct init mcp shows"),
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
  if (session === undefined || !(await inJournal(journal, session)))
    return fails("self-test", "the journal has nothing of the call that was just made", SHOW);
  if (!ran) return holds("self-test", "a forbidden call was refused between client and server, and recorded");
  if (await isWatched(mcp, world))
    return holds("self-test", "a forbidden call was seen between client and server, and recorded; it is only watched");
  return fails("self-test", "a forbidden call reached the server", SHOW);
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
