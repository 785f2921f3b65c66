import { COMPREHENSIONS, compileComprehension } from "./predicate-comprehensions.ts";
import type { Expression } from "./predicate-expression.ts";
import type { PredicateFunction } from "./predicate-functions.ts";
import { FUNCTIONS, METHODS } from "./predicate-functions.ts";
import type { Compiled, Of, Scope } from "./predicate-part.ts";
import { aKind, compiled, didYouMean, fault, fits } from "./predicate-part.ts";
import type { Kind, Run } from "./predicate-values.ts";
import { hasKey, isList, isMap, read, readKey, spend } from "./predicate-values.ts";

export type PartIn = (expression: Expression, scope?: Scope) => Compiled;

/** A pattern can take some 0.1 s to load. */
const MAX_PATTERNS = 20;
const SPECIAL_FUNCTIONS = ["has", "fileExists"];
const SPECIAL_METHODS = ["matches", ...COMPREHENSIONS];

/** `name(…)` and `x.name(…)`. */
export function compileCall(expression: Of<"call">, scope: Scope, part: PartIn): Compiled {
  const { name, on } = expression;
  if (on === undefined) {
    if (name === "has") return compileHas(expression, scope, part);
    if (name === "fileExists") return compileFileExists(expression, scope);
    return compileFunction(expression, FUNCTIONS, scope, part);
  }
  if (name === "matches") return compileMatches(expression, on, scope, part);
  if (COMPREHENSIONS.includes(name)) return compileComprehension(expression, on, scope, part);
  return compileFunction(expression, METHODS, scope, part);
}

function compileFunction(
  expression: Of<"call">,
  known: { readonly [name: string]: readonly PredicateFunction[] },
  scope: Scope,
  part: PartIn,
): Compiled {
  const { name, on } = expression;
  const overloads = Object.hasOwn(known, name) ? known[name] : undefined;
  if (overloads === undefined) return unknownFunction(expression, scope);
  const values = (on === undefined ? expression.args : [on, ...expression.args]).map((each) => part(each));
  const overload = overloads.find(({ takes }) => takes.length === values.length);
  if (overload === undefined) {
    return fault(scope, expression, { message: `'${name}' does not take ${expression.args.length} arguments` });
  }
  const wrong = overload.takes.findIndex((kinds, i) => !fits(values[i]?.kind ?? "any", ...kinds));
  if (wrong >= 0) {
    const kinds = (overload.takes[wrong] ?? []).join(" or a ");
    fault(scope, expression, {
      message: `'${name}' takes a ${kinds}, not ${aKind(values[wrong]?.kind ?? "any")}`,
    });
  }
  const { whole = false, items = "any" } = overload;
  return compiled(overload.gives, runFunction(overload, values), values, { whole, items });
}

function runFunction({ takes, run }: PredicateFunction, values: readonly Compiled[]): Run {
  return (frame) => {
    const given = values.map((value) => value.run(frame));
    return given.every((value, i) => isOf(value, takes[i])) ? run(frame, given) : undefined;
  };
}

function isOf(value: unknown, kinds: readonly Kind[] = []): boolean {
  const known = read(value);
  if (isList(known)) return kinds.includes("list");
  if (isMap(known)) return kinds.includes("map");
  return (
    (typeof known === "string" && kinds.includes("string")) ||
    (typeof known === "number" && kinds.includes("number")) ||
    (typeof known === "boolean" && kinds.includes("bool"))
  );
}

function unknownFunction(expression: Of<"call">, scope: Scope): Compiled {
  const { name, on } = expression;
  const functions = [...Object.keys(FUNCTIONS), ...SPECIAL_FUNCTIONS];
  const methods = [...Object.keys(METHODS), ...SPECIAL_METHODS];
  const [own, other] = on === undefined ? [functions, methods] : [methods, functions];
  const hint = other.includes(name)
    ? `write ${on === undefined ? `x.${name}(…)` : `${name}(x)`}`
    : didYouMean(name, own, `there are ${own.join(", ")}`);
  return fault(scope, expression, { message: `unknown function '${name}'`, hint });
}

/** `x.name` or `x["name"]`: what it is a key of, and the key. */
function keyOf(expression: Expression | undefined): { readonly of: Expression; readonly name: string } | undefined {
  if (expression?.kind === "field") return expression;
  if (expression?.kind !== "index" || expression.key.kind !== "literal") return undefined;
  const { value } = expression.key;
  return typeof value === "string" ? { of: expression.of, name: value } : undefined;
}

function isArgs(expression: Expression): boolean {
  return expression.kind === "name" && expression.name === "args";
}

/** There and not null. */
function compileHas(expression: Of<"call">, scope: Scope, part: PartIn): Compiled {
  const [first] = expression.args;
  const key = keyOf(first);
  if (first === undefined || key === undefined || expression.args.length > 1) {
    return fault(scope, expression, { message: "'has' takes a field", hint: "write has(args.name)" });
  }
  const { name } = key;
  const value = part(first);
  if (key.of.kind === "name" && key.of.name === "session") return compiled("bool", () => true, [value]);
  const of = part(key.of);
  return compiled("bool", (frame) => hasKey(of.run(frame), name), [value]);
}

/** Only of an argument by its name: the file is looked up before anything is decided. */
function compileFileExists(expression: Of<"call">, scope: Scope): Compiled {
  const key = keyOf(expression.args[0]);
  if (key === undefined || expression.args.length > 1 || !isArgs(key.of)) {
    return fault(scope, expression, {
      message: "'fileExists' takes one argument of the call, by its name",
      hint: "write fileExists(args.path)",
    });
  }
  const { name } = key;
  scope.files.add(name);
  scope.args.add(name);
  const run: Run = (frame) => {
    const path = readKey(frame.input.args, name);
    const exists = typeof path === "string" ? frame.input.fileExists(path) : undefined;
    return typeof exists === "boolean" ? exists : undefined;
  };
  return compiled("bool", run, []);
}

/** Anywhere in the text, unless the pattern is anchored. */
function compileMatches(expression: Of<"call">, on: Expression, scope: Scope, part: PartIn): Compiled {
  const text = part(on);
  const [source] = expression.args;
  if (source?.kind !== "literal" || typeof source.value !== "string" || expression.args.length > 1) {
    return fault(scope, expression, {
      message: "'matches' takes one pattern, written out",
      hint: 'write x.matches("^a+$")',
    });
  }
  if (!fits(text.kind, "string")) {
    return fault(scope, expression, { message: `'matches' looks at a string, not ${aKind(text.kind)}` });
  }
  if (scope.patterns.add(source.value).size > MAX_PATTERNS) {
    return fault(scope, source, { message: `there are more than ${MAX_PATTERNS} patterns in one expression` });
  }
  const pattern = scope.pattern(source.value);
  if ("message" in pattern) return fault(scope, source, pattern);
  const run: Run = (frame) => {
    const value = text.run(frame);
    return typeof value === "string" && spend(frame, value.length * pattern.cost) ? pattern.matches(value) : undefined;
  };
  return compiled("bool", run, [text]);
}
