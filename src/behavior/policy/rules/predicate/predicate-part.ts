import { nearest } from "../../../../base/kernel/nearest.ts";
import type { Expression, PredicateFault } from "./predicate-expression.ts";
import type { Pattern } from "./predicate-pattern.ts";
import type { Kind, Run } from "./predicate-values.ts";

/** Part of a predicate, ready to run, with what is known of it at load. */
export type Compiled = {
  readonly run: Run;
  readonly kind: Kind;
  /** The kind of the items, where it is a list. */
  readonly items: Kind;
  /** Whole numbers, or a list of them, by the way it is written (a literal, a size, a turn): such divide as CEL's int. */
  readonly whole: boolean;
  /** How many parts it has: what one more run of it costs. */
  readonly parts: number;
};

/** What is collected while a predicate is compiled. */
export type Scope = {
  readonly faults: PredicateFault[];
  readonly files: Set<string>;
  readonly args: Set<string>;
  readonly patterns: Set<string>;
  /** Further names, each read from the arguments: for what is no call. */
  readonly names: { readonly [name: string]: Kind };
  /** The variable of the comprehension that we are in. */
  readonly item?: { readonly name: string; readonly kind: Kind; readonly whole: boolean };
  /** Matches in linear time, or says why it cannot. */
  pattern(source: string): Pattern | Omit<PredicateFault, "column">;
};

/** The names that a predicate knows. */
export const NAMES: readonly string[] = ["args", "tool", "actions", "session"];

export type Of<K extends Expression["kind"]> = Extract<Expression, { readonly kind: K }>;

export function compiled(
  kind: Kind,
  run: Run,
  of: readonly Compiled[],
  { items = "any", whole = false }: Partial<Pick<Compiled, "items" | "whole">> = {},
): Compiled {
  return { kind, run, items, whole, parts: of.reduce((sum, { parts }) => sum + parts, 1) };
}

/** Notes a fault; what it returns fits everywhere, so that the rest is still checked. */
export function fault(scope: Scope, { at }: Expression, what: Omit<PredicateFault, "column">): Compiled {
  scope.faults.push({ ...what, column: at + 1 });
  return compiled("any", () => undefined, []);
}

export function fits(kind: Kind, ...wanted: readonly Kind[]): boolean {
  return kind === "any" || wanted.includes(kind) || wanted.includes("any");
}

/** For people. */
export function aKind(kind: Kind): string {
  return kind === "any" ? "any value" : `a ${kind}`;
}

export function didYouMean(written: string, candidates: Iterable<string>, otherwise: string): string {
  const meant = nearest(written, candidates);
  return meant === undefined ? otherwise : `did you mean '${meant}'?`;
}

/** Notes a fault when `of` is known to be of another kind. */
export function expectKind(of: Compiled, kind: Kind, operator: string, at: Expression, scope: Scope): Compiled {
  if (!fits(of.kind, kind)) fault(scope, at, { message: `'${operator}' takes ${aKind(kind)}, not ${aKind(of.kind)}` });
  return of;
}
