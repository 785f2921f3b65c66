import type { BehaviorDirective, DirectiveType } from "../../base/words/contract.ts";
import { comparisonKey, soundsLike } from "./parse/comparison-key.ts";
import { covers, meet } from "./scopes.ts";

/** `conflict`: both cannot be followed. `absorbs`: the first includes the second. `warns`: a person should look. */
type Relation = {
  readonly pair: readonly [DirectiveType, DirectiveType];
  readonly is: "conflict" | "absorbs" | "warns";
  readonly why: string;
};

/** Every pair of types. */
const RELATIONS: readonly Relation[] = [
  { pair: ["keep", "stop"], is: "conflict", why: "one says to keep it, the other to stop it" },
  { pair: ["start", "stop"], is: "conflict", why: "one says to start it, the other to stop it" },
  { pair: ["more", "stop"], is: "conflict", why: "one asks for more of it, the other to stop it" },
  { pair: ["more", "less"], is: "conflict", why: "one asks for more of it, the other for less" },
  { pair: ["start", "less"], is: "conflict", why: "one says to start it, the other asks for less of it" },
  { pair: ["stop", "less"], is: "absorbs", why: "stopping it includes doing less of it" },
  { pair: ["keep", "less"], is: "warns", why: "one says to keep it, the other asks for less of it" },
  { pair: ["keep", "more"], is: "warns", why: "one says to keep it, the other asks for more of it" },
  { pair: ["keep", "start"], is: "warns", why: "one says to start it, the other to keep it" },
  { pair: ["more", "start"], is: "warns", why: "one says to start it, the other asks for more of it" },
];
type Stated = Pick<BehaviorDirective, "type" | "text" | "scope" | "expiresAt">;

/** How a directive relates to another. `suspect`: different words that may say the opposite. */
export type Meeting = {
  readonly kind: "repeats" | "absorbed" | "absorbs" | "conflict" | "warns" | "suspect";
  readonly other: BehaviorDirective;
  readonly why: string;
};

/** Compares a directive with those that can be in one block with it. */
export function findMeetings(incoming: Stated, others: readonly BehaviorDirective[]): readonly Meeting[] {
  const key = comparisonKey(incoming.text);
  return others.flatMap((other): readonly Meeting[] => {
    if (!meet(incoming.scope, other.scope)) return [];
    if (comparisonKey(other.text) === key) return meetingsOn(incoming, other);
    if (isUp(incoming.type) === isUp(other.type) || !soundsLike(incoming.text, other.text)) return [];
    return [{ kind: "suspect", other, why: "they may be about the same thing in different words" }];
  });
}

function meetingsOn(incoming: Stated, other: BehaviorDirective): readonly Meeting[] {
  if (incoming.type === other.type) {
    const said = incoming.scope === other.scope || outlasts(other, incoming);
    return said ? [{ kind: "repeats", other, why: "it says the same" }] : [];
  }
  const { is, why, pair } = relationOf(incoming.type, other.type);
  if (is !== "absorbs") return [{ kind: is, other, why }];
  const [strong, weak] = incoming.type === pair[0] ? [incoming, other] : [other, incoming];
  // The weaker one still counts where or when the stronger one does not.
  if (!outlasts(strong, weak)) return [{ kind: "warns", other, why }];
  return [{ kind: strong === incoming ? "absorbs" : "absorbed", other, why }];
}

function relationOf(a: DirectiveType, b: DirectiveType): Relation {
  const found = RELATIONS.find(({ pair }) => pair.includes(a) && pair.includes(b));
  return found ?? { pair: [a, b], is: "conflict", why: "these two types cannot be combined" };
}

/** True if `a` is in force wherever and as long as `b` is. */
function outlasts(a: Stated, b: Stated): boolean {
  return (
    covers(a.scope, b.scope) && (a.expiresAt === undefined || (b.expiresAt !== undefined && a.expiresAt >= b.expiresAt))
  );
}

function isUp(type: DirectiveType): boolean {
  return type === "keep" || type === "more" || type === "start";
}

/** Pairs of directives in one list that cannot both be followed. */
export function conflictsAmong(
  directives: readonly BehaviorDirective[],
): readonly { readonly a: BehaviorDirective; readonly b: BehaviorDirective; readonly why: string }[] {
  const byKey = Map.groupBy(directives, ({ text }) => comparisonKey(text));
  return [...byKey.values()].flatMap((same) =>
    same.flatMap((a, at) =>
      same.slice(at + 1).flatMap((b) => {
        if (a.type === b.type || !meet(a.scope, b.scope)) return [];
        const { is, why } = relationOf(a.type, b.type);
        return is === "conflict" ? [{ a, b, why }] : [];
      }),
    ),
  );
}

/** Directives that repeat an earlier one of the same scope, type and text. */
export function repeatsAmong(
  directives: readonly BehaviorDirective[],
): readonly { readonly directive: BehaviorDirective; readonly sameAs: string }[] {
  const first = new Map<string, BehaviorDirective>();
  return directives.flatMap((directive) => {
    const same = `${directive.scope} ${directive.type} ${comparisonKey(directive.text)}`;
    const before = first.get(same);
    if (before === undefined) first.set(same, directive);
    return before === undefined ? [] : [{ directive, sameAs: before.id }];
  });
}
