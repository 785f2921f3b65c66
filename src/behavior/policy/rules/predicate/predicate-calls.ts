import type { PredicateInput } from "../../../../base/words/rule.ts";
import { FUNCTIONS, METHODS, type PredicateFunction } from "./predicate-functions.ts";
import {
  aKind,
  type Compiled,
  compiled,
  didYouMean,
  fits,
  isName,
  keyOf,
  NAMES,
  type Node,
  reject,
  type Scope,
} from "./predicate-part.ts";
import { compilePattern } from "./predicate-pattern.ts";
import {
  type Frame,
  hasKey,
  isList,
  isMap,
  keysOf,
  kindOf,
  MAX_ITEMS,
  type Maybe,
  type Run,
  read,
  readKey,
  spend,
} from "./predicate-values.ts";

/** `name(…)` or `on.name(…)`. */
type Call = { readonly node: Node; readonly name: string; readonly on?: Node; readonly args: readonly Node[] };
type Part = (node: Node, scope?: Scope) => Compiled;
type CompileCall = (call: Call & { readonly on: Node }, scope: Scope, part: Part) => Compiled;

/** Calls that are more than a function of their values. */
const SPECIAL_FUNCTIONS = new Map([
  ["has", compileHas],
  ["fileExists", lookUp("fileExists", (input, path) => input.fileExists(path))],
  ["isInside", lookUp("isInside", (input, path) => input.isInside?.(path))],
]);
const SPECIAL_METHODS = new Map<string, CompileCall>([
  ["matches", compileMatches],
  ...["all", "exists", "exists_one", "filter", "map"].map((name) => [name, compileComprehension] as const),
]);

export function compileCall(call: Call, scope: Scope, part: Part): Compiled {
  const { name, on } = call;
  if (on !== undefined) {
    return SPECIAL_METHODS.get(name)?.({ ...call, on }, scope, part) ?? compileFunction(call, METHODS, part);
  }
  return SPECIAL_FUNCTIONS.get(name)?.(call, scope, part) ?? compileFunction(call, FUNCTIONS, part);
}

function compileFunction(
  call: Call,
  known: { readonly [name: string]: PredicateFunction },
  part: (node: Node) => Compiled,
): Compiled {
  const { node, name, on, args } = call;
  const found = Object.hasOwn(known, name) ? known[name] : undefined;
  if (found === undefined) return unknownFunction(call);
  const values = (on === undefined ? args : [on, ...args]).map((each) => part(each));
  const { takes, optional = 0, gives, items, whole, run } = found;
  if (values.length > takes.length || values.length < takes.length - optional) {
    reject(node, `'${name}' does not take ${args.length} arguments`);
  }
  values.forEach(({ kind }, at) => {
    const kinds = takes[at] ?? [];
    if (!fits(kind, ...kinds)) reject(node, `'${name}' takes a ${kinds.join(" or a ")}, not ${aKind(kind)}`);
  });
  const runKnown: Run = (frame) => {
    const given = values.map((value) => value.run(frame));
    const isKnown = given.every((value, at) => value !== undefined && takes[at]?.includes(kindOf(value)));
    return isKnown ? run(frame, given) : undefined;
  };
  return compiled(gives, runKnown, values, { whole, items });
}

function unknownFunction({ node, name, on }: Call): never {
  const functions = [...Object.keys(FUNCTIONS), ...SPECIAL_FUNCTIONS.keys()];
  const methods = [...Object.keys(METHODS), ...SPECIAL_METHODS.keys()];
  const [own, other] = on === undefined ? [functions, methods] : [methods, functions];
  const hint = other.includes(name)
    ? `write ${on === undefined ? `x.${name}(…)` : `${name}(x)`}`
    : didYouMean(name, own, `known functions: ${own.join(", ")}`);
  return reject(node, `unknown function '${name}'`, hint);
}

/** Present and not null. */
function compileHas({ node, args }: Call, _scope: Scope, part: Part): Compiled {
  const [first] = args;
  const key = keyOf(first);
  if (first === undefined || key === undefined || args.length > 1) {
    return reject(node, "'has' takes a field", "write has(args.name)");
  }
  const value = part(first);
  if (isName(key.of, "session")) return compiled("bool", ({ input }) => hasKey(input.session, key.name), [value]);
  const of = part(key.of);
  return compiled("bool", (frame) => hasKey(of.run(frame), key.name), [value]);
}

/** Takes an argument of the call only, because files are looked up before the decision. */
function lookUp(name: string, fact: (input: PredicateInput, path: string) => boolean | undefined) {
  return ({ node, args }: Call, scope: Scope): Compiled => {
    const key = keyOf(args[0]);
    if (key === undefined || args.length > 1 || !isName(key.of, "args")) {
      return reject(node, `'${name}' takes one argument of the call`, `write ${name}(args.path)`);
    }
    scope.files.add(key.name);
    scope.args.add(key.name);
    const run: Run = (frame) => {
      const path = readKey(frame.input.args, key.name);
      const found = typeof path === "string" ? fact(frame.input, path) : undefined;
      return typeof found === "boolean" ? found : undefined;
    };
    return compiled("bool", run, []);
  };
}

/** Loading a pattern can take 0.1 s. */
const MAX_PATTERNS = 20;

