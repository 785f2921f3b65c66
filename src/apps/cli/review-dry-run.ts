import type { Clock } from "../../base/ports/clock.ts";
import type { GovernanceJournal } from "../../base/ports/governance.ts";
import type { ChangeDecision, ChangeRequest } from "../../behavior/contract/change-request.ts";
import { ContractService } from "../../engine/governance/contract-service.ts";
import type { ReviewedFinding, ReviewSteps, StepRunner } from "../learning/review/steps.ts";
import type { Outcome } from "./outcome.ts";
import { clip, oneLine, plural } from "./printable.ts";
import type { Terminal } from "./terminal.ts";

/** Decides as the contract would, and writes nothing. */
class UnwrittenContracts extends ContractService {
  override change(request: ChangeRequest, by: string): Promise<ChangeDecision> {
    return super.change(request, by, { dryRun: true });
  }
}

/** What nobody keeps needs no id of its own. */
export function unwrittenContracts(journal: GovernanceJournal, clock: Clock): ContractService {
  const ids = { next: (prefix: string) => `${prefix}_unwritten` };
  const counter = async () => (await import("../../behavior/results/tokens.ts")).loadTokenizer();
  return new UnwrittenContracts({ journal, clock, ids, counter });
}

/** `undefined` when there is nothing to look at. What would become of each finding; the model is not asked, because that costs. */
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
    `\n  ${terminal.paint("amber", "nothing was written")}${hasModel ? ", and the model was not asked" : ""}\n\n`,
  ].join("");
  return { ok: true, result: { dryRun: true, window, findings }, text, next: [] };
}

/** What is not there yet has no name. */
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
    merged: `would be more evidence for${of}`,
    known: `is known already${of === "" ? "" : `:${of}`}`,
    "below-threshold": "is not sure enough",
    refused: "would be refused",
  }[outcome];
  const because = why === undefined ? "" : ` (${why})`;
  return `    ${clip(oneLine(head), columns - 6)}  ${paint("dim", oneLine(scope))}\n${quote}        ${clip(oneLine(`${says}${because}`), columns - 10)}\n`;
}
