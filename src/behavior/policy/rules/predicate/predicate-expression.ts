/** Why a predicate cannot be used. `column` is the offset in the source, from 1. */
export type PredicateFault = { readonly message: string; readonly column?: number; readonly hint?: string };

export type BinaryOperator = "==" | "!=" | "<" | "<=" | ">" | ">=" | "in" | "+" | "-" | "*" | "/" | "%";

/** A predicate as written, without the parser's own types. `at` is an offset in the source. */
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
