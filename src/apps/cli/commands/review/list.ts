import type { Candidate } from "../../../../base/words/contract.ts";
import { candidateAt, isOpen } from "../../../../behavior/contract/contract-state.ts";
import { writeDirective } from "../../../../behavior/contract/parse/directive-form.ts";
import { clip, oneLine, plural } from "../../../shared/printable.ts";
import type { ReviewListArgs } from "../../declared/contract-commands.ts";
import { done, type NextAction } from "../../line/outcome.ts";
import type { Terminal } from "../../line/terminal.ts";
import { damaged, type GovernanceCommand, thisMachine, withContract } from "../../stores/with-contract.ts";
import { spoken, stamp } from "../behavior/render.ts";

export const LIST_CANDIDATES: NextAction = {
  command: "conduct review list",
  description: "List the open candidates",
};

/** `conduct review list [--all]` */
export const reviewList: GovernanceCommand<ReviewListArgs> = (args, terminal, world = thisMachine()) =>
  withContract(world, "read", async ({ service }) => {
    const state = await service.state();
    const now = world.clock.now();
    const known = [...state.candidates].map(([, one]) => candidateAt(one, now));
    const shown = known
      .filter((one) => args.all === true || isOpen(one))
      .sort((a, b) => Number(isOpen(b)) - Number(isOpen(a)) || b.confidence - a.confidence);
    if (state.fault !== undefined) return damaged(state.fault, { candidates: shown });
    const [first] = shown.filter(isOpen);
    const next: readonly NextAction[] =
      first === undefined
        ? [{ command: "conduct review run", description: "Review what happened since the last review" }]
        : [
            { command: `conduct review show ${first.id}`, description: "Show its evidence and effect" },
            { command: `conduct behavior promote ${first.id}`, description: "Accept it" },
            { command: `conduct behavior reject ${first.id}`, description: "Reject it" },
          ];
    return done({ candidates: shown }, renderList(shown, known.length, terminal), next);
  });

function renderList(candidates: readonly Candidate[], known: number, terminal: Terminal): string {
  const { paint, invocation } = terminal;
  const open = candidates.filter(isOpen).length;
  if (candidates.length === 0) {
    const why =
      known === 0
        ? "Once a day, the review reads messages and decisions and proposes directives."
        : `${plural(known, "candidate")} were decided on: ${spoken("conduct review list --all", invocation)}`;
    return `\n  no candidates to decide on\n\n  ${why}\n  now: ${spoken("conduct review run", invocation)}\n\n`;
  }
  const rows = candidates.map((one) => renderCandidate(one, terminal)).join("\n");
  const how = `  ${paint("dim", "evidence:")} ${spoken("conduct review show ID", invocation)}   ${paint("dim", "decide:")} ${spoken("conduct behavior promote | reject | edit | snooze ID", invocation)}\n`;
  return `\n  ${paint("bold", `${plural(open, "candidate")} to decide on`)}\n\n${rows}\n${open === 0 ? "" : how}\n`;
}

function renderCandidate(candidate: Candidate, { paint, columns }: Terminal): string {
  const { id, confidence, scope, evidence, expiresAt, demotes, origin } = candidate;
  const line = `${demotes === undefined ? "" : "drop "}${writeDirective(candidate)}`;
  const quotes = plural(evidence.length, "quote");
  const state = stateText(candidate, expiresAt);
  const facts = [id, `confidence ${confidence.toFixed(2)}`, scope, quotes, origin?.pattern, state];
  const blocked = candidate.status === "pending" ? candidate.blocked : undefined;
  return [
    `    ${bar(confidence)}  ${clip(oneLine(line), columns - 12)}\n`,
    `           ${paint("dim", oneLine(facts.filter((fact) => fact !== undefined).join(" · ")))}\n`,
    blocked === undefined ? "" : `           ${paint("amber", "blocked:")} ${clip(oneLine(blocked), columns - 21)}\n`,
  ].join("");
}

function stateText(candidate: Candidate, expiresAt: string): string {
  switch (candidate.status) {
    case "pending":
      return `until ${stamp(expiresAt)}`;
    case "snoozed":
      return `snoozed until ${stamp(candidate.until)}`;
    case "promoted":
      return `accepted as ${candidate.directive}`;
    case "rejected":
      return `rejected: ${candidate.reason}`;
    case "expired":
      return "expired";
  }
}

/** The confidence as a bar; the number is shown below. */
function bar(confidence: number): string {
  const full = Math.round(confidence * 5);
  return `${"▮".repeat(full)}${"▯".repeat(5 - full)}`;
}
