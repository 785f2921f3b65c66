import { PersistentMap } from "../../base/kernel/persistent-map.ts";
import type {
  BehaviorDirective,
  Candidate,
  CandidateState,
  ContractChange,
  ContractEvent,
  DirectiveType,
  StandingRule,
} from "../../base/words/contract.ts";
import { isOver } from "./iso-time.ts";
import { comparisonKey } from "./parse/comparison-key.ts";

/** The directives of one scope. `version` and `at` are of the change that last affected them. */
type ScopeContract = {
  readonly version: number;
  readonly at: number;
  readonly directives: readonly BehaviorDirective[];
};

/** A directive taken from a message, so that a repeated delivery adds nothing. */
export type Captured = {
  readonly line: number;
  readonly type: DirectiveType;
  readonly key: string;
  readonly directive: string;
};

/** The effect of a change, for undo. */
export type Undoable = {
  readonly seq: number;
  readonly added: readonly BehaviorDirective[];
  readonly removed: readonly BehaviorDirective[];
};

/** The marks of a directive. `seen`: evidence that was counted. */
export type Tally = { readonly helpful: number; readonly harmful: number; readonly seen: readonly string[] };

/**
 * Why the journal cannot be trusted, and at which entry. `last-known`: the last valid state stays in force. `none`: this
 * process never read a valid journal, so the rules in force are unknown.
 */
type ContractFault = { readonly seq: number; readonly message: string; readonly trust: "last-known" | "none" };

/** The fold of the governance journal. After a `fault` it no longer changes. */
export type ContractState = {
  readonly seq: number;
  /** How often the directives have changed; candidates, rules and checks do not count. */
  readonly version: number;
  readonly scopes: PersistentMap<ScopeContract>;
  readonly candidates: PersistentMap<Candidate>;
  /** By the rule's id. */
  readonly rules: PersistentMap<StandingRule>;
  /** Sequence of the event that last changed a rule. */
  readonly rulesVersion: number;
  /** By directive id; kept after the directive is removed. */
  readonly tallies: PersistentMap<Tally>;
  /** By sender and message id, because two transports may use the same id. */
  readonly captured: PersistentMap<readonly Captured[]>;
  /** Oldest first, bounded. */
  readonly undoable: readonly Undoable[];
  readonly fault?: ContractFault;
};

export const EMPTY_CONTRACT: ContractState = {
  seq: 0,
  version: 0,
  scopes: PersistentMap.empty(),
  candidates: PersistentMap.empty(),
  tallies: PersistentMap.empty(),
  rules: PersistentMap.empty(),
  rulesVersion: 0,
  captured: PersistentMap.empty(),
  undoable: [],
};

const MAX_UNDOABLE = 100;

export function foldContract(events: Iterable<ContractEvent>, from: ContractState = EMPTY_CONTRACT): ContractState {
  let state = from;
  for (const event of events) state = applyEvent(state, event);
  return state;
}

/** Applies a recorded event without judging it again. An impossible event is a fault. */
export function applyEvent(state: ContractState, event: ContractEvent): ContractState {
  if (state.fault !== undefined) return state;
  const effect = effectOf(event);
  const candidates = foldCandidates(state.candidates, event);
  const wrong = impossible(state, event, effect);
  if (wrong !== undefined || typeof candidates === "string") {
    const message = `event ${event.seq} (${event.kind}): ${wrong ?? candidates}`;
    return { ...state, fault: { seq: event.seq, message, trust: "last-known" } };
  }
  const rules = changeRules(state.rules, event);
  const version = state.version + (isChange(effect) ? 1 : 0);
  return {
    seq: event.seq,
    version,
    scopes: declareCheck(changeScopes(state.scopes, { version, at: event.at }, effect), event),
    candidates,
    tallies: tally(state.tallies, event),
    rules,
    rulesVersion: rules === state.rules ? state.rulesVersion : event.seq,
    captured: capture(state.captured, event),
    undoable: nextUndoable(state.undoable, event, effect),
  };
}

/** Every directive that was not removed, including expired ones. */
export function allDirectives(state: ContractState): readonly BehaviorDirective[] {
  return [...state.scopes].flatMap(([, { directives }]) => directives).sort(byAge);
}

