import type { BehaviorDirective, ContractScope } from "../../../base/words/contract.ts";
import { conflictsAmong, repeatsAmong } from "../conflicts.ts";
import { CONTRACT_LIMITS, overCap } from "../contract-limits.ts";
import { allDirectives, type ContractState, type Undoable } from "../contract-state.ts";
import { isOver } from "../iso-time.ts";
import { writeDirective } from "../parse/directive-form.ts";
import { isScope } from "../scopes.ts";
import type { ChangeContext, ChangeRequest, ContractWarning, Step } from "./change-request.ts";
import { addCommand, listCommand, removeCommand } from "./next-commands.ts";
import { refuseFull } from "./place-directive.ts";
import { badScope, refuse } from "./refusals.ts";

/** The stored contract, checked again. What says the same twice goes, by name; anything else that is wrong is refused. */
export function decideApply(state: ContractState, context: ChangeContext): Step {
  const all = allDirectives(state);
  const dropped = repeatsAmong(all);
  const left = all.filter((one) => !dropped.some(({ directive }) => directive === one));
  const refused = refuseConflicts(left) ?? refuseOverCap([], left, context);
  if (refused !== undefined) return refused;
  return {
    kind: "accepted",
    outcome: "applied",
    changes: [{ kind: "contract-applied", dropped }],
    scope: "global",
    warnings: [],
    next: [listCommand],
  };
}

/** Takes back the newest change that still shows; done again, the one before it. */
export function decideUndo(
  state: ContractState,
  { scope }: Extract<ChangeRequest, { readonly kind: "undo" }>,
  context: ChangeContext,
): Step {
  if (scope !== undefined && !isScope(scope)) return badScope(scope);
  const all = allDirectives(state);
  const found = state.undoable
    .filter((entry) => scope === undefined || touches(entry, scope))
    .map((entry) => ({ entry, ...inverse(entry, all, context.now) }))
    .findLast(({ dropped, restored }) => dropped.length + restored.length > 0);
  if (found === undefined) {
    const where = scope === undefined ? "" : ` in ${scope}`;
    return refuse("NOTHING_TO_UNDO", `No change${where} is left that can be taken back.`, "Look at the history.", [
      listCommand,
    ]);
  }
  const { entry, dropped, restored, over } = found;
  const after = [...all.filter((one) => !dropped.includes(one)), ...restored];
  const refused = refuseConflicts(after, all) ?? refuseOverCap(all, after, context);
  if (refused !== undefined) return refused;
  return {
    kind: "accepted",
    outcome: "undone",
    changes: [{ kind: "contract-undone", undoes: entry.seq, dropped, restored }],
    scope: [...restored, ...dropped][0]?.scope ?? "global",
    warnings: over.map(notRestored),
    next: [...dropped.slice(0, 3).map(addCommand), ...restored.slice(0, 3).map(removeCommand), listCommand],
  };
}

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

function touches({ added, removed }: Undoable, scope: ContractScope): boolean {
  return [...added, ...removed].some((directive) => directive.scope === scope);
}

function notRestored(directive: BehaviorDirective): ContractWarning {
  const message = `'${writeDirective(directive)}' was not put back: it expired at ${directive.expiresAt}.`;
  return { code: "not-restored", other: directive.id, message };
}

/** Those that were there before are no reason against a change. */
function refuseConflicts(after: readonly BehaviorDirective[], before: readonly BehaviorDirective[] = []) {
  const old = new Set(before);
  const conflicts = conflictsAmong(after).filter(({ a, b }) => !old.has(a) || !old.has(b));
  if (conflicts.length === 0) return undefined;
  const named = conflicts.map(
    ({ a, b, why }) => `'${writeDirective(a)}' (${a.id}) and '${writeDirective(b)}' (${b.id}): ${why}`,
  );
  const next = conflicts
    .slice(0, 3)
    .flatMap(({ a, b }) => [a, b].filter((one) => old.size === 0 || old.has(one)).map(removeCommand));
  return refuse(
    "BEHAVIOR_CONFLICT",
    `These go against each other: ${named.join("; ")}.`,
    "Remove one of each pair.",
    next,
  );
}

function refuseOverCap(
  before: readonly BehaviorDirective[],
  after: readonly BehaviorDirective[],
  { limits = CONTRACT_LIMITS, counter }: ChangeContext,
) {
  const full = overCap(before, after, limits, counter);
  return full === undefined ? undefined : refuseFull(full, after);
}
