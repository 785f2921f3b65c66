import { nearest } from "../../../../base/kernel/nearest.ts";
import type { Kind, Run } from "./predicate-values.ts";

/** A compiled part of a predicate, with its static types. */
export type Compiled = {
  readonly run: Run;
  readonly kind: Kind;
  /** The kind of a list's items. */
  readonly items: Kind;
  /** Whole numbers (a literal, a size, a turn), or a list of them: they divide as CEL's int. */
  readonly whole: boolean;
  /** The number of parts: the cost of one run. */
  readonly parts: number;
};

export type Scope = {
  readonly faults: PredicateFault[];
  readonly files: Set<string>;
  readonly args: Set<string>;
  readonly patterns: Set<string>;
  /** Additional names, read from the arguments. */
  readonly names: { readonly [name: string]: Kind };
  /** The variable of the enclosing comprehension. */
  readonly item?: { readonly name: string; readonly kind: Kind; readonly whole: boolean };
};

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

/** Records a fault. The returned part fits everywhere, so that the rest is still checked. */
export function fault(scope: Scope, { at }: Expression, message: string, hint?: string): Compiled {
  scope.faults.push({ message, hint, column: at + 1 });
  return compiled("any", () => undefined, []);
}

export function fits(kind: Kind, ...wanted: readonly Kind[]): boolean {
  return kind === "any" || wanted.includes(kind) || wanted.includes("any");
}

export function aKind(kind: Kind): string {
  return kind === "any" ? "any value" : `a ${kind}`;
}

export function didYouMean(written: string, candidates: Iterable<string>, otherwise: string): string {
  const meant = nearest(written, candidates);
  return meant === undefined ? otherwise : `did you mean '${meant}'?`;
}

export function expectKind(of: Compiled, kind: Kind, operator: string, at: Expression, scope: Scope): Compiled {
  if (!fits(of.kind, kind)) fault(scope, at, `'${operator}' takes ${aKind(kind)}, not ${aKind(of.kind)}`);
  return of;
}

/** Why a predicate is rejected. `column` counts from 1. */
export type PredicateFault = { readonly message: string; readonly column?: number; readonly hint?: string };

export type BinaryOperator = "==" | "!=" | "<" | "<=" | ">" | ">=" | "in" | "+" | "-" | "*" | "/" | "%";

/** The syntax tree, independent of the parser. `at` is an offset in the source. */
export type Expression = { readonly at: number } & (
  | { readonly kind: "literal"; readonly value: string | number | boolean; readonly whole: boolean }
  | { readonly kind: "unsupported"; readonly fault: Omit<PredicateFault, "column"> }
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "field"; readonly of: Expression; readonly name: string }
  | { readonly kind: "index"; readonly of: Expression; readonly key: Expression }
  | { readonly kind: "list"; readonly items: readonly Expression[] }
  | { readonly kind: "not" | "negate"; readonly of: Expression }
  | { readonly kind: "and" | "or"; readonly of: readonly Expression[] }
  | { readonly kind: "choose"; readonly test: Expression; readonly yes: Expression; readonly no: Expression }
  | {
      readonly kind: "binary";
      readonly operator: BinaryOperator;
      readonly left: Expression;
      readonly right: Expression;
    }
  | {
      readonly kind: "call";
      readonly name: string;
      readonly on?: Expression;
      readonly args: readonly Expression[];
    }
);
