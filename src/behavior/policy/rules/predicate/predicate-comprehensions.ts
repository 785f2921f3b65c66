import type { Expression } from "./predicate-expression.ts";
import type { Compiled, Of, Scope } from "./predicate-part.ts";
import { aKind, compiled, fault, fits, NAMES } from "./predicate-part.ts";
import type { Frame, Kind, Maybe, Run } from "./predicate-values.ts";
import { isList, isMap, keysOf, MAX_ITEMS, read, spend } from "./predicate-values.ts";

export const COMPREHENSIONS: readonly string[] = ["all", "exists", "exists_one", "filter", "map"];

const PART_COST = 6;

type Each = { readonly item: Maybe; readonly value: Maybe };

/** `list.all(x, …)` and its kin. A map gives its keys. They do not nest, so that their cost is that of one pass. */
export function compileComprehension(
  expression: Of<"call">,
  on: Expression,
  scope: Scope,
  part: (expression: Expression, scope?: Scope) => Compiled,
): Compiled {
  const { name } = expression;
  const [variable, ...bodies] = expression.args;
  if (scope.item !== undefined) {
    return fault(scope, expression, {
      message: `'${name}' stands inside another comprehension`,
      hint: 'one level only; "a" in x.list looks into an inner list',
    });
  }
  if (variable?.kind !== "name" || bodies.length < 1 || bodies.length > (name === "map" ? 2 : 1)) {
    return fault(scope, expression, {
      message: `'${name}' takes a variable and an expression`,
      hint: `write list.${name}(x, …)`,
    });
  }
  if (NAMES.includes(variable.name)) {
    return fault(scope, variable, { message: `'${variable.name}' is taken`, hint: "use another name, such as x" });
  }
  const list = part(on);
  if (!fits(list.kind, "list", "map")) {
    return fault(scope, on, { message: `'${name}' goes through a list or a map, not ${aKind(list.kind)}` });
  }
  const item = { name: variable.name, kind: list.kind === "map" ? "string" : list.items, whole: list.whole } as const;
  const compiledBodies = bodies.map((body) => part(body, { ...scope, item }));
  const tests = name === "map" ? compiledBodies.slice(0, -1) : compiledBodies;
  bodies.forEach((body, i) => {
    const kind: Kind = tests[i]?.kind ?? "bool";
    if (!fits(kind, "bool")) fault(scope, body, { message: `'${name}' tests with a bool, not ${aKind(kind)}` });
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

/** Runs `body` for every item, up to the first that gives `until`; unknown when there is no list, more than the limit of items, or no fuel left. */
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

/** One item that is `decides` decides; else one that is unknown makes it unknown. */
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
