import type { ContractChange, ContractEvent, StandingRule } from "../../../base/words/contract.ts";
import { contractFor } from "../active-contract.ts";
import { allDirectives, applyEvent, type ContractState, candidateAt, isOpen } from "../contract-state.ts";
import { parseCheck } from "../directive-check.ts";
import { isOver, isoTime, readTime } from "../iso-time.ts";
import { MAX_RULE_CHARS } from "../journal-entry.ts";
import { isScope, viewOf } from "../scopes.ts";
import {
  type Accepted,
  accept,
  badCheck,
  badScope,
  badTime,
  type ChangeContext,
  type ChangeDecision,
  type ChangeRequest,
  commands,
  type Decide,
  type NextCommand,
  type Refusal,
  type Request,
  refuse,
} from "./change-request.ts";
import {
  decideEdit,
  decidePromote,
  decidePropose,
  decideReject,
  decideSnooze,
  openCandidate,
} from "./decide-candidate.ts";
import { decideAdd, decideApply, decideRemove, decideReplace, decideUndo, findDirective } from "./decide-directive.ts";

const MAX_RULES = 100;

const listRules: NextCommand = {
  command: "conduct rules list",
  description: "Show the rules and what they would have blocked",
};

/** Adds a rule that a person has seen. It is in shadow until it is enforced. */
const decideHarden: Decide<"harden"> = (state, request, context) => {
  const { rule: id, text, from, until } = request;
  const inForce = allDirectives(state).find((directive) => directive.id === from);
  const source = from === undefined ? undefined : (inForce ?? openCandidate(state, from, context));
  if (source !== undefined && "code" in source) return source;
  const scope = request.scope ?? source?.scope ?? "global";
  if (!isScope(scope)) return badScope(scope);
  if (!/^[\w./:-]{1,100}$/.test(id)) return refuse("INVALID_RULE", `'${id}' is not a valid rule id.`, ID_FIX);
  if (text.length > MAX_RULE_CHARS || text.trim() === "") {
    const message = `A rule's text has 1 to ${MAX_RULE_CHARS} characters.`;
    return refuse("INVALID_RULE", message, "Put larger sets of rules in a file and name it in conduct.yaml.");
  }
  if (state.rules.has(id)) {
    const fix = "Remove it first, or choose another id.";
    return refuse("RULE_EXISTS", `A rule '${id}' already exists.`, fix, [listRules]);
  }
  if (state.rules.size >= MAX_RULES) {
    return refuse("BEHAVIOR_CONTRACT_CAP", `The limit of ${MAX_RULES} rules is reached.`, "Remove some first.", [
      listRules,
    ]);
  }
  const end = readUntil(until, context.now);
  if (typeof end === "object") return end;
  const createdAt = isoTime(context.now);
  const rule: StandingRule = { id, text, scope, createdAt, from, status: "shadow", until: end };
  const candidate = from !== undefined && state.candidates.has(from) ? from : undefined;
  const enforce = `conduct rules enforce ${id}`;
  const next = [
    { command: enforce, description: "Enforce the rule after you have checked what it would block" },
    listRules,
  ];
  return accept("hardened", scope, [{ kind: "rule-added", rule }], { rule, candidate, next });
};

type RuleRequest = Request<"enforce-rule" | "shadow-rule" | "remove-rule">;

