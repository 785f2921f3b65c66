import type { StandingRule } from "../../../base/words/contract.ts";
import { allDirectives, type ContractState } from "../contract-state.ts";
import { isOver, isoTime, readTime } from "../iso-time.ts";
import { MAX_RULE_CHARS } from "../journal-entry.ts";
import { isScope } from "../scopes.ts";
import type { Accepted, ChangeContext, NextCommand, Refusal, Request } from "./change-request.ts";
import { openCandidate } from "./decide-candidate.ts";
import { accept, badScope, badTime, refuse } from "./steps.ts";

const MAX_RULES = 100;

const listRules: NextCommand = {
  command: "conduct rules list",
  description: "Show the rules, with what they would have blocked",
};

/** Adds a rule that a person has seen. It is in shadow until it is enforced. */
export function decideHarden(
  state: ContractState,
  request: Request<"harden">,
  context: ChangeContext,
): Accepted | Refusal {
  const { rule: id, text, from, until } = request;
  const inForce = allDirectives(state).find((directive) => directive.id === from);
  const source = from === undefined ? undefined : (inForce ?? openCandidate(state, from, context));
  if (source !== undefined && "code" in source) return source;
  const scope = request.scope ?? source?.scope ?? "global";
  if (!isScope(scope)) return badScope(scope);
  if (!/^[\w./:-]{1,100}$/.test(id)) return refuse("INVALID_RULE", `'${id}' is no id for a rule.`, ID_FIX);
  if (text.length > MAX_RULE_CHARS || text.trim() === "") {
    const message = `A rule's text has 1 to ${MAX_RULE_CHARS} characters.`;
    return refuse("INVALID_RULE", message, "Put larger sets of rules in a file and name it in conduct.yaml.");
  }
  if (state.rules.has(id)) {
    const fix = "Remove it first, or give this one another id.";
    return refuse("RULE_EXISTS", `There is a rule '${id}' already.`, fix, [listRules]);
  }
  if (state.rules.size >= MAX_RULES) {
    return refuse("BEHAVIOR_CONTRACT_CAP", `There are ${MAX_RULES} rules already.`, "Remove some first.", [listRules]);
  }
  const end = readUntil(until, context.now);
  if (typeof end === "object") return end;
  const createdAt = isoTime(context.now);
  const rule: StandingRule = { id, text, scope, createdAt, from, status: "shadow", until: end };
  const candidate = from !== undefined && state.candidates.has(from) ? from : undefined;
  const enforce = `conduct rules enforce ${id}`;
  const next = [{ command: enforce, description: "Let it bind, when you have seen what it would block" }, listRules];
  return accept("hardened", scope, [{ kind: "rule-added", rule }], { rule, candidate, next });
}

/** Enforces a rule, puts it in shadow, or removes it. */
export function decideRule(
  state: ContractState,
  request: Request<"enforce-rule" | "shadow-rule" | "remove-rule">,
  { now }: ChangeContext,
): Accepted | Refusal {
  const rule = state.rules.get(request.id);
  if (rule === undefined) {
    const message = `There is no rule '${request.id.slice(0, 80).toWellFormed()}'.`;
    return refuse("RULE_NOT_FOUND", message, "Take an id from the list.", [listRules]);
  }
  const { id, scope } = rule;
  const next = [listRules];
  switch (request.kind) {
    case "enforce-rule": {
      const since = isoTime(now);
      const changes = rule.status === "enforced" ? [] : [{ kind: "rule-enforced", id, since } as const];
      return accept("enforced", scope, changes, { rule: { ...rule, status: "enforced", since }, next });
    }
    case "shadow-rule": {
      const until = readUntil(request.until, now);
      if (typeof until === "object") return until;
      const change = { kind: "rule-shadowed", id, until } as const;
      return accept("shadowed", scope, [change], { rule: { ...rule, status: "shadow", until }, next });
    }
    case "remove-rule":
      return accept("removed", scope, [{ kind: "rule-removed", rule, reason: request.reason }], { rule, next });
  }
}

const ID_FIX = "Give 1 to 100 letters, digits and . / : - _.";

/** The end in its stored form, or a refusal. */
function readUntil(written: string | undefined, now: number): string | undefined | Refusal {
  if (written === undefined) return undefined;
  const time = readTime(written);
  return time === undefined || isOver(time, now) ? badTime("end", written) : time;
}
