import { Environment, ParseError } from "@marcbachmann/cel-js";
import { errorText } from "../../../../base/kernel/error-text.ts";
import type { Patterns, Predicate } from "../../../../base/words/rule.ts";
import { compile } from "./predicate-compile.ts";
import { aKind, fits, PredicateError, type PredicateFault, type Scope } from "./predicate-part.ts";
import { FUEL, type Run } from "./predicate-values.ts";

const MAX_SOURCE = 4_096;

/** Only the parser is used; predicate-compile.ts defines meaning and cost. */
const makeParser = () =>
  new Environment({
    homogeneousAggregateLiterals: false,
    limits: { maxAstNodes: 1_000, maxDepth: 50, maxListElements: 500, maxCallArguments: 8 },
  });
/** Made when it is first needed: most agents have no expression, and the parser is a large library. */
let parser: Environment | undefined;

export type CompiledPredicate = {
  readonly predicate: Predicate;
  /** The argument X of every `fileExists(args.X)`. */
  readonly files: readonly string[];
  /** The fact X of every `repo.X`. */
  readonly repo: readonly string[];
  /** The argument X of every `args.X`, `args["X"]`, `has(args.X)` and `"X" in args`. */
  readonly args: readonly string[];
};

/** Compiles CEL into a predicate that is true, false or unknown, or returns the first fault. `names`: additional variables. `patterns`: what `patterns.NAME` stands for. */
export function compilePredicate(
  source: string,
  names: Scope["names"] = {},
  patterns: Patterns = {},
): CompiledPredicate | { readonly fault: PredicateFault } {
  if (source.length > MAX_SOURCE) {
    return { fault: { message: `the expression is longer than ${MAX_SOURCE} characters` } };
  }
  const scope: Scope = {
    names,
    files: new Set(),
    repo: new Set(),
    args: new Set(),
    patterns: new Set(),
    named: patterns,
  };
  try {
    parser ??= makeParser();
    const { kind, run } = compile(parser.parse(source).ast, scope);
    if (!fits(kind, "bool")) {
      return { fault: { message: `the expression is ${aKind(kind)}, not true or false`, column: 1 } };
    }
    return { predicate: toPredicate(run), files: [...scope.files], repo: [...scope.repo], args: [...scope.args] };
  } catch (error) {
    return { fault: error instanceof PredicateError ? error.fault : parseFault(source, error) };
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