/** By age, then by id, compared by code units. */
function byAge(a: BehaviorDirective, b: BehaviorDirective): number {
  const [x, y] = a.createdAt === b.createdAt ? [a.id, b.id] : [a.createdAt, b.createdAt];
  return x < y ? -1 : x > y ? 1 : 0;
}

type Effect = Pick<Undoable, "added" | "removed">;

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
      return { added: [], removed: [] };
  }
}

function isChange({ added, removed }: Effect): boolean {
  return added.length + removed.length > 0;
}

/** Changes of directives with their version, the oldest first; other events change no version. */
export function versionsBySeq(events: readonly ContractEvent[]): ReadonlyMap<number, number> {
  const changes = events.filter((event) => isChange(effectOf(event)));
  return new Map(changes.map(({ seq }, at) => [seq, at + 1]));
}

function impossible(state: ContractState, { seq }: ContractEvent, { added, removed }: Effect): string | undefined {
  const isIn = ({ id, scope }: BehaviorDirective) => state.scopes.get(scope)?.directives.some((one) => one.id === id);
  if (!(seq > state.seq)) return `it comes after event ${state.seq}`;
  const missing = removed.find((directive) => !isIn(directive));
  if (missing !== undefined) return `it removes '${missing.id}', which is not in ${missing.scope}`;
  const twice = added.find(isIn);
  return twice === undefined ? undefined : `it adds '${twice.id}', which is already in ${twice.scope}`;
}

function changeScopes(
  scopes: ContractState["scopes"],
  { version, at }: Pick<ScopeContract, "version" | "at">,
  { added, removed }: Effect,
) {
  const gone = new Set(removed.map(({ id }) => id));
  let next = scopes;
  for (const scope of new Set([...added, ...removed].map((directive) => directive.scope))) {
    const left = (scopes.get(scope)?.directives ?? []).filter(({ id }) => !gone.has(id));
    const directives = [...left, ...added.filter((directive) => directive.scope === scope)].sort(byAge);
    next = next.set(scope, { version, at, directives });
  }
  return next;
}

/** The agent does not see checks, so the version stays. */
function declareCheck(scopes: ContractState["scopes"], event: ContractEvent): ContractState["scopes"] {
  if (event.kind !== "directive-checked") return scopes;
  const found = [...scopes].find(([, { directives }]) => directives.some(({ id }) => id === event.id));
  if (found === undefined) return scopes;
  const [name, scope] = found;
  const check = event.check ?? undefined;
  const directives = scope.directives.map((one) => (one.id === event.id ? { ...one, check } : one));
  return scopes.set(name, { ...scope, directives });
}

function changeRules(rules: ContractState["rules"], event: ContractEvent): ContractState["rules"] {
  const known = "id" in event ? rules.get(event.id) : undefined;
  switch (event.kind) {
    case "rule-added":
      return rules.set(event.rule.id, event.rule);
    case "rule-removed":
      return rules.delete(event.rule.id);
    case "rule-enforced":
    case "rule-shadowed": {
      if (known === undefined) return rules;
      const { id, text, scope, createdAt, from } = known;
      const status =
        event.kind === "rule-enforced"
          ? ({ status: "enforced", since: event.since } as const)
          : ({ status: "shadow", until: event.until } as const);
      return rules.set(id, { id, text, scope, createdAt, from, ...status });
    }
    default:
      return rules;
  }
}

const MAX_SEEN = 100;

function tally(tallies: ContractState["tallies"], event: ContractEvent): ContractState["tallies"] {
  if (event.kind !== "directive-marked") return tallies;
  const { id, mark, evidence } = event;
  const before: Tally = tallies.get(id) ?? { helpful: 0, harmful: 0, seen: [] };
  const seen = evidence === undefined ? before.seen : [...before.seen, evidence].slice(-MAX_SEEN);
  return tallies.set(id, { ...before, [mark]: before[mark] + 1, seen });
}

/** The directives taken from a sender's message so far. */
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

