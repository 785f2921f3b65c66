import type { BehaviorDirective } from "../../../base/words/contract.ts";
import { findMeetings, type Meeting } from "../conflicts.ts";
import { CONTRACT_LIMITS, overCap } from "../contract-limits.ts";
import { writeDirective } from "../parse/directive-form.ts";
import type { ChangeContext, ContractWarning, Refusal } from "./change-request.ts";
import { listCommand, removeCommand, replaceCommand } from "./next-commands.ts";
import { refuse } from "./refusals.ts";

/** What a directive would do to the contract. `said`: the one in force that says it, or more, already. */
type Placement =
  | {
      readonly kind: "placed";
      readonly absorbed: readonly BehaviorDirective[];
      readonly warnings: readonly ContractWarning[];
    }
  | { readonly kind: "said"; readonly by: BehaviorDirective; readonly how: "repeated" | "absorbed" }
  | Refusal;

/** Where a directive would stand among the others; `gone`: what makes room for it in the same change. */
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

/** What to say when nothing was added because it is said already. */
export function warnSaid(
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
