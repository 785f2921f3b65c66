import { compileCall } from "./predicate-calls.ts";
import { compileBinary } from "./predicate-operators.ts";
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
import { isList, type Kind, kindOf, type Maybe, type Run, read, readKey } from "./predicate-values.ts";

type Part = (node: Node) => Compiled;

const SESSION: { readonly [name: string]: Kind } = {
  turn: "number",
  channel: "string",
  user: "string",
  agent: "string",
  elevated: "bool",
  messages: "string",
  topic: "string",
  complexity: "string",
  domain: "list",
  flags: "list",
  custom: "list",
};

/** Facts about the repository around the workspace; absent if they are not known. */
const REPO: { readonly [name: string]: Kind } = {
  branch: "string",
  secret: "string",
  clean: "bool",
  uncommitted: "list",
  unscanned: "bool",
  undeclared: "list",
  generated: "bool",
};

const MAX_DEPTH = 100;

/** Throws a PredicateError at the first fault. */
export function compile(node: Node, scope: Scope, depth = 0): Compiled {
  if (depth > MAX_DEPTH) reject(node, "the expression is nested too deeply");
  const part = (each: Node, inner = scope) => compile(each, inner, depth + 1);
  switch (node.op) {
    case "value":
      return compileLiteral(node);
    case "id":
      return compileName(node, scope);
    case ".":
    case "[]": {
      const key = keyOf(node);
      return key === undefined ? compileIndex(node as Node<"[]">, part) : compileKey(node, key, scope, part);
    }
    case "list":
      return compileList(node, part);
    case "!_":
      return compileUnary(node, "bool", (value) => (typeof value === "boolean" ? !value : undefined), part);
    case "-_":
      return compileUnary(node, "number", (value) => (typeof value === "number" ? -value : undefined), part);
    case "&&":
    case "||":
      return compileLogic(node, part);
    case "?:":
      return compileChoice(node, part);
    case "call":
      return compileCall({ node, name: node.args[0], args: node.args[1] }, scope, part);
    case "rcall":
      return compileCall({ node, name: node.args[0], on: node.args[1], args: node.args[2] }, scope, part);
    case "map":
    case ".?":
    case "[?]":
      return reject(node, "predicates support no map literals and no optionals");
    default:
      return compileBinary(node, part(node.args[0]), part(node.args[1]), scope);
  }
}

function compileLiteral(node: Node<"value">): Compiled {
  const literal = node.args;
  switch (typeof literal) {
    case "string":
    case "boolean":
    case "number":
      return compiled(kindOf(literal), () => literal, []);
    case "bigint": {
      const value = Number(literal);
      if (!Number.isSafeInteger(value)) reject(node, `${literal} is too large for an exact comparison`);
      return compiled("number", () => value, [], { whole: true });
    }
    default:
      if (literal !== null) reject(node, "predicates support strings, numbers and booleans only");
      return reject(node, "null equals nothing", "write has(args.x) or !has(args.x)");
  }
}

function compileName(node: Node<"id">, scope: Scope): Compiled {
  const name = node.args;
  const { item } = scope;
  if (name === item?.name) return compiled(item.kind, (frame) => frame.item, [], { whole: item.whole });
  switch (name) {
    case "args":
      return compiled("map", (frame) => read(frame.input.args), []);
    case "tool":
      return compiled("string", (frame) => read(frame.input.tool), []);
    case "actions":
      return compiled("list", (frame) => read(frame.input.actions), [], { items: "string" });
    case "repo":
      return compiled("map", (frame) => read(frame.input.repo ?? {}), []);
    case "session":
      return reject(
        node,
        "'session' cannot be used as a whole",
        `write session.${Object.keys(SESSION).join(", session.")}`,
      );
    default: {
      const own = Object.hasOwn(scope.names, name) ? scope.names[name] : undefined;
      if (own !== undefined) {
        return compiled(own, (frame) => readKey(frame.input.args, name), [], { whole: own === "number" });
      }
      const known = [...NAMES, ...Object.keys(scope.names), ...(item === undefined ? [] : [item.name])];
      return reject(node, `unknown name '${name}'`, didYouMean(name, known, `an argument is args.${name}`));
    }
  }
}

/** `x.name` and `x["name"]`. */
function compileKey(
  node: Node,
  { of: source, name }: NonNullable<ReturnType<typeof keyOf>>,
  scope: Scope,
  part: Part,
): Compiled {
  if (isName(source, "session")) return compileSession(node, name);
  if (isName(source, "repo")) return compileRepo(node, name, scope);
  if (isName(source, "args")) {
    scope.args.add(name);
    return compiled("any", ({ input }) => readKey(input.args, name) ?? read(input.absent?.(name)), []);
  }
  const of = part(source);
  if (!fits(of.kind, "map")) reject(node, `${aKind(of.kind)} has no field '${name}'`);
  return compiled("any", (frame) => readKey(of.run(frame), name), [of]);
}

