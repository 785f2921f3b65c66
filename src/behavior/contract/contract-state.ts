import { PersistentMap } from "../../base/kernel/persistent-map.ts";
import type {
  BehaviorDirective,
  Candidate,
  ContractChange,
  ContractEvent,
  ContractScope,
  DirectiveCheck,
  DirectiveType,
  StandingRule,
} from "../../base/words/contract.ts";
import { foldCandidates } from "./decide/fold-candidates.ts";
import { comparisonKey } from "./parse/comparison-key.ts";

/** The directives of one scope. `version` and `at` are of the event that last changed them. */
type ScopeContract = {
  readonly version: number;
  readonly at: number;
  readonly directives: readonly BehaviorDirective[];
};

/** What a message has given, so that it gives it once, however often it is delivered. */
export type Captured = {
  readonly line: number;
  readonly type: DirectiveType;
  readonly key: string;
  readonly directive: string;
};

/** What an operator's change did, so that it can be taken back. */
export type Undoable = {
  readonly seq: number;
  readonly added: readonly BehaviorDirective[];
  readonly removed: readonly BehaviorDirective[];
};

/** What was said of a directive. `seen`: the evidence that has counted. */
export type Tally = { readonly helpful: number; readonly harmful: number; readonly seen: readonly string[] };

/**
 * Why the journal cannot be relied on, and at which entry. `last-known`: the state is the newest one that was read whole, and stays
 * in force. `none`: this process never read the journal whole, so nobody can say which rules are in force.
 */
export type ContractFault = {
  readonly seq: number;
  readonly message: string;
  readonly trust: "last-known" | "none";
};

/** All that the governance journal says about contracts. With a `fault` it is as it was before that event, and stays so. */
export type ContractState = {
  /** Of the newest event that is in it. */
  readonly seq: number;
  readonly scopes: PersistentMap<ScopeContract>;
  readonly candidates: PersistentMap<Candidate>;
  /** By the rule's id. */
  readonly rules: PersistentMap<StandingRule>;
  /** Sequence of the event that last changed a rule. */
  readonly rulesVersion: number;
  /** By directive; kept when it is no longer in force. */
  readonly tallies: PersistentMap<Tally>;
  /** By who sent it and the message: ids are given by the transports, and two may give the same one. */
  readonly captured: PersistentMap<readonly Captured[]>;
  /** Oldest first; the oldest are forgotten. */
  readonly undoable: readonly Undoable[];
  readonly fault?: ContractFault;
};

export const EMPTY_CONTRACT: ContractState = {
  seq: 0,
  scopes: PersistentMap.empty(),
  candidates: PersistentMap.empty(),
  tallies: PersistentMap.empty(),
  rules: PersistentMap.empty(),
  rulesVersion: 0,
  captured: PersistentMap.empty(),
  undoable: [],
};

const MAX_UNDOABLE = 100;

/** The state after all events, in the order of their sequence. */
export function foldContract(events: Iterable<ContractEvent>, from: ContractState = EMPTY_CONTRACT): ContractState {
  let state = from;
  for (const event of events) state = applyEvent(state, event);
  return state;
}

/** Takes the event as it is: what was decided once is never judged again. One that cannot be true is a fault. */
export function applyEvent(state: ContractState, event: ContractEvent): ContractState {
  if (state.fault !== undefined) return state;
  const { added, removed } = effectOf(event);
  const candidates = foldCandidates(state.candidates, event);
  const message = impossible(state, event, added, removed) ?? (typeof candidates === "string" ? candidates : undefined);
  if (message !== undefined || typeof candidates === "string") {
    const fault = {
      seq: event.seq,
      message: `event ${event.seq} (${event.kind}): ${message}`,
      trust: "last-known",
    } as const;
    return { ...state, fault };
  }
  return {
    seq: event.seq,
    scopes: declareCheck(changeScopes(state.scopes, event, added, removed), event),
    candidates,
    tallies: tally(state.tallies, event),
    ...standing(state, event),
    captured: capture(state.captured, event),
    undoable: nextUndoable(state.undoable, event, added, removed),
  };
}

/** Every directive in force, those that are over included. */
export function allDirectives(state: ContractState): readonly BehaviorDirective[] {
  return [...state.scopes].flatMap(([, { directives }]) => directives).sort(byAge);
}

/** By age, and by id where two are of the same age; code units, the same on every machine. */
function byAge(a: BehaviorDirective, b: BehaviorDirective): number {
  const [x, y] = a.createdAt === b.createdAt ? [a.id, b.id] : [a.createdAt, b.createdAt];
  return x < y ? -1 : x > y ? 1 : 0;
}

type Effect = { readonly added: readonly BehaviorDirective[]; readonly removed: readonly BehaviorDirective[] };
const NOTHING: Effect = { added: [], removed: [] };

function effectOf(change: ContractChange): Effect {
  switch (change.kind) {
    case "directive-added":
    case "candidate-promoted":
      return { added: [change.directive], removed: change.absorbed };
    case "directive-replaced":
      return { added: [change.directive], removed: [change.removed, ...change.absorbed] };
    case "directive-removed":
    case "candidate-demoted":
      return { added: [], removed: [change.directive] };
    case "directives-expired":
      return { added: [], removed: change.directives };
    case "contract-applied":
      return { added: [], removed: change.dropped.map(({ directive }) => directive) };
    case "contract-undone":
      return { added: change.restored, removed: change.dropped };
    default:
      return NOTHING;
  }
}

