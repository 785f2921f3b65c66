import type { ContractChange, StandingRule } from "../../../base/words/contract.ts";
import { allDirectives, type ContractState } from "../contract-state.ts";
import { isOver, isoTime, readTime } from "../iso-time.ts";
import { MAX_RULE_CHARS } from "../journal-entry.ts";
import { isScope } from "../scopes.ts";
import type { ChangeContext, ChangeRequest, NextCommand, Refusal, Step } from "./change-request.ts";
import { openCandidate } from "./decide-candidate.ts";
import { badScope, badTime, refuse } from "./refusals.ts";

type Request<K extends ChangeRequest["kind"]> = Extract<ChangeRequest, { readonly kind: K }>;

/** More than this nobody oversees. */
const MAX_RULES = 100;

const listRules: NextCommand = {
  command: "conduct rules list",
  description: "Show the rules, with what they would have blocked",
};

/** From soft to hard: a person has seen the rule, and it binds nobody before it is enforced. */
export function decideHarden(state: ContractState, request: Request<"harden">, context: ChangeContext): Step {
  const { rule: id, text, from, until } = request;
  const source = from === undefined ? undefined : sourceOf(state, from, context);
  if (source !== undefined && "code" in source) return source;
  const scope = request.scope ?? source?.scope ?? "global";
  if (!isScope(scope)) return badScope(scope);
  if (!/^[\w./:-]{1,100}$/.test(id)) return refuse("INVALID_RULE", `'${id}' is no id for a rule.`, ID_FIX);
  if (text.length > MAX_RULE_CHARS || text.trim() === "") {
    const message = `A rule's text has 1 to ${MAX_RULE_CHARS} characters.`;
    return refuse("INVALID_RULE", message, "Put larger sets of rules in a file and name it in conduct.yaml.");
  }
  if (state.rules.has(id)) {
    return refuse("RULE_EXISTS", `There is a rule '${id}' already.`, "Remove it first, or give this one another id.", [
      listRules,
    ]);
  }
  if (state.rules.size >= MAX_RULES) {
    return refuse("BEHAVIOR_CONTRACT_CAP", `There are ${MAX_RULES} rules already.`, "Remove some first.", [listRules]);
  }
  const end = readUntil(until, context.now);
  if (typeof end === "object") return end;
  const rule: StandingRule = {
    ...{ id, text, scope, createdAt: isoTime(context.now) },
    ...(from === undefined ? {} : { from }),
    status: "shadow",
    ...(end === undefined ? {} : { until: end }),
  };
  const candidate = from !== undefined && state.candidates.has(from) ? { candidate: from } : {};
  const next = [enforceRule(id), listRules];
  const changes: readonly ContractChange[] = [{ kind: "rule-added", rule }];
  return { kind: "accepted", outcome: "hardened", changes, scope, rule, ...candidate, warnings: [], next };
}

/** Whether a rule that is there binds, only records, or goes. */
export function decideRule(
  state: ContractState,
  request: Request<"enforce-rule" | "shadow-rule" | "remove-rule">,
  { now }: ChangeContext,
): Step {
  const rule = state.rules.get(request.id);
  if (rule === undefined) {
    const message = `There is no rule '${request.id.slice(0, 80).toWellFormed()}'.`;
    return refuse("RULE_NOT_FOUND", message, "Take an id from the list.", [listRules]);
  }
  const { id, scope } = rule;
  const shared = { kind: "accepted", scope, warnings: [], next: [listRules] } as const;
  switch (request.kind) {
    case "enforce-rule": {
      const since = isoTime(now);
      const changes: readonly ContractChange[] =
        rule.status === "enforced" ? [] : [{ kind: "rule-enforced", id, since }];
      return { ...shared, outcome: "enforced", changes, rule: { ...rule, status: "enforced", since } };
    }
    case "shadow-rule": {
      const end = readUntil(request.until, now);
      if (typeof end === "object") return end;
      const until = end === undefined ? {} : { until: end };
      const change: ContractChange = { kind: "rule-shadowed", id, ...until };
      return { ...shared, outcome: "shadowed", changes: [change], rule: { ...rule, status: "shadow", ...until } };
    }
    case "remove-rule": {
      const why = request.reason === undefined ? {} : { reason: request.reason };
      return { ...shared, outcome: "removed", changes: [{ kind: "rule-removed", rule, ...why }], rule };
    }
  }
}

const ID_FIX = "Give 1 to 100 letters, digits and . / : - _.";

function enforceRule(id: string): NextCommand {
  return { command: `conduct rules enforce ${id}`, description: "Let it bind, when you have seen what it would block" };
}

function sourceOf(state: ContractState, id: string, context: ChangeContext): { readonly scope: string } | Refusal {
  return allDirectives(state).find((directive) => directive.id === id) ?? openCandidate(state, id, context);
}

/** The end as it is kept; a refusal when it is none. */
function readUntil(written: string | undefined, now: number): string | undefined | Refusal {
  if (written === undefined) return undefined;
  const time = readTime(written);
  return time === undefined || isOver(time, now) ? badTime("end", written) : time;
}
