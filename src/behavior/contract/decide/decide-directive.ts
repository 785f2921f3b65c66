import type { BehaviorDirective } from "../../../base/words/contract.ts";
import { CONTRACT_LIMITS, overCap } from "../active-contract.ts";
import { conflictsAmong, findMeetings, type Meeting, repeatsAmong } from "../conflicts.ts";
import { allDirectives, type ContractState, capturedFrom, type Undoable } from "../contract-state.ts";
import { parseCheck } from "../directive-check.ts";
import { isOver, isoTime, readTime } from "../iso-time.ts";
import { DIRECTIVE_TYPES, writeDirective } from "../parse/directive-form.ts";
import { normaliseDirective } from "../parse/normalise-directive.ts";
import { isScope } from "../scopes.ts";
import {
  accept,
  badCheck,
  badScope,
  badTime,
  type ChangeContext,
  type ContractWarning,
  commands,
  type Decide,
  type DirectiveDraft,
  type Refusal,
  refuse,
} from "./change-request.ts";

export const decideAdd: Decide<"add"> = (state, request, context) => {
  const sound = readDraft(request, context);
  if ("code" in sound) return sound;
  const before = request.message === undefined ? [] : capturedFrom(state, context.by, request.message.id);
  const again = before.find(({ type, key }) => type === request.type && key === sound.normal.key);
  if (again !== undefined) {
    // The message was recorded when it first came, so nothing is written.
    const directive = allDirectives(state).find(({ id }) => id === again.directive);
    return accept("repeated", sound.scope, [], { directive, next: [commands.list] });
  }
  const directive = buildDirective(state, request, sound, context);
  const placement = placeDirective(allDirectives(state), directive, context);
  if (placement.kind === "refused") return placement;
  const first = before.find(({ line }) => line === request.message?.line)?.directive;
  const message = request.message && { id: request.message.id, line: request.message.line, first };
  if (placement.kind === "said") {
    const { type, text, scope, expiresAt } = directive;
    const said = { of: placement.by.id, type, text, scope, message };
    return accept(placement.how, scope, [{ kind: "directive-repeated", ...said }], {
      directive: placement.by,
      warnings: warnSaid(placement.by, placement.how, expiresAt),
      next: placement.how === "absorbed" ? [commands.replace(placement.by, directive)] : [commands.list],
    });
  }
  const { absorbed, warnings } = placement;
  const added = { ...directive, message };
  const change = { kind: "directive-added", directive: added, absorbed } as const;
  return accept("added", added.scope, [change], { directive: added, warnings, next: [commands.undo, commands.list] });
};

export const decideRemove: Decide<"remove"> = (state, { id, reason }) => {
  const directive = findDirective(state, id);
  if ("code" in directive) return directive;
  const change = { kind: "directive-removed", directive, reason } as const;
  return accept("removed", directive.scope, [change], { directive, next: [commands.undo, commands.list] });
};

export const decideReplace: Decide<"replace"> = (state, request, context) => {
  const old = findDirective(state, request.id);
  if ("code" in old) return old;
  const sound = readDraft({ ...request, scope: request.scope ?? old.scope }, context);
  if ("code" in sound) return sound;
  const directive = buildDirective(state, request, sound, context);
  const others = allDirectives(state).filter(({ id }) => id !== old.id);
  const placement = placeDirective(others, directive, context, [old]);
  if (placement.kind === "refused") return placement;
  const { type, text, scope } = directive;
  const next = [commands.undo, commands.list];
  if (isSame(old, directive)) {
    const change = { kind: "directive-repeated", of: old.id, type, text, scope } as const;
    return accept("repeated", scope, [change], { directive: old, next });
  }
  if (placement.kind === "said") {
    const { by, how } = placement;
    const change = { kind: "directive-removed", directive: old, reason: `'${by.id}' already says it` } as const;
    const warnings = warnSaid(by, how, directive.expiresAt);
    return accept("replaced", scope, [change], { directive: by, warnings, next });
  }
  const { absorbed, warnings } = placement;
  const change = { kind: "directive-replaced", removed: old, directive, absorbed } as const;
  return accept("replaced", scope, [change], { directive, warnings, next });
};

