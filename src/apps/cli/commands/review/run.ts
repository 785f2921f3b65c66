import type { Clock } from "../../../../base/ports/clock.ts";
import type { GovernanceJournal } from "../../../../base/ports/stores/governance.ts";
import type { ChangeDecision, ChangeRequest } from "../../../../behavior/contract/decide/change-request.ts";
import { ContractService } from "../../../../engine/governance/contract-service.ts";
import { openReview } from "../../../learning/open-review.ts";
import { pastRuns } from "../../../learning/review/past-runs.ts";
import {
  directly,
  type ReviewedFinding,
  type ReviewRecord,
  type ReviewSteps,
  runReview,
  type StepRunner,
} from "../../../learning/review/steps.ts";
import type { ReviewSettings } from "../../../learning/review-settings.ts";
import { clip, oneLine, plural } from "../../../shared/printable.ts";
import type { ReviewRunArgs } from "../../declared/contract-commands.ts";
import { done, type Outcome, refuseAgent } from "../../line/outcome.ts";
import type { Terminal } from "../../line/terminal.ts";
import { failure, type GovernanceWorld, loadCounter, thisMachine, withContract } from "../../stores/with-contract.ts";
import { spoken, stamp } from "../behavior/render.ts";
import { LIST_CANDIDATES } from "./list.ts";

/** Decides like the contract service, but writes nothing. */
class UnwrittenContracts extends ContractService {
  override change(request: ChangeRequest, by: string): Promise<ChangeDecision> {
    return super.change(request, by, { dryRun: true });
  }
}

/** Nothing is saved, so ids need not be unique. */
export function unwrittenContracts(journal: GovernanceJournal, clock: Clock): ContractService {
  const ids = { next: (prefix: string) => `${prefix}_unwritten` };
  return new UnwrittenContracts({ journal, clock, ids, counter: loadCounter });
}

/** The outcome of each finding; `undefined` without anything to review. Calls no model, because that costs money. */
export async function dryReview(
  steps: ReviewSteps,
  now: number,
  run: StepRunner,
  terminal: Terminal,
  hasModel: boolean,
): Promise<Outcome | undefined> {
  const window = await run("window", () => steps.window(now));
  if (window === "nothing") return undefined;
  const found = await run("find", () => steps.find(window));
  const reviewed = await run("propose", () => steps.propose(window, found));
  const findings = reviewed.map(withoutNew);
  const text = [
    `\n  ${terminal.paint("amber", "○")} dry run: ${plural(findings.length, "finding")}, confidence before calibration\n\n`,
    ...findings.map((one) => dryFinding(one, terminal)),
    `\n  ${terminal.paint("amber", "nothing was written")}${hasModel ? ", and no model was called" : ""}\n\n`,
  ].join("");
  return done({ dryRun: true, window, findings }, text);
}

/** A candidate that was not created has no id. */
function withoutNew({ candidate, ...reviewed }: ReviewedFinding): ReviewedFinding {
  return reviewed.outcome === "proposed" || candidate === undefined ? reviewed : { ...reviewed, candidate };
}

function dryFinding({ finding, outcome, candidate, why }: ReviewedFinding, { columns, paint }: Terminal): string {
  const { type, text, confidence, evidence, scope, demotes } = finding;
  const head = `${confidence.toFixed(2)}  ${demotes === undefined ? "" : "drop "}${type.toUpperCase()}: ${text}`;
  const [first] = evidence;
  const quote = first === undefined ? "" : `        “${clip(oneLine(first.quote), columns - 14)}”\n`;
  const of = candidate === undefined ? "" : ` ${candidate}`;
  const says = {
    proposed: "would be proposed",
    merged: `would add evidence to${of}`,
    known: `is already known${of === "" ? "" : `:${of}`}`,
    "below-threshold": "is below the confidence threshold",
    refused: "would be refused",
  }[outcome];
  const because = why === undefined ? "" : ` (${why})`;
  return `    ${clip(oneLine(head), columns - 6)}  ${paint("dim", oneLine(scope))}\n${quote}        ${clip(oneLine(`${says}${because}`), columns - 10)}\n`;
}

