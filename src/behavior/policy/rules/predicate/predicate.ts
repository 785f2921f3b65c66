import type { ASTNode } from "@marcbachmann/cel-js";
import { Environment, ParseError } from "@marcbachmann/cel-js";
import { RE2JS } from "re2js";
import { errorText } from "../../../../base/kernel/error-text.ts";
import type { Predicate } from "../../../../base/words/rule.ts";
import { compile } from "./predicate-compile.ts";
import type { Expression, PredicateFault } from "./predicate-expression.ts";
import type { Scope } from "./predicate-part.ts";
import { aKind, fits } from "./predicate-part.ts";
import type { Pattern } from "./predicate-pattern.ts";
import { costOf, isTame } from "./predicate-pattern.ts";
import { FUEL, type Run } from "./predicate-values.ts";

const MAX_SOURCE = 4_096;
/** A longer literal in it could make the engine's own search quadratic. */
const MAX_PATTERN = 300;
const MAX_PROGRAM = 1_500;
const KEPT_PATTERNS = 500;

/** Only the parser is used: what a predicate means, and what it may cost, is ours (predicate-compile.ts). */
const parser = new Environment({
  homogeneousAggregateLiterals: false,
  limits: { maxAstNodes: 1_000, maxDepth: 50, maxListElements: 500, maxCallArguments: 8 },
});

export type CompiledPredicate = {
  readonly predicate: Predicate;
  /** The argument X of every `fileExists(args.X)`. */
  readonly files: readonly string[];
  /** The argument X of every `args.X`, `args["X"]`, `has(args.X)` and `"X" in args`. */
  readonly args: readonly string[];
};

/** CEL in, a predicate out that is true, false or unknown, or the first fault. `names`: further ones, read from the arguments. */
export function compilePredicate(
  source: string,
  names: Scope["names"] = {},
): CompiledPredicate | { readonly fault: PredicateFault } {
  if (source.length > MAX_SOURCE) {
    return { fault: { message: `the expression is longer than ${MAX_SOURCE} characters` } };
  }
  const scope: Scope = {
    names,
    faults: [],
    files: new Set(),
    args: new Set(),
    patterns: new Set(),
    pattern: compilePattern,
  };
  try {
    const { kind, run } = compile(toExpression(parser.parse(source).ast), scope);
    const [fault] = scope.faults;
    if (fault !== undefined) return { fault };
    if (!fits(kind, "bool")) {
      return { fault: { message: `the expression is ${aKind(kind)}, not true or false`, column: 1 } };
    }
    return { predicate: toPredicate(run), files: [...scope.files], args: [...scope.args] };
  } catch (error) {
    return { fault: parseFault(source, error) };
  }
}

function toPredicate(run: Run): Predicate {
  return (input) => {
    try {
      const value = run({ input, fuel: FUEL, item: undefined });
      return typeof value === "boolean" ? value : undefined;
    } catch {
      return undefined;
    }
  };
}

const MISSPELT: { readonly [word: string]: string } = { and: "&&", or: "||", "=": "==", "&": "&&", "|": "||" };

function parseFault(source: string, error: unknown): PredicateFault {
  if (!(error instanceof ParseError)) return { message: `the expression cannot be read: ${errorText(error)}` };
  const start = error.range?.start ?? 0;
  const word = /^(\w+|.)/.exec(source.slice(start))?.[0] ?? "";
  const meant = Object.hasOwn(MISSPELT, word) ? MISSPELT[word] : undefined;
  const message = `not an expression: ${error.summary}`;
  return { message, column: start + 1, hint: meant === undefined ? undefined : `write ${meant}` };
}

const patterns = new Map<string, Pattern | Omit<PredicateFault, "column">>();

function compilePattern(source: string): Pattern | Omit<PredicateFault, "column"> {
  const known = patterns.get(source) ?? newPattern(source);
  patterns.delete(source);
  patterns.set(source, known);
  for (const oldest of patterns.keys()) {
    if (patterns.size <= KEPT_PATTERNS) break;
    patterns.delete(oldest);
  }
  return known;
}

