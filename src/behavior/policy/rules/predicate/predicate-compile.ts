import { compileCall } from "./predicate-calls.ts";
import type { Expression } from "./predicate-expression.ts";
import { compileBinary } from "./predicate-operators.ts";
import type { Compiled, Of, Scope } from "./predicate-part.ts";
import { aKind, compiled, didYouMean, expectKind, fault, fits, NAMES } from "./predicate-part.ts";
import type { Kind, Maybe, Run } from "./predicate-values.ts";
import { isList, read, readKey } from "./predicate-values.ts";

type Part = (expression: Expression) => Compiled;

const SESSION: { readonly [name: string]: Kind } = {
  turn: "number",
  channel: "string",
  user: "string",
  agent: "string",
  elevated: "bool",
};
const MAX_DEPTH = 100;

/** Compiles what can be compiled; every fault stands in `scope.faults`, and then nothing of it may be run. */
export function compile(expression: Expression, scope: Scope, depth = 0): Compiled {
  if (depth > MAX_DEPTH) return fault(scope, expression, { message: "the expression is nested too deep" });
  const part = (each: Expression) => compile(each, scope, depth + 1);
  switch (expression.kind) {
    case "literal": {
      const { value, whole } = expression;
      const kind = typeof value === "boolean" ? "bool" : typeof value === "number" ? "number" : "string";
      return compiled(kind, () => value, [], { whole });
    }
    case "unsupported":
      return fault(scope, expression, expression.fault);
    case "name":
      return compileName(expression, scope);
    case "field":
      return compileKey(expression, expression.name, scope, part);
    case "index":
      return expression.key.kind === "literal" && typeof expression.key.value === "string"
        ? compileKey(expression, expression.key.value, scope, part)
        : compileIndex(expression, scope, part);
    case "list":
      return compileList(expression, scope, part);
    case "not": {
      const of = expectKind(part(expression.of), "bool", "!", expression, scope);
      return compiled("bool", (frame) => not(of.run(frame)), [of]);
    }
    case "negate": {
      const of = expectKind(part(expression.of), "number", "-", expression, scope);
      return compiled("number", (frame) => negate(of.run(frame)), [of], { whole: of.whole });
    }
    case "and":
    case "or":
      return compileLogic(expression, scope, part);
    case "choose":
      return compileChoice(expression, scope, part);
    case "binary":
      return compileBinary(expression, part(expression.left), part(expression.right), scope);
    case "call":
      return compileCall(expression, scope, (each, inner = scope) => compile(each, inner, depth + 1));
  }
}

function not(value: Maybe): Maybe {
  return typeof value === "boolean" ? !value : undefined;
}

function negate(value: Maybe): Maybe {
  return typeof value === "number" ? -value : undefined;
}

function compileName(expression: Of<"name">, scope: Scope): Compiled {
  const { name } = expression;
  const { item } = scope;
  if (item !== undefined && name === item.name) {
    return compiled(item.kind, (frame) => frame.item, [], { whole: item.whole });
  }
  switch (name) {
    case "args":
      return compiled("map", (frame) => read(frame.input.args), []);
    case "tool":
      return compiled("string", (frame) => read(frame.input.tool), []);
    case "actions":
      return compiled("list", (frame) => read(frame.input.actions), [], { items: "string" });
    case "session":
      return fault(scope, expression, {
        message: "'session' is read by its fields",
        hint: `write session.${Object.keys(SESSION).join(", session.")}`,
      });
    default: {
      const own = Object.hasOwn(scope.names, name) ? scope.names[name] : undefined;
      if (own !== undefined) {
        return compiled(own, (frame) => readKey(frame.input.args, name), [], { whole: own === "number" });
      }
      const known = [...NAMES, ...Object.keys(scope.names), ...(item === undefined ? [] : [item.name])];
      return fault(scope, expression, {
        message: `unknown name '${name}'`,
        hint: didYouMean(name, known, `an argument is args.${name}`),
      });
    }
  }
}