/** Matches anywhere in the text, unless the pattern is anchored. */
function compileMatches({ node, on, args }: Call & { readonly on: Node }, scope: Scope, part: Part): Compiled {
  const text = part(on);
  const [source] = args;
  const written = source && patternsOf(source, scope);
  if (source === undefined || written === undefined || args.length > 1) {
    return reject(node, "'matches' takes one literal pattern", 'write x.matches("^a+$") or x.matches(patterns.NAME)');
  }
  if (!fits(text.kind, "string")) reject(node, `'matches' takes a string, not ${aKind(text.kind)}`);
  for (const one of written) scope.patterns.add(one);
  if (scope.patterns.size > MAX_PATTERNS) {
    reject(source, `there are more than ${MAX_PATTERNS} patterns in one expression`);
  }
  const patterns = written.map((one) => {
    const pattern = compilePattern(one);
    return "message" in pattern ? reject(source, pattern.message, pattern.hint) : pattern;
  });
  const cost = patterns.reduce((sum, pattern) => sum + pattern.cost, 0);
  const run: Run = (frame) => {
    const value = text.run(frame);
    if (typeof value !== "string" || !spend(frame, value.length * cost)) return undefined;
    return patterns.some((pattern) => pattern.matches(value));
  };
  return compiled("bool", run, [text]);
}

/** A literal, or a pattern of the rule's file. */
function patternsOf(source: Node, { named }: Scope): readonly string[] | undefined {
  if (source.op === "value" && typeof source.args === "string") return [source.args];
  const key = keyOf(source);
  if (key === undefined || !isName(key.of, "patterns")) return undefined;
  if (Object.hasOwn(named, key.name)) return named[key.name];
  const hint = didYouMean(key.name, Object.keys(named), "define it in the file's 'patterns'");
  return reject(source, `there is no pattern '${key.name}'`, hint);
}

/** `list.all(x, …)` and similar; a map gives its keys. They do not nest, which bounds the cost to one pass. */
function compileComprehension(
  { node, name, on, args }: Call & { readonly on: Node },
  scope: Scope,
  part: Part,
): Compiled {
  const [variable, ...bodies] = args;
  if (scope.item !== undefined) {
    const hint = 'do not nest them; "a" in x.list searches an inner list';
    reject(node, `'${name}' is inside another comprehension`, hint);
  }
  if (variable?.op !== "id" || bodies.length < 1 || bodies.length > (name === "map" ? 2 : 1)) {
    return reject(node, `'${name}' takes a variable and an expression`, `write list.${name}(x, …)`);
  }
  if (NAMES.includes(variable.args)) reject(variable, `'${variable.args}' is reserved`, "use another name, such as x");
  const list = part(on);
  if (!fits(list.kind, "list", "map")) reject(on, `'${name}' iterates over a list or a map, not ${aKind(list.kind)}`);
  const item = { name: variable.args, kind: list.kind === "map" ? "string" : list.items, whole: list.whole } as const;
  const compiledBodies = bodies.map((body) => part(body, { ...scope, item }));
  const tests = name === "map" ? compiledBodies.slice(0, -1) : compiledBodies;
  tests.forEach(({ kind }, at) => {
    if (!fits(kind, "bool")) reject(bodies[at] ?? node, `'${name}' tests with a bool, not ${aKind(kind)}`);
  });
  return finish(name, list, compiledBodies);
}

function finish(name: string, list: Compiled, bodies: readonly Compiled[]): Compiled {
  const [first = list, last = first] = bodies;
  const of = [list, ...bodies];
  const pass = passOver(list.run, first);
  switch (name) {
    case "all":
    case "exists": {
      const decides = name === "exists";
      const decide = passOver(list.run, first, decides);
      return compiled("bool", (frame) => quantify(decide(frame), decides), of);
    }
    case "exists_one":
      return compiled("bool", (frame) => exactlyOne(pass(frame)), of);
    case "filter": {
      const items = list.kind === "map" ? "string" : list.items;
      return compiled("list", (frame) => keep(pass(frame)), of, { items, whole: list.whole });
    }
    default: {
      const kept: Run = bodies.length > 1 ? (frame) => keep(pass(frame)) : list.run;
      const results = passOver(kept, last);
      const run: Run = (frame) => results(frame)?.map(({ value }) => value);
      return compiled("list", run, of, { items: last.kind, whole: last.whole });
    }
  }
}

const PART_COST = 6;

type Pass = readonly { readonly item: Maybe; readonly value: Maybe }[];

/** Runs `body` for every item up to the first that gives `until`. Unknown without a list, with too many items or no fuel. */
function passOver(list: Run, body: Compiled, until?: boolean): (frame: Frame) => Maybe<Pass> {
  return (frame) => {
    const container = list(frame);
    const items = isList(container) ? container : isMap(container) ? keysOf(frame, container) : undefined;
    if (items === undefined || items.length > MAX_ITEMS) return undefined;
    const pass: Pass[number][] = [];
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

/** One item equal to `decides` decides; otherwise an unknown item makes the result unknown. */
function quantify(pass: Maybe<Pass>, decides: boolean): Maybe<boolean> {
  if (pass?.some(({ value }) => value === decides)) return decides;
  return pass?.every(({ value }) => value === !decides) ? !decides : undefined;
}

function exactlyOne(pass: Maybe<Pass>): Maybe<boolean> {
  const found = pass?.filter(({ value }) => value === true).length ?? 0;
  if (found > 1) return false;
  return pass?.every(({ value }) => typeof value === "boolean") ? found === 1 : undefined;
}

function keep(pass: Maybe<Pass>): Maybe<readonly Maybe[]> {
  if (!pass?.every(({ value }) => typeof value === "boolean")) return undefined;
  return pass.filter(({ value }) => value === true).map(({ item }) => item);
}