/** Expiries cannot be undone. */
function nextUndoable(undoable: readonly Undoable[], event: ContractEvent, { added, removed }: Effect) {
  if (event.kind === "contract-undone") return undoable.filter(({ seq }) => seq !== event.undoes);
  if (event.kind === "directives-expired" || !isChange({ added, removed })) return undoable;
  return [...undoable, { seq: event.seq, added, removed }].slice(-MAX_UNDOABLE);
}

type Candidates = PersistentMap<Candidate>;

/** The candidates after an event, or why it is impossible. */
function foldCandidates(candidates: Candidates, event: ContractEvent): Candidates | string {
  switch (event.kind) {
    case "candidate-proposed":
      return candidates.has(event.candidate.id)
        ? `it proposes '${event.candidate.id}' again`
        : candidates.set(event.candidate.id, event.candidate);
    case "candidate-merged": {
      const { id, confidence, evidence, expiresAt } = event;
      return change(candidates, id, (candidate) => ({ ...candidate, confidence, evidence, expiresAt }));
    }
    case "candidate-edited": {
      const { id, type, text } = event;
      return change(candidates, id, (candidate) => withState({ ...candidate, type, text }, { status: "pending" }));
    }
    case "candidate-promoted":
    case "candidate-demoted":
      return settle(candidates, event.id, { status: "promoted", directive: event.directive.id });
    case "rule-added": {
      const { id, from = "" } = event.rule;
      return candidates.has(from) ? settle(candidates, from, { status: "promoted", directive: id }) : candidates;
    }
    case "candidate-covered":
      return settle(candidates, event.id, { status: "promoted", directive: event.of });
    case "candidate-blocked":
      return settle(candidates, event.id, { status: "pending", blocked: event.reason });
    case "candidate-rejected":
      return settle(candidates, event.id, { status: "rejected", reason: event.reason });
    case "candidate-snoozed": {
      const { id, until, expiresAt } = event;
      return change(candidates, id, (one) => withState({ ...one, expiresAt }, { status: "snoozed", until }));
    }
    case "candidates-expired":
      return event.ids.reduce<Candidates | string>(
        (all, id) => (typeof all === "string" ? all : settle(all, id, { status: "expired" })),
        candidates,
      );
    case "contract-undone":
      return reopen(candidates, event);
    default:
      return candidates;
  }
}

/** A snoozed candidate is pending again when its time has come. */
export function candidateAt(candidate: Candidate, now: number): Candidate {
  return candidate.status === "snoozed" && isOver(candidate.until, now)
    ? withState(candidate, { status: "pending" })
    : candidate;
}

export function isOpen({ status }: Candidate): boolean {
  return status === "pending" || status === "snoozed";
}

/** Undoing a promotion reopens its candidate, unless it has expired. */
function reopen(
  candidates: Candidates,
  { dropped, restored, at }: Extract<ContractEvent, { readonly kind: "contract-undone" }>,
): Candidates {
  let next = candidates;
  const back = new Set(restored.map(({ id }) => id));
  const demoted = [...candidates]
    .filter(([, { demotes }]) => demotes !== undefined && back.has(demotes))
    .map(([candidate, { demotes }]) => ({ id: demotes, candidate }));
  for (const { id, candidate } of [...dropped, ...demoted]) {
    const before = candidate === undefined ? undefined : next.get(candidate);
    if (before?.status !== "promoted" || before.directive !== id) continue;
    next = next.set(before.id, withState(before, { status: isOver(before.expiresAt, at) ? "expired" : "pending" }));
  }
  return next;
}

function settle(candidates: Candidates, id: string, state: CandidateState): Candidates | string {
  return change(candidates, id, (candidate) => withState(candidate, state));
}

function change(candidates: Candidates, id: string, to: (candidate: Candidate) => Candidate): Candidates | string {
  const candidate = candidates.get(id);
  return candidate === undefined ? `there is no candidate '${id}'` : candidates.set(id, to(candidate));
}

function withState(candidate: Candidate, state: CandidateState): Candidate {
  const { id, type, text, scope, confidence, evidence, createdAt, expiresAt, origin, demotes } = candidate;
  return { id, type, text, scope, confidence, evidence, createdAt, expiresAt, origin, demotes, ...state };
}