/** Enforces a rule, puts it in shadow, or removes it. */
function decideRule(state: ContractState, request: RuleRequest, { now }: ChangeContext): Accepted | Refusal {
  const rule = state.rules.get(request.id);
  if (rule === undefined) {
    const message = `There is no rule '${request.id.slice(0, 80).toWellFormed()}'.`;
    return refuse("RULE_NOT_FOUND", message, "Copy the id from the list.", [listRules]);
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

const MAX_NOTE = 500;

const decideMark: Decide<"mark"> = (state, { id, mark, note, evidence }) => {
  const directive = findDirective(state, id);
  if ("code" in directive) return directive;
  const shown = evidence?.slice(0, MAX_NOTE).toWellFormed();
  const counted = shown !== undefined && state.tallies.get(id)?.seen.includes(shown) === true;
  const said = note?.trim().slice(0, MAX_NOTE).toWellFormed() || undefined;
  const changes = counted ? [] : [{ kind: "directive-marked", id, mark, note: said, evidence: shown } as const];
  return accept("marked", directive.scope, changes, { directive, next: [commands.list] });
};

const decideCheck: Decide<"check"> = (state, { id, check: written }) => {
  const directive = findDirective(state, id);
  if ("code" in directive) return directive;
  const check = written === undefined ? null : parseCheck(written);
  if (check !== null && "wrong" in check) return badCheck(check.wrong);
  const same = JSON.stringify(directive.check ?? null) === JSON.stringify(check);
  const changes = same ? [] : [{ kind: "directive-checked", id, check } as const];
  const changed = { ...directive, check: check ?? undefined };
  return accept("checked", directive.scope, changes, { directive: changed, next: [commands.list] });
};

/** Decides on a request: the events to append and the contract after them, or a refusal. Pure. */
export function decideChange(state: ContractState, request: ChangeRequest, context: ChangeContext): ChangeDecision {
  if (state.fault !== undefined) {
    const message = `The stored contract cannot be trusted: ${state.fault.message}.`;
    const fix = "No change is accepted until an operator repairs it with: conduct journal repair.";
    return { ...refuse("GATEWAY_BEHAVIOR_FAILED", message, fix), events: [], state };
  }
  const due = append(state, dueExpiries(state, context.now), context);
  const decide = DECIDE[request.kind] as Decide<ChangeRequest["kind"]>;
  const step = decide(due.state, request, context);
  const { state: after, events: more } = append(due.state, step.changes ?? [], context);
  const events = [...due.events, ...more];
  if (step.kind === "refused") {
    const { changes: _, ...refusal } = step;
    return { ...refusal, events, state: after };
  }
  const { changes: _, scope, candidate: id, ...accepted } = step;
  const candidate = id === undefined ? undefined : after.candidates.get(id);
  return {
    ...accepted,
    events,
    state: after,
    contract: contractFor(after, viewOf(scope), context.now),
    candidate: candidate && candidateAt(candidate, context.now),
  };
}

/** Expiries that are not recorded yet. */
function dueExpiries(state: ContractState, now: number): readonly ContractChange[] {
  const directives = allDirectives(state).filter(({ expiresAt }) => isOver(expiresAt, now));
  const ids = [...state.candidates]
    .filter(([, candidate]) => isOpen(candidate) && isOver(candidate.expiresAt, now))
    .map(([id]) => id)
    .sort();
  const changes: ContractChange[] = [];
  if (directives.length > 0) changes.push({ kind: "directives-expired", directives });
  if (ids.length > 0) changes.push({ kind: "candidates-expired", ids });
  return changes;
}

const DECIDE: { readonly [K in ChangeRequest["kind"]]: Decide<K> } = {
  add: decideAdd,
  remove: decideRemove,
  replace: decideReplace,
  apply: decideApply,
  undo: decideUndo,
  expire: () => accept("expired", "global", [], { next: [commands.list] }),
  propose: decidePropose,
  promote: decidePromote,
  reject: decideReject,
  edit: decideEdit,
  snooze: decideSnooze,
  mark: decideMark,
  check: decideCheck,
  harden: decideHarden,
  "enforce-rule": decideRule,
  "shadow-rule": decideRule,
  "remove-rule": decideRule,
};

function append(state: ContractState, changes: readonly ContractChange[], { head, now, by }: ChangeContext) {
  const from = Math.max(head, state.seq);
  const events = changes.map((change, at): ContractEvent => ({ seq: from + at + 1, at: now, by, ...change }));
  return { state: events.reduce(applyEvent, state), events };
}
