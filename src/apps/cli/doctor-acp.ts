import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { EventJournal } from "../../base/ports/event-journal.ts";
import { bindAgents, settingsFor } from "../../edge/host/daemon-agents.ts";
import { isPaused } from "../../edge/host/paused.ts";
import { acp } from "../install/acp.ts";
import { probeAcp } from "./doctor-acp-probe.ts";
import { type Check, type DoctorWorld, fails, holds, openOf, type RuntimeCheckup, warns } from "./doctor-check.ts";
import { checked } from "./doctor-machine.ts";
import { inJournal } from "./doctor-probe.ts";

const SHOW = "conduct init acp";

/** What `conduct acp` would do for an editor that started it now. */
export async function checkAcp(world: DoctorWorld, journal: EventJournal | undefined): Promise<RuntimeCheckup> {
  const checks = [
    holds("use", "nothing is installed: an editor starts it, as conduct init acp shows"),
    await checked("bound", SHOW, () => checkBinding(world)),
    await checked("self-test", SHOW, () => checkProbe(world, journal)),
  ];
  return { runtime: acp.name, title: acp.title, checks, open: openOf(acp) };
}

async function checkBinding({ home, cwd }: DoctorWorld): Promise<Check> {
  const bound = await bindAgents(home, cwd);
  if (bound.kind === "broken") return fails("bound", "nothing runs until the configuration is right", "conduct doctor");
  const settings = settingsFor("acp", bound);
  if ("message" in settings)
    return fails(
      "bound",
      settings.message,
      `name one in the editor's settings: ${["acp", "--agent", bound.agents[0]?.name].join(" ")} --`,
    );
  if (settings.enforcement === "enforce") return holds("bound", `as ${settings.agent}, enforced`);
  return warns("bound", `as ${settings.agent}, watched only: nothing is blocked`);
}

/** A command that must not pass, asked for by an agent that runs nothing. */
async function checkProbe(world: DoctorWorld, journal: EventJournal | undefined): Promise<Check> {
  if (journal === undefined) return warns("self-test", "not run: there is no store yet");
  const { env, home, cwd } = world;
  const bound = await bindAgents(home, cwd);
  const settings = bound.kind === "ready" ? settingsFor("acp", bound) : { message: bound.message };
  const observed = ("enforcement" in settings && settings.enforcement === "shadow") || isPaused(home);
  const id = `doctor-${randomUUID()}`;
  const command = `echo > '${join(home, "conduct.yaml")}'`;
  const { asked } = await probeAcp({ env, home, cwd, session: id, command });
  const recorded = await inJournal(journal, `acp-${id}`);
  if (!recorded) return fails("self-test", "the journal has nothing of the call that was just made", SHOW);
  if (!asked) return holds("self-test", "a forbidden call was refused between editor and agent, and recorded");
  if (observed)
    return holds("self-test", "a forbidden call was seen between editor and agent, and recorded; it is only watched");
  return fails("self-test", "a forbidden call reached the editor", SHOW);
}