const STEPS: { readonly [name: string]: string } = {
  window: "looking for new sessions",
  find: "reading messages and decisions",
  ask: "calling the model",
  propose: "proposing",
  adherence: "measuring adherence",
  finish: "saving the result",
};

/** `conduct review run [--dry-run]` */
export async function reviewRun(
  args: ReviewRunArgs,
  terminal: Terminal,
  world: GovernanceWorld = thisMachine(),
  settings: () => Promise<ReviewSettings> = async () =>
    (await import("../../../learning/review-settings.ts")).reviewSettings(process.env),
): Promise<Outcome> {
  const around = await world.inside();
  if (around !== undefined) return refuseAgent(around, "only a person can run the review", "conduct review run");
  const dryRun = args["dry-run"] === true;
  return withContract(world, "write", async ({ service, events, journal }) => {
    if (events === undefined) return failure(new Error("this store has no sessions"));
    const { clock } = world;
    const { config, thresholds, reviewer } = await settings();
    const contracts = dryRun ? unwrittenContracts(journal, clock) : service;
    const steps = openReview({ events, governance: journal, contracts, clock, thresholds, reviewer });
    const now = clock.now();
    const run = progress(terminal, clock.monotonic);
    if (dryRun) {
      const dry = await dryReview(steps, now, run, terminal, reviewer !== undefined);
      return { ...(dry ?? nothingNew([], terminal)), config };
    }
    const record = await runReview(steps, now, run);
    if (record === "nothing") return { ...nothingNew(await pastRuns(journal), terminal), config };
    return done(record, renderRecord(record, terminal), [LIST_CANDIDATES], config);
  });
}

/** Names a step that takes longer than a second. */
function progress(terminal: Terminal, monotonic: () => number): StepRunner {
  if (!terminal.tty || terminal.json) return directly;
  return async (name, step) => {
    const began = monotonic();
    const timer = setInterval(() => {
      const seconds = Math.round((monotonic() - began) / 1_000);
      terminal.error(`\r  ${STEPS[name] ?? name} … ${seconds} s`);
    }, 1_000);
    try {
      return await step();
    } finally {
      clearInterval(timer);
      if (monotonic() - began >= 1_000) terminal.error("\r\u001b[K");
    }
  };
}

function nothingNew(runs: readonly ReviewRecord[], terminal: Terminal): Outcome {
  const last = runs.at(-1);
  const since = last === undefined ? "no session was recorded yet" : `no activity since ${stamp(last.at)}`;
  const text = `\n  ${terminal.paint("green", "✓")} nothing to review: ${since}\n\n`;
  return done({ outcome: "nothing" }, text, [LIST_CANDIDATES]);
}

function renderRecord(record: ReviewRecord, { paint, invocation, columns }: Terminal): string {
  const { sessions, messages, decisions, window, proposed, merged, known, refused, model } = record;
  const patterns = (name: string, list: ReviewRecord["good_patterns"]) =>
    list.length === 0
      ? ""
      : `\n  ${paint("bold", name)}\n${list.map(({ text, candidate }) => `    ${clip(oneLine(text), columns - 16)}${candidate === undefined ? "" : `  ${paint("dim", candidate)}`}\n`).join("")}`;
  return [
    `\n  ${paint("green", "✓")} ${plural(sessions, "session")}, ${plural(messages, "message")} and ${plural(decisions, "decision")}, ${stamp(window.from)} to ${stamp(window.to)}\n`,
    `    ${plural(proposed.length, "new proposal")} · ${merged.length} with more evidence · ${known} known already${refused.length === 0 ? "" : ` · ${refused.length} refused`}\n`,
    model === undefined
      ? ""
      : `    ${oneLine(model.name)}: ${model.fault === undefined ? "asked" : paint("amber", oneLine(model.fault))}\n`,
    patterns("went well", record.good_patterns),
    patterns("did not go well", record.bad_patterns),
    proposed.length + merged.length === 0 ? "\n" : `\n  decide: ${spoken("conduct review list", invocation)}\n\n`,
  ].join("");
}