/** A validated draft, or why it is refused. */
export function readDraft(draft: DirectiveDraft, { now }: ChangeContext) {
  const scope = draft.scope ?? "global";
  if (!DIRECTIVE_TYPES.includes(draft.type)) {
    const message = `'${draft.type.slice(0, 40).toWellFormed()}' is not a directive type.`;
    return refuse("INVALID_DIRECTIVE_TEXT", message, "Use keep, more, less, stop or start.");
  }
  if (!isScope(scope)) return badScope(scope);
  const expiresAt = draft.expiresAt === undefined ? undefined : readTime(draft.expiresAt);
  if (draft.expiresAt !== undefined && (expiresAt === undefined || isOver(expiresAt, now))) {
    return badTime("expiry", draft.expiresAt);
  }
  const normal = normaliseDirective(draft.text);
  if ("refused" in normal) return refuse("INVALID_DIRECTIVE_TEXT", normal.refused.message, normal.refused.fix);
  const check = draft.check === undefined ? undefined : parseCheck(draft.check);
  if (check !== undefined && "wrong" in check) return badCheck(check.wrong);
  return { scope, normal, expiresAt, check };
}

function buildDirective(
  state: ContractState,
  { type }: DirectiveDraft,
  { scope, normal, expiresAt, check }: Exclude<ReturnType<typeof readDraft>, Refusal>,
  { ids, now }: ChangeContext,
): BehaviorDirective {
  const [id, createdAt] = [ids.next("d"), nextCreation(state, now)];
  return { id, type, text: normal.text, source: "operator", scope, createdAt, expiresAt, check };
}

/** One millisecond after the newest if the clock stands still or steps back a little, so that the order is kept. */
export function nextCreation(state: ContractState, now: number): string {
  const newest = Date.parse(allDirectives(state).at(-1)?.createdAt ?? isoTime(0));
  return isoTime(newest >= now && newest < now + 1_000 ? newest + 1 : now);
}

export function findDirective(state: ContractState, id: string): BehaviorDirective | Refusal {
  if (id.trim() === "") {
    return refuse("MISSING_DIRECTIVE_ID", "The directive's id is missing.", "Copy the id from the list.", [
      commands.list,
    ]);
  }
  const found = allDirectives(state).find((directive) => directive.id === id);
  if (found !== undefined) return found;
  const message = `No directive in force has the id '${id.slice(0, 80).toWellFormed()}'.`;
  return refuse("DIRECTIVE_NOT_FOUND", message, "Copy the id from the list.", [commands.list]);
}

function isSame(a: BehaviorDirective, b: BehaviorDirective): boolean {
  const same = a.type === b.type && a.text === b.text && a.scope === b.scope && a.expiresAt === b.expiresAt;
  return same && JSON.stringify(a.check) === JSON.stringify(b.check);
}

/** The effect of a directive on the contract. `said`: a directive in force says the same, or more, already. */
type Placement =
  | {
      readonly kind: "placed";
      readonly absorbed: readonly BehaviorDirective[];
      readonly warnings: readonly ContractWarning[];
    }
  | { readonly kind: "said"; readonly by: BehaviorDirective; readonly how: "repeated" | "absorbed" }
  | Refusal;

