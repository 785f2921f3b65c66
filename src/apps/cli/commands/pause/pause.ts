import { existsSync } from "node:fs";
import { formatDuration, parseDuration } from "../../../../base/kernel/duration.ts";
import { errorText } from "../../../../base/kernel/error-text.ts";
import { ensureDaemon } from "../../../../edge/host/daemon/daemon-client.ts";
import { daemonPlace } from "../../../../edge/host/daemon/daemon-place.ts";
import { endPause, LONGEST_PAUSE_MS, readPause, writePause } from "../../../../edge/host/daemon/paused.ts";
import { journalDraft } from "../../../../edge/host/opening/open-governance.ts";
import { conductHome } from "../../../../edge/host/workspace/conduct-home.ts";
import type { PauseArgs } from "../../declared/setup-commands.ts";
import { badArgument, done, type Outcome, refuseAgent } from "../../line/outcome.ts";
import { notJournaled, type PersonCheck, personCheck, requireTypedCode } from "../../line/person.ts";
import type { Terminal } from "../../line/terminal.ts";
import { type GovernanceWorld, thisMachine } from "../../stores/with-contract.ts";

const RESUME = { command: "conduct resume", description: "Enforce everything again now" };

type PauseWorld = GovernanceWorld & { readonly person: PersonCheck };

const OTHER_WAY = "run it in your own terminal, without an agent, or pause in the console (Home)";

/**
 * `conduct pause [10m]`: turns enforcement off for a time. A person must type a code at the terminal. Needs neither store, configuration nor
 * daemon, because any of them may be broken.
 */
export async function pause(
  args: PauseArgs,
  { paint, invocation }: Terminal,
  world: PauseWorld = { ...thisMachine(), person: personCheck },
  home: string = conductHome(),
  ensure: (home: string) => Promise<unknown> = ensureListener,
): Promise<Outcome> {
  const around = await world.inside();
  if (around !== undefined) return refuseAgent(around, "only a person can pause Conduct");
  const ms = parseDuration(args.time);
  if (ms === undefined || ms <= 0) return badArgument(`'${args.time}' is not a duration`, "conduct pause 10m");
  if (ms > LONGEST_PAUSE_MS) {
    return badArgument("a pause lasts at most 24 hours, so that it ends even if you forget it", "conduct pause 24h");
  }
  const what = `This turns enforcement off for ${formatDuration(ms)}, in every runtime of this account.`;
  const person = await requireTypedCode(world.person, what, "can pause Conduct", OTHER_WAY);
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
    ...notJournaled(journaled, paint),
    ...(unheard === undefined
      ? []
      : [
          `  ${paint("red", "Claude Code stays blocked:")} its hooks ask the daemon, which cannot be started (${unheard})`,
        ]),
    `  ${paint("dim", "end it earlier:")} ${invocation} resume`,
    "",
    "",
  ];
  const result = { until, by, proof, notJournaled: journaled };
  return done(result, text.join("\n"), [RESUME]);
}

/** Claude Code's hooks use HTTP: if they are installed, a daemon must run to let them pass. */
async function ensureListener(home: string): Promise<void> {
  if (existsSync(daemonPlace(home).settings)) await ensureDaemon(home);
}

export async function resume(
  _args: object,
  { paint }: Terminal,
  world: GovernanceWorld = thisMachine(),
  home: string = conductHome(),
): Promise<Outcome> {
  const around = await world.inside();
  if (around !== undefined) return refuseAgent(around, "only a person can resume Conduct");
  const [at, by] = [world.clock.now(), await world.by()];
  const before = readPause(home, at);
  endPause(home);
  if (before === undefined) {
    return done({ paused: false }, "\n  Conduct was not paused.\n\n");
  }
  const journaled = await journalDraft(world, { at, by, kind: "conduct.resumed", body: { until: before.until } });
  const text = ["", `  ${paint("green", "✓ everything is enforced again")}`, ...notJournaled(journaled, paint), "", ""];
  const result = { paused: false, notJournaled: journaled };
  return done(result, text.join("\n"));
}
