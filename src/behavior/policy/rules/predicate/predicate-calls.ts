import { FUNCTIONS, METHODS, type PredicateFunction } from "./predicate-functions.ts";
import {
  aKind,
  type Compiled,
  compiled,
  didYouMean,
  type Expression,
  fault,
  fits,
  NAMES,
  type Of,
  type Scope,
} from "./predicate-part.ts";
import { compilePattern } from "./predicate-pattern.ts";
import {
  type Frame,
  hasKey,
  isList,
  isMap,
  type Kind,
  keysOf,
  kindOf,
  MAX_ITEMS,
  type Maybe,
  type Run,
  read,
  readKey,
  spend,
} from "./predicate-values.ts";

const COMPREHENSIONS: readonly string[] = ["all", "exists", "exists_one", "filter", "map"];

const PART_COST = 6;

type Each = { readonly item: Maybe; readonly value: Maybe };

/** `list.all(x, …)` and similar; a map gives its keys. They do not nest, which bounds the cost to one pass. */
function compileComprehension(expression: Of<"call">, on: Expression, scope: Scope, part: PartIn): Compiled {
  const { name } = expression;
  const [variable, ...bodies] = expression.args;
  if (scope.item !== undefined) {
    return fault(
      scope,
      expression,
      `'${name}' stands inside another comprehension`,
      'one level only; "a" in x.list looks into an inner list',
    );
  }
  if (variable?.kind !== "name" || bodies.length < 1 || bodies.length > (name === "map" ? 2 : 1)) {
    return fault(scope, expression, `'${name}' takes a variable and an expression`, `write list.${name}(x, …)`);
  }
  if (NAMES.includes(variable.name)) {
    return fault(scope, variable, `'${variable.name}' is taken`, "use another name, such as x");
  }
  const list = part(on);
  if (!fits(list.kind, "list", "map")) {
    return fault(scope, on, `'${name}' goes through a list or a map, not ${aKind(list.kind)}`);
  }
  const item = { name: variable.name, kind: list.kind === "map" ? "string" : list.items, whole: list.whole } as const;
  const compiledBodies = bodies.map((body) => part(body, { ...scope, item }));
  const tests = name === "map" ? compiledBodies.slice(0, -1) : compiledBodies;
  bodies.forEach((body, i) => {
    const kind: Kind = tests[i]?.kind ?? "bool";
    if (!fits(kind, "bool")) fault(scope, body, `'${name}' tests with a bool, not ${aKind(kind)}`);
  });
  return finish(name, list, compiledBodies);
}

function finish(name: string, list: Compiled, bodies: readonly Compiled[]): Compiled {
  const [first = list] = bodies;
  const last = bodies.at(-1) ?? first;
  const of = [list, ...bodies];
  const pass = passOver(list.run, first);
  const itemKind = list.kind === "map" ? "string" : list.items;
  switch (name) {
    case "all":
    case "exists": {
      const decides = name === "exists";
      const decide = passOver(list.run, first, decides);
      return compiled("bool", (frame) => quantify(decide(frame), decides), of);
    }
    case "exists_one":
      return compiled("bool", (frame) => exactlyOne(pass(frame)), of);
    case "filter":
      return compiled("list", (frame) => keep(pass(frame)), of, { items: itemKind, whole: list.whole });
    default: {
      const kept: Run = bodies.length > 1 ? (frame) => keep(pass(frame)) : list.run;
      const results = passOver(kept, last);
      const run: Run = (frame) => results(frame)?.map(({ value }) => value);
      return compiled("list", run, of, { items: last.kind, whole: last.whole });
    }
  }
}

/** Runs `body` for every item up to the first that gives `until`. Unknown without a list, with too many items or no fuel. */
function passOver(list: Run, body: Compiled, until?: boolean): (frame: Frame) => Maybe<readonly Each[]> {
  return (frame) => {
    const items = itemsOf(frame, list(frame));
    if (items === undefined || items.length > MAX_ITEMS) return undefined;
    const pass: Each[] = [];
    for (const each of items) {
      if (!spend(frame, body.parts * PART_COST)) break;
      const item = read(each);
      frame.item = item;
      const value = body.run(frame);
      pass.push({ item, value });
      if (value !== undefined && value === until) break;
    }
    frame.item = undefined;
    return frame.fuel < 0 ? undefined : pass;
  };
}

function itemsOf(frame: Frame, container: Maybe): Maybe<readonly unknown[]> {
  if (isList(container)) return container;
  return isMap(container) ? keysOf(frame, container) : undefined;
}