/** Compares a directive with the others. `gone`: directives that the same change removes. */
export function placeDirective(
  others: readonly BehaviorDirective[],
  directive: BehaviorDirective,
  context: ChangeContext,
  gone: readonly BehaviorDirective[] = [],
): Placement {
  const meetings = findMeetings(directive, others);
  const of = (kind: Meeting["kind"]) => meetings.filter((meeting) => meeting.kind === kind);
  const [said] = [...of("repeats"), ...of("absorbed")];
  if (said !== undefined) {
    return { kind: "said", by: said.other, how: said.kind === "repeats" ? "repeated" : "absorbed" };
  }
  const conflicts = of("conflict");
  if (conflicts.length > 0) return refuseConflict(directive, conflicts);
  const absorbed = of("absorbs").map(({ other }) => other);
  const left = others.filter((other) => !absorbed.includes(other));
  const full = overCap([...others, ...gone], [...left, directive], context.limits ?? CONTRACT_LIMITS, context.counter);
  if (full !== undefined) return refuseFull(full, others);
  return { kind: "placed", absorbed, warnings: warningsOf(directive, meetings) };
}

function warnSaid(
  by: BehaviorDirective,
  how: "repeated" | "absorbed",
  expiresAt: string | undefined,
): readonly ContractWarning[] {
  if (how === "absorbed") {
    const message = `'${writeDirective(by)}' already covers this. To soften it, replace it.`;
    return [{ code: "absorbed", other: by.id, message }];
  }
  if (by.expiresAt === expiresAt) return [];
  const message = `It is already in force ${by.expiresAt === undefined ? "without an expiry" : `until ${by.expiresAt}`}. To change that, replace it.`;
  return [{ code: "expiry-kept", other: by.id, message }];
}

/** Words that name an end. They are never read as a time: a wrong guess would end a directive unseen. */
const NAMES_AN_END =
  /\b(?:until|till)\s+\S|\bfor (?:now|today|tonight)\b|\b(?:for )?(?:this|(?:for )(?:the next|the rest of the|an?|\d+|one|two|three)) (?:\w+ ){0,2}(?:minute|hour|day|week|month|sprint)s?\b/i;

function endlessWarning(directive: BehaviorDirective): readonly ContractWarning[] {
  if (directive.expiresAt !== undefined || !NAMES_AN_END.test(directive.text)) return [];
  const { command } = commands.replace(directive, directive);
  const message = `The directive names an end but sets no expiry. It stays in force until it is removed. To set one: ${command} --expires=7d`;
  return [{ code: "no-end", other: directive.id, message }];
}

function warningsOf(directive: BehaviorDirective, meetings: readonly Meeting[]): readonly ContractWarning[] {
  const related = meetings.flatMap(({ kind, other, why }): readonly ContractWarning[] => {
    const both = `'${writeDirective(other)}' (${other.id})`;
    if (kind === "absorbs") return [{ code: "absorbed", other: other.id, message: `It replaces ${both}: ${why}.` }];
    if (kind === "warns") return [{ code: "related", other: other.id, message: `${both} is also in force: ${why}.` }];
    if (kind !== "suspect") return [];
    const message = `'${writeDirective(directive)}' may conflict with ${both}: ${why}. Both are in force. Remove one if they conflict.`;
    return [{ code: "suspect", other: other.id, message }];
  });
  return [...related, ...endlessWarning(directive)];
}

function refuseConflict(directive: BehaviorDirective, conflicts: readonly Meeting[]): Refusal {
  const named = conflicts.map(({ other, why }) => `'${writeDirective(other)}' (${other.id}, ${other.scope}): ${why}`);
  const message = `'${writeDirective(directive)}' conflicts with ${named.join("; and ")}.`;
  const [first, ...more] = conflicts.map(({ other }) => other);
  const fix = "If you changed your mind, replace the old directive. Otherwise skip this one.";
  const next = [
    ...more.map(commands.remove),
    ...(first === undefined ? [] : [commands.replace(first, directive), commands.remove(first)]),
  ];
  return { ...refuse("BEHAVIOR_CONFLICT", message, fix, next), against: conflicts.map(({ other }) => other.id) };
}

function refuseFull(message: string, others: readonly BehaviorDirective[]): Refusal {
  const fix = "Nothing is removed automatically. Remove or merge some directives first.";
  return refuse("BEHAVIOR_CONTRACT_CAP", message, fix, [commands.list, ...others.slice(0, 3).map(commands.remove)]);
}

