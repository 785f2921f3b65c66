import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { EventJournal } from "../../base/ports/event-journal.ts";
import { acp } from "../install/acp.ts";
import { probeAcp } from "./doctor-acp-probe.ts";
import { checkBound, checkEnd } from "./doctor-bound.ts";
import { type Check, type DoctorWorld, openOf, type RuntimeCheckup, warns } from "./doctor-check.ts";
import { checkLauncher } from "./doctor-launcher.ts";
import { checked } from "./doctor-machine.ts";
import { inJournal } from "./doctor-probe.ts";

const SHOW = "conduct init acp";

/** What `conduct acp` would do for an editor that started it now. */
export async function checkAcp(world: DoctorWorld, journal: EventJournal | undefined): Promise<RuntimeCheckup> {
  const checks = [
    await checked("launcher", SHOW, () => checkLauncher(world.home, SHOW, "optional")),
    await checked("bound", SHOW, () => checkBound(acp, world)),
    await checked("self-test", SHOW, () => checkProbe(world, journal)),
  ];
  return { runtime: acp.name, title: acp.title, checks, open: openOf(acp) };
}

/** A command that must not pass, asked for by an agent that runs nothing. */
async function checkProbe(world: DoctorWorld, journal: EventJournal | undefined): Promise<Check> {
  if (journal === undefined) return warns("self-test", "not run: there is no store yet");
  const { env, home, cwd } = world;
  const id = `doctor-${randomUUID()}`;
  const command = `echo > '${join(home, "conduct.yaml")}'`;
  const { asked } = await probeAcp({ env, home, cwd, session: id, command });
  const end = { letThrough: asked, as: await inJournal(journal, `acp-${id}`) };
  return checkEnd(acp, world, end, { way: "the entry of an editor", fix: SHOW });
}
