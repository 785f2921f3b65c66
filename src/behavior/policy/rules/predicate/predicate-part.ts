import type { ASTNode, ASTOperator, BinaryOperator } from "@marcbachmann/cel-js";
import { nearest } from "../../../../base/kernel/nearest.ts";
import type { Patterns } from "../../../../base/words/rule.ts";
import type { Kind, Run } from "./predicate-values.ts";

export type { BinaryOperator };

/** A node of the parser's syntax tree. `pos` is an offset in the source. */
export type Node<O extends ASTOperator = ASTOperator> = Extract<ASTNode, { readonly op: O }>;

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
  readonly files: Set<string>;
  /** The names of the repository's facts. */
  readonly repo: Set<string>;
  readonly args: Set<string>;
  readonly patterns: Set<string>;
  /** What `patterns.NAME` stands for. */
  readonly named: Patterns;
  /** Additional names, read from the arguments. */
  readonly names: { readonly [name: string]: Kind };
  /** The variable of the enclosing comprehension. */
  readonly item?: { readonly name: string; readonly kind: Kind; readonly whole: boolean };
};

export const NAMES: readonly string[] = ["args", "tool", "actions", "session", "repo"];

export function compiled(
  kind: Kind,
  run: Run,
  of: readonly Compiled[],
  { items = "any", whole = false }: Partial<Pick<Compiled, "items" | "whole">> = {},
): Compiled {
  return { kind, run, items, whole, parts: of.reduce((sum, { parts }) => sum + parts, 1) };
}

/** Why a predicate is rejected. `column` counts from 1. */
export type PredicateFault = { readonly message: string; readonly column?: number; readonly hint?: string };

export class PredicateError extends Error {
  readonly fault: PredicateFault;

  constructor(fault: PredicateFault) {
    super(fault.message);
    this.fault = fault;
  }
}

/** Rejects the predicate. */
export function reject({ pos }: Node, message: string, hint?: string): never {
  throw new PredicateError({ message, hint, column: pos + 1 });
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

export function isName(node: Node, name: string): boolean {
  return node.op === "id" && node.args === name;
}

/** The container and the key of `x.name` or `x["name"]`. */
export function keyOf(node: Node | undefined): { readonly of: Node; readonly name: string } | undefined {
  if (node?.op === ".") return { of: node.args[0], name: node.args[1] };
  if (node?.op !== "[]") return undefined;
  const [of, key] = node.args;
  return key.op === "value" && typeof key.args === "string" ? { of, name: key.args } : undefined;
}
