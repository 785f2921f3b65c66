import { describe, expect, it } from "vitest";
import { compilePredicate } from "./predicate.ts";

function faultOf(source: string): string {
  const compiled = compilePredicate(source);
  if (!("fault" in compiled)) return "none";
  const { message, column, hint } = compiled.fault;
  return `${column ?? "-"} ${message}${hint === undefined ? "" : ` -> ${hint}`}`;
}

describe("a fault at load", () => {
  it.each([
    ["args.amount + 1", "1 the expression is a number, not true or false"],
    ["'a'", "1 the expression is a string, not true or false"],
    ["args", "1 the expression is a map, not true or false"],
    ["args.l.map(x, x)", "1 the expression is a list, not true or false"],
    ["args.x ? 1 : 2", "1 the expression is a number, not true or false"],
    ["arg.x > 1", "1 unknown name 'arg' -> did you mean 'args'?"],
    ["true && sesion.turn > 1", "9 unknown name 'sesion' -> did you mean 'session'?"],
    ["amount > 1", "1 unknown name 'amount' -> an argument is args.amount"],
    ["args.l.all(item, itm > 1)", "18 unknown name 'itm' -> did you mean 'item'?"],
    ["session.tern > 1", "9 session has no field 'tern' -> did you mean 'turn'?"],
    [
      "session.constructor > 1",
      "9 session has no field 'constructor' -> its fields are turn, channel, user, agent, elevated, messages, topic, complexity, domain, flags, custom",
    ],
    [
      "session == args",
      "1 'session' cannot be used as a whole -> write session.turn, session.channel, session.user, session.agent, session.elevated, session.messages, session.topic, session.complexity, session.domain, session.flags, session.custom",
    ],
    ["args.x.contain('a')", "1 unknown function 'contain' -> did you mean 'contains'?"],
    ["fileExist(args.x)", "1 unknown function 'fileExist' -> did you mean 'fileExists'?"],
    ["matches(args.x, 'a')", "1 unknown function 'matches' -> write x.matches(…)"],
    ["args.x.has()", "1 unknown function 'has' -> write has(x)"],
    [
      "constructor(args.x)",
      "1 unknown function 'constructor' -> known functions: size, int, double, string, bool, has, fileExists, isInside",
    ],
    ["tool > 1", "1 '>' does not take a string and a number -> convert one side with string(), int() or double()"],
    [
      "1 + 'a' == 'a'",
      "1 '+' does not take a number and a string -> convert one side with string(), int() or double()",
    ],
    ["true < false", "1 '<' does not take a bool and a bool"],
    ["tool - tool > 1", "1 '-' does not take a string and a string"],
    ["tool && true", "1 '&&' takes a bool, not a string"],
    ["true || 1", "9 '||' takes a bool, not a number"],
    ["!tool", "1 '!' takes a bool, not a string"],
    ["-tool > 1", "1 '-' takes a number, not a string"],
    ["tool ? true : false", "1 '?' takes a bool, not a string"],
    ["true ? 1 : 'a'", "1 both sides of '? :' must have one type, not a number and a string"],
    ["tool.x == 1", "6 a string has no field 'x'"],
    ["tool[0] == 'a'", "1 a string has no items"],
    ["actions['a' + 'b'] == 'a'", "1 a list is not indexed by a string"],
    ["args[1] == 'a'", "1 a map is not indexed by a number"],
    ["args.x[true] == 'a'", "1 any value is not indexed by a bool"],
    ["[1, 'a'] == args.x", "1 all items of a list must have one type, not number and string"],
    ["1 in ['a']", "1 'in' cannot find a number among strings"],
    ["1 in args", "1 'in' cannot find a number among strings"],
    ["'a' in tool", "1 'in' searches a list or a map, not a string -> for text write text.contains(part)"],
    ["'a' in 1", "1 'in' searches a list or a map, not a number"],
    ["size(1) > 0", "1 'size' takes a string or a list or a map, not a number"],
    ["tool.contains(1)", "1 'contains' takes a string, not a number"],
    ["tool.contains() || true", "1 'contains' does not take 0 arguments"],
    ["fileExists(args.x.y)", "1 'fileExists' takes one argument of the call -> write fileExists(args.path)"],
    ["fileExists(tool)", "1 'fileExists' takes one argument of the call -> write fileExists(args.path)"],
    ["fileExists('/etc')", "1 'fileExists' takes one argument of the call -> write fileExists(args.path)"],
    ["fileExists(args[1])", "1 'fileExists' takes one argument of the call -> write fileExists(args.path)"],
    ["fileExists(args.x, args.y)", "1 'fileExists' takes one argument of the call -> write fileExists(args.path)"],
    ["has(args)", "1 'has' takes a field -> write has(args.name)"],
    ["has()", "1 'has' takes a field -> write has(args.name)"],
    [
      "args.x.matches(args.y)",
      "1 'matches' takes one literal pattern -> write x.matches(\"^a+$\") or x.matches(patterns.NAME)",
    ],
    [
      "args.x.matches('a' + 'b')",
      "1 'matches' takes one literal pattern -> write x.matches(\"^a+$\") or x.matches(patterns.NAME)",
    ],
    ["actions.matches('a')", "1 'matches' takes a string, not a list"],
    [
      "args.x.matches('(')",
      "16 not a pattern: error parsing regexp: missing closing ): `(` -> RE2 syntax: no lookaround, no backreference",
    ],
    [
      "args.l.all(x, x.l.exists(y, y))",
      "15 'exists' is inside another comprehension -> do not nest them; \"a\" in x.list searches an inner list",
    ],
    [
      "args.l.map(x, [x].filter(y, true)) == []",
      "15 'filter' is inside another comprehension -> do not nest them; \"a\" in x.list searches an inner list",
    ],
    ["args.l.all(args, true)", "12 'args' is reserved -> use another name, such as x"],
    ["args.l.all(x)", "1 'all' takes a variable and an expression -> write list.all(x, …)"],
    ["args.l.all(x, true, true)", "1 'all' takes a variable and an expression -> write list.all(x, …)"],
    ["tool.all(x, true)", "1 'all' iterates over a list or a map, not a string"],
    ["args.l.all(x, 1)", "15 'all' tests with a bool, not a number"],
    ["args.l.map(x, 1, x) == [1]", "15 'map' tests with a bool, not a number"],
    [
      "actions.all(x, x > 1)",
      "16 '>' does not take a string and a number -> convert one side with string(), int() or double()",
    ],
    ["args.m.all(k, true) && {'a': 1}.a == 1", "24 predicates support no map literals and no optionals"],
    ["args.x == null", "11 null equals nothing -> write has(args.x) or !has(args.x)"],
    ["args.x == b'a'", "11 predicates support strings, numbers and booleans only"],
    ["args.x == 1u", "11 predicates support strings, numbers and booleans only"],
    ["args.x == 9007199254740993", "11 9007199254740993 is too large for an exact comparison"],
    ["args.x = 1", "8 not an expression: Unexpected character: = -> write =="],
    ["args.x and args.y", "8 not an expression: Unexpected character: 'd' -> write &&"],
    ["args.x == 'a", "11 not an expression: Unterminated string"],
    ["", "1 not an expression: Unexpected token: EOF"],
  ])("PR-16 the predicate %s is rejected at load: %s", (source, wanted) => {
    expect(faultOf(source)).toBe(wanted);
  });

  it.each([
    ["a source over 4 KB", `tool == '${"a".repeat(4_096)}'`, "longer than 4096 characters"],
    ["many nodes", `${"!".repeat(3_000)}true`, "maxAstNodes"],
    ["deep parentheses", `${"(".repeat(300)}true${")".repeat(300)}`, "maxDepth"],
    ["a deep chain", `${"1 + ".repeat(150)}1 > 0`, "nested too deeply"],
    ["a long pattern", `tool.matches('${"a".repeat(301)}')`, "longer than 300 characters"],
    ["a pattern with too many states", "tool.matches('a[ab]{30}c')", "too complex"],
    ["a large program", "tool.matches('^.{1000}.{1000}b')", "too complex"],
    [
      "many patterns",
      Array.from({ length: 21 }, (_, i) => `tool.matches('${i}')`).join(" || "),
      "more than 20 patterns",
    ],
  ])("PR-17 a predicate with %s is rejected", (_, source, wanted) => {
    expect(faultOf(source)).toContain(wanted);
  });

  it("PR-18 a long chain of || does not count as depth, and compiled patterns are not cached forever", () => {
    expect(faultOf(`${"false || ".repeat(300)}true`)).toBe("none");
    for (let i = 0; i < 600; i++) expect(faultOf(`tool.matches('^shell${i}?$')`)).toBe("none");
  });
});