/** Validates the stored contract again. Duplicates are dropped; any other fault is refused. */
export const decideApply: Decide<"apply"> = (state, _request, context) => {
  const all = allDirectives(state);
  const dropped = repeatsAmong(all);
  const left = all.filter((one) => !dropped.some(({ directive }) => directive === one));
  const refused = refuseConflicts(left) ?? refuseOverCap([], left, context);
  if (refused !== undefined) return refused;
  return accept("applied", "global", [{ kind: "contract-applied", dropped }], { next: [commands.list] });
};

/** Takes back the newest change that still has an effect; repeated, the one before it. */
export const decideUndo: Decide<"undo"> = (state, { scope }, context) => {
  if (scope !== undefined && !isScope(scope)) return badScope(scope);
  const all = allDirectives(state);
  const found = state.undoable
    .filter(({ added, removed }) => scope === undefined || [...added, ...removed].some((one) => one.scope === scope))
    .map((entry) => ({ entry, ...inverse(entry, all, context.now) }))
    .findLast(({ dropped, restored }) => dropped.length + restored.length > 0);
  if (found === undefined) {
    const message = `No change${scope === undefined ? "" : ` in ${scope}`} is left to undo.`;
    return refuse("NOTHING_TO_UNDO", message, "Check the history.", [commands.list]);
  }
  const { entry, dropped, restored, over } = found;
  const after = [...all.filter((one) => !dropped.includes(one)), ...restored];
  const refused = refuseConflicts(after, all) ?? refuseOverCap(all, after, context);
  if (refused !== undefined) return refused;
  const change = { kind: "contract-undone", undoes: entry.seq, dropped, restored } as const;
  return accept("undone", [...restored, ...dropped][0]?.scope ?? "global", [change], {
    warnings: over.map(notRestored),
    next: [...dropped.slice(0, 3).map(commands.add), ...restored.slice(0, 3).map(commands.remove), commands.list],
  });
};

function inverse(entry: Undoable, all: readonly BehaviorDirective[], now: number) {
  const ids = new Set(all.map(({ id }) => id));
  const added = new Set(entry.added.map(({ id }) => id));
  const gone = entry.removed.filter(({ id }) => !ids.has(id));
  return {
    dropped: all.filter(({ id }) => added.has(id)),
    restored: gone.filter(({ expiresAt }) => !isOver(expiresAt, now)),
    over: gone.filter(({ expiresAt }) => isOver(expiresAt, now)),
  };
}

function notRestored(directive: BehaviorDirective): ContractWarning {
  const message = `'${writeDirective(directive)}' was not restored because it expired at ${directive.expiresAt}.`;
  return { code: "not-restored", other: directive.id, message };
}

/** Conflicts that existed before the change do not count. */
function refuseConflicts(after: readonly BehaviorDirective[], before: readonly BehaviorDirective[] = []) {
  const old = new Set(before);
  const conflicts = conflictsAmong(after).filter(({ a, b }) => !old.has(a) || !old.has(b));
  if (conflicts.length === 0) return undefined;
  const named = conflicts.map(
    ({ a, b, why }) => `'${writeDirective(a)}' (${a.id}) and '${writeDirective(b)}' (${b.id}): ${why}`,
  );
  const next = conflicts
    .slice(0, 3)
    .flatMap(({ a, b }) => [a, b].filter((one) => old.size === 0 || old.has(one)).map(commands.remove));
  const message = `These directives conflict: ${named.join("; ")}.`;
  return refuse("BEHAVIOR_CONFLICT", message, "Remove one of each pair.", next);
}

function refuseOverCap(
  before: readonly BehaviorDirective[],
  after: readonly BehaviorDirective[],
  { limits = CONTRACT_LIMITS, counter }: ChangeContext,
) {
  const full = overCap(before, after, limits, counter);
  return full === undefined ? undefined : refuseFull(full, after);
}