/** Linear time, and proven so for this pattern: see `isTame`. */
function newPattern(source: string): Pattern | Omit<PredicateFault, "column"> {
  if (source.length > MAX_PATTERN) return { message: `the pattern is longer than ${MAX_PATTERN} characters` };
  try {
    const pattern = RE2JS.compile(source);
    const engine = pattern.re2();
    if (pattern.programSize() <= MAX_PROGRAM && isTame(engine.dfa)) {
      // The one-pass engine takes 8 ms where the automaton, complete by now, takes 0.5.
      Object.assign(engine, { onepass: null });
      return { cost: costOf(engine.dfa), matches: (text) => pattern.test(text) };
    }
    return {
      message: "the pattern has too many states to be matched in a bounded time",
      hint: "repeat without a count (.* for .{0,50}), anchor it with ^, or split it in two",
    };
  } catch (error) {
    return { message: `not a pattern: ${errorText(error)}`, hint: "RE2 syntax: no lookaround, no backreference" };
  }
}

/** Iterative where source may be long: a chain of && or || is one node. */
function toExpression(node: ASTNode): Expression {
  const at = node.pos;
  switch (node.op) {
    case "value":
      return toLiteral(at, node.args);
    case "id":
      return { at, kind: "name", name: node.args };
    case ".":
      return { at, kind: "field", of: toExpression(node.args[0]), name: node.args[1] };
    case "[]":
      return { at, kind: "index", of: toExpression(node.args[0]), key: toExpression(node.args[1]) };
    case "list":
      return { at, kind: "list", items: node.args.map(toExpression) };
    case "!_":
      return { at, kind: "not", of: toExpression(node.args) };
    case "-_":
      return { at, kind: "negate", of: toExpression(node.args) };
    case "&&":
    case "||":
      return { at, kind: node.op === "&&" ? "and" : "or", of: toChain(node, node.op) };
    case "?:": {
      const [test, yes, no] = node.args;
      return { at, kind: "choose", test: toExpression(test), yes: toExpression(yes), no: toExpression(no) };
    }
    case "call":
      return { at, kind: "call", name: node.args[0], args: node.args[1].map(toExpression) };
    case "rcall": {
      const [name, on, args] = node.args;
      return { at, kind: "call", name, on: toExpression(on), args: args.map(toExpression) };
    }
    case "map":
    case ".?":
    case "[?]":
      return { at, kind: "unsupported", fault: { message: "maps and optionals cannot be written in a predicate" } };
    default: {
      const [left, right] = node.args;
      return { at, kind: "binary", operator: node.op, left: toExpression(left), right: toExpression(right) };
    }
  }
}

function toChain(node: ASTNode, op: "&&" | "||"): readonly Expression[] {
  const sides: ASTNode[] = [];
  let rest = node;
  while (rest.op === op) {
    sides.push(rest.args[1]);
    rest = rest.args[0];
  }
  return [rest, ...sides.reverse()].map(toExpression);
}

function toLiteral(at: number, value: unknown): Expression {
  switch (typeof value) {
    case "string":
    case "boolean":
      return { at, kind: "literal", value, whole: false };
    case "number":
      return { at, kind: "literal", value, whole: false };
    case "bigint":
      if (Number.isSafeInteger(Number(value))) return { at, kind: "literal", value: Number(value), whole: true };
      return { at, kind: "unsupported", fault: { message: `${value} is too large to be compared exactly` } };
    default:
      return value === null
        ? {
            at,
            kind: "unsupported",
            fault: { message: "null is unknown and equals nothing", hint: "write has(args.x) or !has(args.x)" },
          }
        : { at, kind: "unsupported", fault: { message: "a predicate has strings, numbers and booleans only" } };
  }
}
