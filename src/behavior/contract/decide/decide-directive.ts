import type { BehaviorDirective, ContractScope, DirectiveCheck, MessageLine } from "../../../base/words/contract.ts";
import { findMeetings, type Meeting } from "../conflicts.ts";
import { CONTRACT_LIMITS, overCap } from "../contract-limits.ts";
import { allDirectives, type Captured, type ContractState, capturedFrom } from "../contract-state.ts";
import { parseCheck } from "../directive-check.ts";
import { isOver, isoTime, readTime } from "../iso-time.ts";
import { writeDirective } from "../parse/directive-form.ts";
import { DIRECTIVE_TYPES } from "../parse/keywords.ts";
import { type NormalDirective, normaliseDirective } from "../parse/normalise-directive.ts";
import { isScope } from "../scopes.ts";
import type { Accepted, ChangeContext, ContractWarning, DirectiveDraft, Refusal, Request } from "./change-request.ts";
import {
  accept,
  badCheck,
  badScope,
  badTime,
  listCommand,
  refuse,
  removeCommand,
  replaceCommand,
  undoCommand,
} from "./steps.ts";

/** A validated draft. */
type Sound = {
  readonly scope: ContractScope;
  readonly normal: NormalDirective;
  readonly expiresAt?: string;
  readonly check?: DirectiveCheck;
};

export function decideAdd(state: ContractState, request: Request<"add">, context: ChangeContext): Accepted | Refusal {
  const sound = readDraft(request, context);
  if ("code" in sound) return sound;
  const before = request.message === undefined ? [] : capturedFrom(state, context.by, request.message.id);
  const again = before.find(({ type, key }) => type === request.type && key === sound.normal.key);
  if (again !== undefined) return deliveredAgain(state, again, sound.scope);
  const directive = buildDirective(state, request, sound, context);
  const placement = placeDirective(allDirectives(state), directive, context);
  if (placement.kind === "refused") return placement;
  const message = lineOf(request.message, before);
  if (placement.kind === "said") {
    const { type, text, scope, expiresAt } = directive;
    const said = { of: placement.by.id, type, text, scope, message };
    return accept(placement.how, scope, [{ kind: "directive-repeated", ...said }], {
      directive: placement.by,
      warnings: warnSaid(placement.by, placement.how, expiresAt),
      next: placement.how === "absorbed" ? [replaceCommand(placement.by, directive)] : [listCommand],
    });
  }
  const { absorbed, warnings } = placement;
  const added = { ...directive, message };
  const change = { kind: "directive-added", directive: added, absorbed } as const;
  return accept("added", added.scope, [change], { directive: added, warnings, next: [undoCommand, listCommand] });
}

export function decideRemove(state: ContractState, { id, reason }: Request<"remove">): Accepted | Refusal {
  const directive = findDirective(state, id);
  if ("code" in directive) return directive;
  const change = { kind: "directive-removed", directive, reason } as const;
  return accept("removed", directive.scope, [change], { directive, next: [undoCommand, listCommand] });
}

export function decideReplace(
  state: ContractState,
  request: Request<"replace">,
  context: ChangeContext,
): Accepted | Refusal {
  const old = findDirective(state, request.id);
  if ("code" in old) return old;
  const sound = readDraft({ ...request, scope: request.scope ?? old.scope }, context);
  if ("code" in sound) return sound;
  const directive = buildDirective(state, request, sound, context);
  const others = allDirectives(state).filter(({ id }) => id !== old.id);
  const placement = placeDirective(others, directive, context, [old]);
  if (placement.kind === "refused") return placement;
  const { type, text, scope } = directive;
  const next = [undoCommand, listCommand];
  if (isSame(old, directive)) {
    const change = { kind: "directive-repeated", of: old.id, type, text, scope } as const;
    return accept("repeated", scope, [change], { directive: old, next });
  }
  if (placement.kind === "said") {
    const { by, how } = placement;
    const change = { kind: "directive-removed", directive: old, reason: `'${by.id}' says it already` } as const;
    const warnings = warnSaid(by, how, directive.expiresAt);
    return accept("replaced", scope, [change], { directive: by, warnings, next });
  }
  const { absorbed, warnings } = placement;
  const change = { kind: "directive-replaced", removed: old, directive, absorbed } as const;
  return accept("replaced", scope, [change], { directive, warnings, next });
}