function impossible(
  state: ContractState,
  { seq }: ContractEvent,
  added: readonly BehaviorDirective[],
  removed: readonly BehaviorDirective[],
): string | undefined {
  if (!(seq > state.seq)) return `it comes after event ${state.seq}`;
  const missing = removed.find(({ id, scope }) => !idsIn(state, scope).has(id));
  if (missing !== undefined) return `it takes '${missing.id}' away, which is not in ${missing.scope}`;
  const twice = added.find(({ id, scope }) => idsIn(state, scope).has(id));
  return twice === undefined ? undefined : `it adds '${twice.id}', which is in ${twice.scope} already`;
}

function idsIn({ scopes }: ContractState, scope: ContractScope): ReadonlySet<string> {
  return new Set(scopes.get(scope)?.directives.map(({ id }) => id));
}

function changeScopes(
  scopes: ContractState["scopes"],
  { seq, at }: ContractEvent,
  added: readonly BehaviorDirective[],
  removed: readonly BehaviorDirective[],
): ContractState["scopes"] {
  const gone = new Set(removed.map(({ id }) => id));
  let next = scopes;
  for (const scope of new Set([...added, ...removed].map((directive) => directive.scope))) {
    const left = (scopes.get(scope)?.directives ?? []).filter(({ id }) => !gone.has(id));
    const directives = [...left, ...added.filter((directive) => directive.scope === scope)].sort(byAge);
    next = next.set(scope, { version: seq, at, directives });
  }
  return next;
}

/** A check is not told: the version stays, and what was measured under it. */
function declareCheck(scopes: ContractState["scopes"], event: ContractEvent): ContractState["scopes"] {
  if (event.kind !== "directive-checked") return scopes;
  const found = [...scopes].find(([, { directives }]) => directives.some(({ id }) => id === event.id));
  if (found === undefined) return scopes;
  const [name, scope] = found;
  const directives = scope.directives.map((one) => (one.id === event.id ? withCheck(one, event.check) : one));
  return scopes.set(name, { ...scope, directives });
}

function withCheck({ check: _, ...directive }: BehaviorDirective, check: DirectiveCheck | null): BehaviorDirective {
  return check === null ? directive : { ...directive, check };
}

function standing(
  { rules, rulesVersion }: ContractState,
  event: ContractEvent,
): Pick<ContractState, "rules" | "rulesVersion"> {
  const next = changeRules(rules, event);
  return next === rules ? { rules, rulesVersion } : { rules: next, rulesVersion: event.seq };
}

function changeRules(rules: ContractState["rules"], event: ContractEvent): ContractState["rules"] {
  const known = "id" in event ? rules.get(event.id) : undefined;
  switch (event.kind) {
    case "rule-added":
      return rules.set(event.rule.id, event.rule);
    case "rule-removed":
      return rules.delete(event.rule.id);
    case "rule-enforced":
      return known === undefined
        ? rules
        : rules.set(known.id, { ...lasting(known), status: "enforced", since: event.since });
    case "rule-shadowed": {
      const until = event.until === undefined ? {} : { until: event.until };
      return known === undefined ? rules : rules.set(known.id, { ...lasting(known), status: "shadow", ...until });
    }
    default:
      return rules;
  }
}

/** All of it but whether it binds. */
function lasting({ id, text, scope, createdAt, from }: StandingRule) {
  return { id, text, scope, createdAt, from };
}

const MAX_SEEN = 100;
const NO_TALLY: Tally = { helpful: 0, harmful: 0, seen: [] };

function tally(tallies: ContractState["tallies"], event: ContractEvent): ContractState["tallies"] {
  if (event.kind !== "directive-marked") return tallies;
  const { id, mark, evidence } = event;
  const before = tallies.get(id) ?? NO_TALLY;
  const seen = evidence === undefined ? before.seen : [...before.seen, evidence].slice(-MAX_SEEN);
  return tallies.set(id, { ...before, [mark]: before[mark] + 1, seen });
}

/** What a message of a sender has given so far. */
export function capturedFrom({ captured }: ContractState, by: string, message: string): readonly Captured[] {
  return captured.get(messageKey(by, message)) ?? [];
}

function messageKey(by: string, message: string): string {
  return JSON.stringify([by, message]);
}

function capture(captured: ContractState["captured"], change: ContractEvent): ContractState["captured"] {
  const said =
    change.kind === "directive-added"
      ? { ...change.directive, directive: change.directive.id }
      : change.kind === "directive-repeated"
        ? { ...change, directive: change.of }
        : undefined;
  if (said?.message === undefined) return captured;
  const { id, line } = said.message;
  const entry = { line, type: said.type, key: comparisonKey(said.text), directive: said.directive };
  const key = messageKey(change.by, id);
  return captured.set(key, [...(captured.get(key) ?? []), entry]);
}

/** What time did cannot be undone. */
function nextUndoable(
  undoable: readonly Undoable[],
  event: ContractEvent,
  added: readonly BehaviorDirective[],
  removed: readonly BehaviorDirective[],
): readonly Undoable[] {
  if (event.kind === "contract-undone") return undoable.filter(({ seq }) => seq !== event.undoes);
  if (event.kind === "directives-expired" || added.length + removed.length === 0) return undoable;
  return [...undoable, { seq: event.seq, added, removed }].slice(-MAX_UNDOABLE);
}