/** One item equal to `decides` decides; otherwise an unknown item makes the result unknown. */
function quantify(pass: Maybe<readonly Each[]>, decides: boolean): Maybe<boolean> {
  if (pass?.some(({ value }) => value === decides)) return decides;
  return pass?.every(({ value }) => value === !decides) ? !decides : undefined;
}

function exactlyOne(pass: Maybe<readonly Each[]>): Maybe<boolean> {
  if (pass === undefined) return undefined;
  const found = pass.filter(({ value }) => value === true).length;
  if (found > 1) return false;
  return pass.every(({ value }) => typeof value === "boolean") ? found === 1 : undefined;
}

function keep(pass: Maybe<readonly Each[]>): Maybe<readonly Maybe[]> {
  if (!pass?.every(({ value }) => typeof value === "boolean")) return undefined;
  return pass.filter(({ value }) => value === true).map(({ item }) => item);
}

type PartIn = (expression: Expression, scope?: Scope) => Compiled;

/** Loading a pattern can take 0.1 s. */
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
    return fault(scope, expression, `'${name}' does not take ${expression.args.length} arguments`);
  }
  const wrong = overload.takes.findIndex((kinds, i) => !fits(values[i]?.kind ?? "any", ...kinds));
  if (wrong >= 0) {
    const kinds = (overload.takes[wrong] ?? []).join(" or a ");
    fault(scope, expression, `'${name}' takes a ${kinds}, not ${aKind(values[wrong]?.kind ?? "any")}`);
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
  return known !== undefined && kinds.includes(kindOf(known));
}

function unknownFunction(expression: Of<"call">, scope: Scope): Compiled {
  const { name, on } = expression;
  const functions = [...Object.keys(FUNCTIONS), ...SPECIAL_FUNCTIONS];
  const methods = [...Object.keys(METHODS), ...SPECIAL_METHODS];
  const [own, other] = on === undefined ? [functions, methods] : [methods, functions];
  const hint = other.includes(name)
    ? `write ${on === undefined ? `x.${name}(…)` : `${name}(x)`}`
    : didYouMean(name, own, `there are ${own.join(", ")}`);
  return fault(scope, expression, `unknown function '${name}'`, hint);
}

/** The container and the key of `x.name` or `x["name"]`. */
function keyOf(expression: Expression | undefined): { readonly of: Expression; readonly name: string } | undefined {
  if (expression?.kind === "field") return expression;
  if (expression?.kind !== "index" || expression.key.kind !== "literal") return undefined;
  const { value } = expression.key;
  return typeof value === "string" ? { of: expression.of, name: value } : undefined;
}

/** Present and not null. */
function compileHas(expression: Of<"call">, scope: Scope, part: PartIn): Compiled {
  const [first] = expression.args;
  const key = keyOf(first);
  if (first === undefined || key === undefined || expression.args.length > 1) {
    return fault(scope, expression, "'has' takes a field", "write has(args.name)");
  }
  const { name } = key;
  const value = part(first);
  if (key.of.kind === "name" && key.of.name === "session") return compiled("bool", () => true, [value]);
  const of = part(key.of);
  return compiled("bool", (frame) => hasKey(of.run(frame), name), [value]);
}

/** Takes an argument of the call only, because files are looked up before the decision. */
function compileFileExists(expression: Of<"call">, scope: Scope): Compiled {
  const key = keyOf(expression.args[0]);
  if (key === undefined || expression.args.length > 1 || key.of.kind !== "name" || key.of.name !== "args") {
    return fault(
      scope,
      expression,
      "'fileExists' takes one argument of the call, by its name",
      "write fileExists(args.path)",
    );
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

/** Matches anywhere in the text, unless the pattern is anchored. */
function compileMatches(expression: Of<"call">, on: Expression, scope: Scope, part: PartIn): Compiled {
  const text = part(on);
  const [source] = expression.args;
  if (source?.kind !== "literal" || typeof source.value !== "string" || expression.args.length > 1) {
    return fault(scope, expression, "'matches' takes one pattern, written out", 'write x.matches("^a+$")');
  }
  if (!fits(text.kind, "string")) {
    return fault(scope, expression, `'matches' looks at a string, not ${aKind(text.kind)}`);
  }
  if (scope.patterns.add(source.value).size > MAX_PATTERNS) {
    return fault(scope, source, `there are more than ${MAX_PATTERNS} patterns in one expression`);
  }
  const pattern = compilePattern(source.value);
  if ("message" in pattern) return fault(scope, source, pattern.message, pattern.hint);
  const run: Run = (frame) => {
    const value = text.run(frame);
    return typeof value === "string" && spend(frame, value.length * pattern.cost) ? pattern.matches(value) : undefined;
  };
  return compiled("bool", run, [text]);
}