export function readDraft(draft: DirectiveDraft, { now }: ChangeContext): Sound | Refusal {
  const scope = draft.scope ?? "global";
  if (!DIRECTIVE_TYPES.includes(draft.type)) {
    const message = `'${draft.type.slice(0, 40).toWellFormed()}' is no type of directive.`;
    return refuse("INVALID_DIRECTIVE_TEXT", message, "Give keep, more, less, stop or start.");
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
  { scope, normal, expiresAt, check }: Sound,
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
    return refuse("MISSING_DIRECTIVE_ID", "No directive is named.", "Give its id, as the list has it.", [listCommand]);
  }
  const found = allDirectives(state).find((directive) => directive.id === id);
  if (found !== undefined) return found;
  const message = `No directive in force has the id '${id.slice(0, 80).toWellFormed()}'.`;
  return refuse("DIRECTIVE_NOT_FOUND", message, "Take an id from the list.", [listCommand]);
}

function lineOf(
  message: Pick<MessageLine, "id" | "line"> | undefined,
  before: readonly Captured[],
): MessageLine | undefined {
  if (message === undefined) return undefined;
  const first = before.find(({ line }) => line === message.line)?.directive;
  return { id: message.id, line: message.line, first };
}

/** The message was recorded when it first came, so nothing is written. */
function deliveredAgain(state: ContractState, { directive: id }: Captured, scope: ContractScope): Accepted | Refusal {
  const directive = allDirectives(state).find((one) => one.id === id);
  return accept("repeated", scope, [], { directive, next: [listCommand] });
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
    const message = `'${writeDirective(by)}' says more already; to soften it, replace it.`;
    return [{ code: "absorbed", other: by.id, message }];
  }
  if (by.expiresAt === expiresAt) return [];
  const message = `It is in force already, ${by.expiresAt === undefined ? "without an end" : `until ${by.expiresAt}`}; to change that, replace it.`;
  return [{ code: "expiry-kept", other: by.id, message }];
}

function warningsOf(directive: BehaviorDirective, meetings: readonly Meeting[]): readonly ContractWarning[] {
  return meetings.flatMap(({ kind, other, why }): readonly ContractWarning[] => {
    const both = `'${writeDirective(other)}' (${other.id})`;
    if (kind === "absorbs")
      return [{ code: "absorbed", other: other.id, message: `It takes the place of ${both}: ${why}.` }];
    if (kind === "warns") return [{ code: "related", other: other.id, message: `${both} is in force too: ${why}.` }];
    if (kind !== "suspect") return [];
    const message = `'${writeDirective(directive)}' may go against ${both}: ${why}. Both are in force; remove one if so.`;
    return [{ code: "suspect", other: other.id, message }];
  });
}

function refuseConflict(directive: BehaviorDirective, conflicts: readonly Meeting[]): Refusal {
  const named = conflicts.map(({ other, why }) => `'${writeDirective(other)}' (${other.id}, ${other.scope}): ${why}`);
  const message = `'${writeDirective(directive)}' goes against ${named.join("; and ")}.`;
  const [first, ...more] = conflicts.map(({ other }) => other);
  const fix = "If you have changed your mind, replace the old one; else leave this one out.";
  const next = [
    ...more.map(removeCommand),
    ...(first === undefined ? [] : [replaceCommand(first, directive), removeCommand(first)]),
  ];
  return { ...refuse("BEHAVIOR_CONFLICT", message, fix, next), against: conflicts.map(({ other }) => other.id) };
}

export function refuseFull(message: string, others: readonly BehaviorDirective[]): Refusal {
  const fix = "Nothing is dropped by itself: remove or merge some first.";
  return refuse("BEHAVIOR_CONTRACT_CAP", message, fix, [listCommand, ...others.slice(0, 3).map(removeCommand)]);
}
