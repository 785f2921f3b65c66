import { badCheck, type ChangeRequest, type Refusal, refuse } from "../../behavior/contract/decide/change-request.ts";
import { parseCheck } from "../../behavior/contract/directive-check.ts";
import { compileReplyCheck } from "./reply-check.ts";
import { readStandingRule } from "./standing-rules.ts";

/** Checks the rule or expression in a request; `undefined` when it is valid. */
export function unsoundRequest(request: ChangeRequest): Refusal | undefined {
  if (request.kind === "harden") return unsoundRule(request);
  const written = "check" in request ? request.check : undefined;
  const check = written === undefined ? undefined : parseCheck(written);
  if (check === undefined || "wrong" in check || check.kind !== "reply") return undefined;
  const compiled = compileReplyCheck(check.holds);
  return "fault" in compiled ? badCheck(`The expression of the check cannot be used: ${compiled.fault}.`) : undefined;
}

function unsoundRule({ rule, text }: Extract<ChangeRequest, { readonly kind: "harden" }>): Refusal | undefined {
  const read = readStandingRule(text);
  const fix = "conduct policy schema shows what a rule may say; docs/rules.md explains it.";
  if ("faults" in read) return refuse("INVALID_RULE", `The rule cannot be used: ${read.faults.join("; ")}.`, fix);
  if (read.rule.id === rule) return undefined;
  return refuse("INVALID_RULE", `The rule in the text is '${read.rule.id}', not '${rule}'.`, "Name it as it is.");
}
