import type { ChangeRequest, Refusal } from "../../behavior/contract/decide/change-request.ts";
import { badCheck, refuse } from "../../behavior/contract/decide/change-request.ts";
import { parseCheck } from "../../behavior/contract/directive-check.ts";
import { compilePredicate } from "../../behavior/policy/rules/predicate/predicate.ts";
import { readStandingRule } from "./standing-rules.ts";

/** A reply as an expression sees it. */
export type SeenReply = {
  readonly text: string;
  readonly words: number;
  readonly lines: number;
  readonly characters: number;
};

/** What an expression on a reply may name. */
const NAMES = { text: "string", words: "number", lines: "number", characters: "number" } as const;

/** Compiles an expression on a reply: true, false or unknown. Its cost is bounded. */
export function compileReplyCheck(
  source: string,
): ((reply: SeenReply) => boolean | undefined) | { readonly fault: string } {
  const compiled = compilePredicate(source, NAMES);
  if ("fault" in compiled) {
    const { message, column, hint } = compiled.fault;
    return {
      fault: `${message}${column === undefined ? "" : ` at ${column}`}${hint === undefined ? "" : ` (${hint})`}`,
    };
  }
  return (reply) =>
    compiled.predicate({
      tool: "",
      args: { ...reply },
      actions: [],
      session: { turn: 0, channel: "", user: "", agent: "", elevated: false },
      fileExists: () => undefined,
    });
}

/** Checks the rule or expression in a request; `undefined` when it is valid. */
export function unsoundRequest(request: ChangeRequest): Refusal | undefined {
  if (request.kind === "harden") return unsoundRule(request);
  const written = "check" in request ? request.check : undefined;
  const check = written === undefined ? undefined : parseCheck(written);
  if (check === undefined || "wrong" in check || check.kind !== "reply") return undefined;
  const compiled = compileReplyCheck(check.holds);
  return "fault" in compiled ? badCheck(`The check's expression is invalid: ${compiled.fault}.`) : undefined;
}

function unsoundRule({ rule, text }: Extract<ChangeRequest, { readonly kind: "harden" }>): Refusal | undefined {
  const read = readStandingRule(text);
  const fix = "See the format of rules with: conduct policy schema";
  if ("faults" in read) return refuse("INVALID_RULE", `The rule cannot be used: ${read.faults.join("; ")}.`, fix);
  if (read.rule.id === rule) return undefined;
  return refuse(
    "INVALID_RULE",
    `The rule in the text is '${read.rule.id}', not '${rule}'.`,
    "Use the same id in both.",
  );
}
