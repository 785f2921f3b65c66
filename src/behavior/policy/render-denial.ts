import { neutraliseTags } from "../../base/kernel/text.ts";
import type { Decision, Denial } from "../../base/words/decision.ts";

/** A denial by Conduct itself, not by a policy: nothing can be caught up on, and there is no second attempt. */
export function newDenial({
  id,
  rule,
  code,
  reason,
  next,
}: Pick<Denial, "id" | "rule" | "code" | "reason" | "next">): Denial {
  return { kind: "deny", id, rule, code, reason, missing: [], next, others: [], attemptsLeft: 0, endTurn: false };
}

/** The denial as the model reads it. */
export function renderDenial(denial: Denial): string {
  const lines = [`Denied by ${denial.rule}: ${denial.reason}`];
  if (denial.missing.length > 0)
    lines.push(`Missing: ${denial.missing.map(({ what, why }) => `${what} (${why})`).join("; ")}`);
  for (const other of denial.others) lines.push(`Also denied by ${other.rule}: ${other.reason}`);
  lines.push(`Next: ${denial.next}`);
  const warned = warning(denial);
  if (warned !== undefined) lines.push(warned);
  return neutraliseTags(lines.join("\n"));
}

/** For a runtime that cannot ask a person directly. */
export function renderQuestion(question: Extract<Decision, { kind: "ask" }>): string {
  const { approval, rule, answer, remember } = question;
  const always = remember === true ? " (with --always for the rest of this session)" : "";
  const tell = answer === undefined ? "" : `ask the person to approve it in a terminal with: ${answer}${always}\nThen `;
  return neutraliseTags(
    `Waiting for a person's approval ${approval} (${rule}): ${question.question}\nNext: ${tell}continue with other work; repeat the same call once it is approved.`,
  );
}

/** Calls that Conduct could not judge are not counted. A call whose needs are met is never withdrawn. */
function warning({ attemptsLeft, endTurn, code, missing }: Denial): string | undefined {
  if (endTurn) return "This was denied too often. The turn ends here and the operator is notified.";
  if (code === "bad-call" || code === "unreachable") return undefined;
  if (attemptsLeft === 0) {
    const until = missing.length === 0 ? "This call" : "Until that is done, this call";
    return `${until} is withdrawn for the rest of this turn.${code === "withdrawn" ? " More attempts end the turn." : ""}`;
  }
  return `${attemptsLeft} ${attemptsLeft === 1 ? "attempt" : "attempts"} left before it is withdrawn for this turn.`;
}
