import { existsSync } from "node:fs";
import { formatDuration, parseDuration } from "../../../../base/kernel/duration.ts";
import { errorText } from "../../../../base/kernel/error-text.ts";
import { ensureDaemon } from "../../../../edge/host/daemon/daemon-client.ts";
import { daemonPlace } from "../../../../edge/host/daemon/daemon-place.ts";
import { LONGEST_PAUSE_MS, readPause } from "../../../../edge/host/daemon/paused.ts";
import { endPause, writePause } from "../../../../edge/host/daemon/paused-write.ts";
import { journalDraft } from "../../../../edge/host/opening/journal-draft.ts";
import { conductHome } from "../../../../edge/host/workspace/conduct-home.ts";
import type { Arguments } from "../../line/command.ts";
import { type PersonCheck, personCheck, requireTypedCode } from "../../line/only-a-person.ts";
import type { Outcome } from "../../line/outcome.ts";
import type { Terminal } from "../../line/terminal.ts";
import { badArgument } from "../behavior/answers.ts";
import { type GovernanceWorld, onThisMachine } from "../behavior/world.ts";

const RESUME = { command: "conduct resume", description: "Enforce everything again now" };

/** `conduct pause [10m]` */
export const pause = onThisMachine((args, terminal, world) =>
  runPause(args, terminal, { ...world, person: personCheck }, conductHome()),
);

/** `conduct resume` */
export const resume = onThisMachine((_args, terminal, world) => runResume(terminal, world, conductHome()));

type PauseWorld = GovernanceWorld & { readonly person: PersonCheck };

const OTHER_WAY =
  "run it in a terminal of your own that no agent runs in, or pause in the console (Overview) of conduct gateway";

/**
 * Nothing is enforced until the time is over. A person has to be at the terminal and type a code. Needs neither store,
 * configuration nor daemon: any of them may be what is broken.
 */
export async function runPause(
  args: Arguments,
  { paint }: Terminal,
  world: PauseWorld,
  home: string,
  ensure: (home: string) => Promise<unknown> = ensureListener,
): Promise<Outcome> {
  const refused = await refuseAgent(world, "pauses");
  if (refused !== undefined) return refused;
  const ms = parseDuration(String(args.time ?? ""));
  if (ms === undefined || ms <= 0) return badArgument(`'${args.time}' is no time`, "conduct pause 10m");
  if (ms > LONGEST_PAUSE_MS) {
    return badArgument("a pause lasts at most 24 hours: one that is forgotten must end", "conduct pause 24h");
  }
  const what = `This turns enforcement off for ${formatDuration(ms)}, in every runtime of this account.`;
  const person = await requireTypedCode(world.person, what, "pauses Conduct", OTHER_WAY);
  if ("ok" in person) return person;
  const { proof } = person;
  const [at, by] = [world.clock.now(), await world.by()];
  const until = at + ms;
  writePause(home, { at, until, by, proof });
  const journaled = await journalDraft(world, { at, by, kind: "conduct.paused", body: { until, proof } });
  const unheard = await ensure(home).then(() => undefined, errorText);
  const text = [
    "",
    `  ${paint("amber", "⏸ paused")} for ${formatDuration(ms)}: everything is recorded, nothing is enforced`,
    ...(journaled === undefined ? [] : [`  ${paint("red", "not in the journal:")} ${journaled}`]),
    ...(unheard === undefined
      ? []
      : [
          `  ${paint("red", "Claude Code stays blocked:")} its hooks ask the daemon, which cannot be started (${unheard})`,
        ]),
    `  ${paint("dim", "earlier:")} conduct resume`,
    "",
    "",
  ];
  const result = { until, by, proof, notJournaled: journaled };
  return { ok: true, result, text: text.join("\n"), next: [RESUME] };
}

/** Claude Code's hooks ask over http: where they are set up, somebody has to be there to let them pass. */
async function ensureListener(home: string): Promise<void> {
  if (existsSync(daemonPlace(home).settings)) await ensureDaemon(home);
}

export async function runResume({ paint }: Terminal, world: GovernanceWorld, home: string): Promise<Outcome> {
  const refused = await refuseAgent(world, "resumes");
  if (refused !== undefined) return refused;
  const [at, by] = [world.clock.now(), await world.by()];
  const before = readPause(home, at);
  endPause(home);
  if (before === undefined) {
    return {
      ok: true,
      result: { paused: false },
      text: "\n  It was not paused: everything is enforced.\n\n",
      next: [],
    };
  }
  const journaled = await journalDraft(world, { at, by, kind: "conduct.resumed", body: { until: before.until } });
  const text = [
    "",
    `  ${paint("green", "✓ everything is enforced again")}`,
    ...(journaled === undefined ? [] : [`  ${paint("red", "not in the journal:")} ${journaled}`]),
    "",
    "",
  ];
  const result = { paused: false, notJournaled: journaled };
  return { ok: true, result, text: text.join("\n"), next: [] };
}

async function refuseAgent(world: GovernanceWorld, does: string): Promise<Outcome | undefined> {
  const around = await world.inside();
  if (around === undefined) return undefined;
  const message = `this is run by ${around.agent} (${around.sign}), and only a person ${does} Conduct`;
  return { ok: false, code: "INSIDE_AGENT", message, fix: "run it in a terminal of your own", next: [] };
}
