import type {
  BehaviorDirective,
  ContractChange,
  ContractScope,
  DirectiveCheck,
  MessageLine,
} from "../../../base/words/contract.ts";
import { allDirectives, type Captured, type ContractState, capturedFrom } from "../contract-state.ts";
import { parseCheck } from "../directive-check.ts";
import { isOver, isoTime, readTime } from "../iso-time.ts";
import { DIRECTIVE_TYPES } from "../parse/keywords.ts";
import { type NormalDirective, normaliseDirective } from "../parse/normalise-directive.ts";
import { isScope } from "../scopes.ts";
import type { ChangeContext, ChangeRequest, DirectiveDraft, Refusal, Step } from "./change-request.ts";
import { listCommand, replaceCommand, undoCommand } from "./next-commands.ts";
import { placeDirective, warnSaid } from "./place-directive.ts";
import { badCheck, badScope, badText, badTime, badType, refuse } from "./refusals.ts";

type Request<K extends ChangeRequest["kind"]> = Extract<ChangeRequest, { readonly kind: K }>;

/** A draft that is well formed. */
type Sound = {
  readonly scope: ContractScope;
  readonly normal: NormalDirective;
  readonly expiresAt?: string;
  readonly check?: DirectiveCheck;
};

export function decideAdd(state: ContractState, request: Request<"add">, context: ChangeContext): Step {
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
    return {
      kind: "accepted",
      outcome: placement.how,
      changes: [{ kind: "directive-repeated", ...said }],
      scope,
      directive: placement.by,
      warnings: warnSaid(placement.by, placement.how, expiresAt),
      next: placement.how === "absorbed" ? [replaceCommand(placement.by, directive)] : [listCommand],
    };
  }
  const { absorbed, warnings } = placement;
  const added = { ...directive, ...(message === undefined ? {} : { message }) };
  return {
    kind: "accepted",
    outcome: "added",
    changes: [{ kind: "directive-added", directive: added, absorbed }],
    scope: added.scope,
    directive: added,
    warnings,
    next: [undoCommand, listCommand],
  };
}

export function decideRemove(state: ContractState, { id, reason }: Request<"remove">): Step {
  const directive = findDirective(state, id);
  if ("code" in directive) return directive;
  return {
    kind: "accepted",
    outcome: "removed",
    changes: [{ kind: "directive-removed", directive, reason }],
    scope: directive.scope,
    directive,
    warnings: [],
    next: [undoCommand, listCommand],
  };
}

export function decideReplace(state: ContractState, request: Request<"replace">, context: ChangeContext): Step {
  const old = findDirective(state, request.id);
  if ("code" in old) return old;
  const sound = readDraft({ ...request, scope: request.scope ?? old.scope }, context);
  if ("code" in sound) return sound;
  const directive = buildDirective(state, request, sound, context);
  const others = allDirectives(state).filter(({ id }) => id !== old.id);
  const placement = placeDirective(others, directive, context, [old]);
  if (placement.kind === "refused") return placement;
  const { type, text, scope } = directive;
  const shared = { kind: "accepted", scope, next: [undoCommand, listCommand] } as const;
  if (isSame(old, directive)) {
    const changes: readonly ContractChange[] = [{ kind: "directive-repeated", of: old.id, type, text, scope }];
    return { ...shared, outcome: "repeated", changes, directive: old, warnings: [] };
  }
  if (placement.kind === "said") {
    const reason = `'${placement.by.id}' says it already`;
    const changes: readonly ContractChange[] = [{ kind: "directive-removed", directive: old, reason }];
    const warnings = warnSaid(placement.by, placement.how, directive.expiresAt);
    return { ...shared, outcome: "replaced", changes, directive: placement.by, warnings };
  }
  const { absorbed, warnings } = placement;
  const changes: readonly ContractChange[] = [{ kind: "directive-replaced", removed: old, directive, absorbed }];
  return { ...shared, outcome: "replaced", changes, directive, warnings };
}

export function readDraft(draft: DirectiveDraft, { now, keywords }: ChangeContext): Sound | Refusal {
  const scope = draft.scope ?? "global";
  if (!DIRECTIVE_TYPES.includes(draft.type)) return badType(draft.type);
  if (!isScope(scope)) return badScope(scope);
  const expiresAt = draft.expiresAt === undefined ? undefined : readTime(draft.expiresAt);
  if (draft.expiresAt !== undefined && (expiresAt === undefined || isOver(expiresAt, now))) {
    return badTime("expiry", draft.expiresAt);
  }
  const normal = normaliseDirective(draft.text, keywords);
  if ("refused" in normal) return badText(normal.refused);
  const check = draft.check === undefined ? undefined : parseCheck(draft.check);
  if (check !== undefined && "wrong" in check) return badCheck(check.wrong);
  return {
    ...{ scope, normal },
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(check === undefined ? {} : { check }),
  };
}

function buildDirective(
  state: ContractState,
  { type }: DirectiveDraft,
  { scope, normal, expiresAt, check }: Sound,
  { ids, now }: ChangeContext,
): BehaviorDirective {
  const directive = { id: ids.next("d"), type, text: normal.text, source: "operator", scope } as const;
  return {
    ...directive,
    createdAt: nextCreation(state, now),
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(check === undefined ? {} : { check }),
  };
}

/** A millisecond after the newest where the clock gives the same or steps back a little: they are told in the order given. */
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

/** Nothing is written: the message was taken when it first came, whatever became of its directive since. */
function deliveredAgain(state: ContractState, { directive: id }: Captured, scope: ContractScope): Step {
  const directive = allDirectives(state).find((one) => one.id === id);
  const found = directive === undefined ? {} : { directive };
  return { kind: "accepted", outcome: "repeated", changes: [], scope, ...found, warnings: [], next: [listCommand] };
}

function isSame(a: BehaviorDirective, b: BehaviorDirective): boolean {
  const same = a.type === b.type && a.text === b.text && a.scope === b.scope && a.expiresAt === b.expiresAt;
  return same && JSON.stringify(a.check) === JSON.stringify(b.check);
}
