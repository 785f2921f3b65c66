import type { ChangeRequest, Refusal } from "../../behavior/contract/change-request.ts";
import { refuse } from "../../behavior/contract/refusals.ts";
import { readStandingRule } from "./standing-rules.ts";

/** What is wrong with a request that only its own language can tell: rules. `undefined` when nothing is. */
export function unsoundRequest(request: ChangeRequest): Refusal | undefined {
  if (request.kind !== "harden") return undefined;
  const read = readStandingRule(request.text);
  const fix = "conduct policy schema shows what a rule may say; docs/rules.md explains it.";
  if ("faults" in read) return refuse("INVALID_RULE", `The rule cannot be used: ${read.faults.join("; ")}.`, fix);
  if (read.rule.id === request.rule) return undefined;
  return refuse(
    "INVALID_RULE",
    `The rule in the text is '${read.rule.id}', not '${request.rule}'.`,
    "Name it as it is.",
  );
}
