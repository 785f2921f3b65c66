import type { BehaviorDirective, ContractScope, DirectiveType } from "../../base/words/contract.ts";
import { comparisonKey } from "./parse/comparison-key.ts";
import { soundsLike } from "./parse/sounds-like.ts";
import { covers, meet } from "./scopes.ts";

/**
 * What two directives on the same thing are to each other. `conflict`: both cannot be done. `absorbs`: the stronger says
 * all that the other does. `warns`: they can be read together, though a person should look.
 */
type Relation = { readonly pair: readonly [DirectiveType, DirectiveType]; readonly is: Kind; readonly why: string };
type Kind = "conflict" | "absorbs" | "warns";

/** Every pair of types there is. Of an `absorbs` the first is the stronger. */
const RELATIONS: readonly Relation[] = [
  { pair: ["keep", "stop"], is: "conflict", why: "what is to be kept cannot be stopped" },
  { pair: ["start", "stop"], is: "conflict", why: "what is to be started cannot be stopped" },
  { pair: ["more", "stop"], is: "conflict", why: "there cannot be more of what is to be stopped" },
  { pair: ["more", "less"], is: "conflict", why: "there cannot be more and less of the same" },
  { pair: ["start", "less"], is: "conflict", why: "what is to be started is not to become less" },
  { pair: ["stop", "less"], is: "absorbs", why: "what is stopped is not done less, it is not done" },
  { pair: ["keep", "less"], is: "warns", why: "it stays, and there should be less of it" },
  { pair: ["keep", "more"], is: "warns", why: "it stays, and there should be more of it" },
  { pair: ["keep", "start"], is: "warns", why: "what is to be started is there to be kept already" },
  { pair: ["more", "start"], is: "warns", why: "what is to be started is there to become more already" },
];

/** A directive that is in force or about to be. */
type Stated = Pick<BehaviorDirective, "type" | "text" | "scope" | "expiresAt">;

/** What an incoming directive meets. `suspect`: other words that may be about the same, in the opposite direction. */
export type Meeting = {
  readonly kind: "repeats" | "absorbed" | "absorbs" | "conflict" | "warns" | "suspect";
  readonly other: BehaviorDirective;
  readonly why: string;
};

/** How a directive stands to those that can be in one block with it. Nothing is decided here. */
export function findMeetings(incoming: Stated, others: readonly BehaviorDirective[]): readonly Meeting[] {
  const key = comparisonKey(incoming.text);
  return others.flatMap((other): readonly Meeting[] => {
    if (!meet(incoming.scope, other.scope)) return [];
    if (comparisonKey(other.text) === key) return meetingsOn(incoming, other);
    if (isUp(incoming.type) === isUp(other.type) || !soundsLike(incoming.text, other.text)) return [];
    return [{ kind: "suspect", other, why: "they may be about the same, in other words" }];
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
  // Where or when the stronger one does not hold, the other one still has its say.
  if (!outlasts(strong, weak)) return [{ kind: "warns", other, why }];
  return [{ kind: strong === incoming ? "absorbs" : "absorbed", other, why }];
}

function relationOf(a: DirectiveType, b: DirectiveType): Relation {
  const found = RELATIONS.find(({ pair }) => pair.includes(a) && pair.includes(b));
  // All pairs are in the table; were one missing, to refuse is the safe way.
  return found ?? { pair: [a, b], is: "conflict", why: "they are not known to go together" };
}

/** Holds wherever the other does, and as long. */
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

/** Where a directive of the same scope, type and key comes again, which one stays. */
export function repeatsAmong(
  directives: readonly BehaviorDirective[],
): readonly { readonly directive: BehaviorDirective; readonly sameAs: string }[] {
  const first = new Map<string, BehaviorDirective>();
  return directives.flatMap((directive) => {
    const same = sameName(directive);
    const before = first.get(same);
    if (before === undefined) first.set(same, directive);
    return before === undefined ? [] : [{ directive, sameAs: before.id }];
  });
}

function sameName({ scope, type, text }: { scope: ContractScope; type: DirectiveType; text: string }): string {
  return `${scope} ${type} ${comparisonKey(text)}`;
}