function compileRepo(node: Node, name: string, scope: Scope): Compiled {
  const kind = Object.hasOwn(REPO, name) ? REPO[name] : undefined;
  if (kind === undefined) {
    const fields = Object.keys(REPO);
    return reject(node, `repo has no field '${name}'`, didYouMean(name, fields, `its fields are ${fields.join(", ")}`));
  }
  scope.repo.add(name);
  return compiled(kind, (frame) => readKey(frame.input.repo ?? {}, name), [], { items: "string" });
}

function compileSession(node: Node, name: string): Compiled {
  const kind = Object.hasOwn(SESSION, name) ? SESSION[name] : undefined;
  if (kind === undefined) {
    const fields = Object.keys(SESSION);
    const hint = didYouMean(name, fields, `its fields are ${fields.join(", ")}`);
    return reject(node, `session has no field '${name}'`, hint);
  }
  return compiled(kind, (frame) => readKey(frame.input.session, name), [], {
    items: kind === "list" ? "string" : "any",
    whole: kind === "number",
  });
}

function compileIndex(node: Node<"[]">, part: Part): Compiled {
  const of = part(node.args[0]);
  const key = part(node.args[1]);
  const wanted: readonly Kind[] =
    of.kind === "list" ? ["number"] : of.kind === "map" ? ["string"] : ["number", "string"];
  if (!fits(of.kind, "list", "map")) reject(node, `${aKind(of.kind)} has no items`);
  if (!fits(key.kind, ...wanted)) reject(node, `${aKind(of.kind)} is not indexed by ${aKind(key.kind)}`);
  const run: Run = (frame) => {
    const container = of.run(frame);
    const at = key.run(frame);
    if (typeof at === "string") return readKey(container, at);
    return isList(container) && typeof at === "number" ? read(container[at]) : undefined;
  };
  return compiled(of.items, run, [of, key], { whole: of.whole });
}

function compileList(node: Node<"list">, part: Part): Compiled {
  const items = node.args.map((item) => part(item));
  const kinds = new Set(items.map(({ kind }) => kind));
  kinds.delete("any");
  if (kinds.size > 1) reject(node, `all items of a list must have one type, not ${[...kinds].join(" and ")}`);
  // One unknown item does not make the list unknown: `"b" in [args.missing, "b"]` is true.
  const run: Run = (frame) => items.map((item) => item.run(frame));
  const [kind = "any"] = kinds;
  return compiled("list", run, items, {
    items: items.every((item) => item.kind === kind) ? kind : "any",
    whole: items.length > 0 && items.every(({ whole }) => whole),
  });
}

function compileUnary(node: Node<"!_" | "-_">, kind: Kind, apply: (value: Maybe) => Maybe, part: Part): Compiled {
  const of = expectBool(part(node.args), node.op.charAt(0), node, kind);
  return compiled(kind, (frame) => apply(of.run(frame)), [of], { whole: of.whole });
}

/** Three-valued logic: one side may decide although the other is unknown. A chain is one part, however long it is. */
function compileLogic(node: Node<"&&" | "||">, part: Part): Compiled {
  const { op } = node;
  const chain: Node[] = [];
  let rest: Node = node;
  for (; rest.op === op; rest = rest.args[0]) chain.unshift(rest.args[1]);
  const sides = [rest, ...chain].map((side) => expectBool(part(side), op, side));
  const decides = op === "||";
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

function compileChoice(node: Node<"?:">, part: Part): Compiled {
  const test = expectBool(part(node.args[0]), "?", node);
  const yes = part(node.args[1]);
  const no = part(node.args[2]);
  if (!fits(yes.kind, no.kind)) {
    reject(node, `both sides of '? :' must have one type, not ${aKind(yes.kind)} and ${aKind(no.kind)}`);
  }
  const run: Run = (frame) => {
    const value = test.run(frame);
    return typeof value === "boolean" ? (value ? yes : no).run(frame) : undefined;
  };
  return compiled(yes.kind === no.kind ? yes.kind : "any", run, [test, yes, no], {
    items: yes.items === no.items ? yes.items : "any",
    whole: yes.whole && no.whole,
  });
}

function expectBool(of: Compiled, operator: string, at: Node, kind: Kind = "bool"): Compiled {
  if (!fits(of.kind, kind)) reject(at, `'${operator}' takes ${aKind(kind)}, not ${aKind(of.kind)}`);
  return of;
}