/** `x.name` and `x["name"]`. */
function compileKey(expression: Of<"field" | "index">, name: string, scope: Scope, part: Part): Compiled {
  const { of: source } = expression;
  if (source.kind === "name" && source.name === "session") return compileSession(expression, name, scope);
  if (source.kind === "name" && source.name === "args") {
    scope.args.add(name);
    return compiled("any", (frame) => readKey(frame.input.args, name), []);
  }
  const of = part(source);
  if (!fits(of.kind, "map")) fault(scope, expression, { message: `${aKind(of.kind)} has no field '${name}'` });
  return compiled("any", (frame) => readKey(of.run(frame), name), [of]);
}

function compileSession(expression: Expression, name: string, scope: Scope): Compiled {
  const kind = Object.hasOwn(SESSION, name) ? SESSION[name] : undefined;
  if (kind === undefined) {
    return fault(scope, expression, {
      message: `session has no field '${name}'`,
      hint: didYouMean(name, Object.keys(SESSION), `its fields are ${Object.keys(SESSION).join(", ")}`),
    });
  }
  return compiled(kind, (frame) => readKey(frame.input.session, name), [], { whole: kind === "number" });
}

function compileIndex(expression: Of<"index">, scope: Scope, part: Part): Compiled {
  const of = part(expression.of);
  const key = part(expression.key);
  const wanted: readonly Kind[] =
    of.kind === "list" ? ["number"] : of.kind === "map" ? ["string"] : ["number", "string"];
  if (!fits(of.kind, "list", "map")) fault(scope, expression, { message: `${aKind(of.kind)} has no items` });
  else if (!fits(key.kind, ...wanted)) {
    fault(scope, expression, { message: `${aKind(of.kind)} is not indexed by ${aKind(key.kind)}` });
  }
  const run: Run = (frame) => {
    const container = of.run(frame);
    const at = key.run(frame);
    if (typeof at === "string") return readKey(container, at);
    return isList(container) && typeof at === "number" ? read(container[at]) : undefined;
  };
  return compiled(of.items, run, [of, key], { whole: of.whole });
}

function compileList(expression: Of<"list">, scope: Scope, part: Part): Compiled {
  const items = expression.items.map(part);
  const kinds = new Set(items.map(({ kind }) => kind));
  kinds.delete("any");
  if (kinds.size > 1) {
    fault(scope, expression, { message: `the items of a list are of one kind, not ${[...kinds].join(" and ")}` });
  }
  // An item may be unknown while the list is not: `"b" in [args.missing, "b"]` is true.
  const run: Run = (frame) => items.map((item) => item.run(frame));
  const [kind = "any"] = kinds;
  return compiled("list", run, items, {
    items: items.every((item) => item.kind === kind) ? kind : "any",
    whole: items.length > 0 && items.every(({ whole }) => whole),
  });
}

/** Kleene: one side may decide although the other is unknown. */
function compileLogic(expression: Of<"and" | "or">, scope: Scope, part: Part): Compiled {
  const operator = expression.kind === "and" ? "&&" : "||";
  const decides = expression.kind === "or";
  const sides = expression.of.map((side) => expectKind(part(side), "bool", operator, side, scope));
  const run: Run = (frame) => {
    let result: Maybe = !decides;
    for (const side of sides) {
      const value = side.run(frame);
      if (value === decides) return decides;
      if (value !== !decides) result = undefined;
    }
    return result;
  };
  return compiled("bool", run, sides);
}

function compileChoice(expression: Of<"choose">, scope: Scope, part: Part): Compiled {
  const test = expectKind(part(expression.test), "bool", "?", expression, scope);
  const yes = part(expression.yes);
  const no = part(expression.no);
  if (!fits(yes.kind, no.kind)) {
    fault(scope, expression, {
      message: `both sides of '? :' are of one kind, not ${aKind(yes.kind)} and ${aKind(no.kind)}`,
    });
  }
  const run: Run = (frame) => {
    const value = test.run(frame);
    return typeof value === "boolean" ? (value ? yes : no).run(frame) : undefined;
  };
  const same = yes.kind === no.kind;
  return compiled(same ? yes.kind : "any", run, [test, yes, no], {
    items: yes.items === no.items ? yes.items : "any",
    whole: yes.whole && no.whole,
  });
}
