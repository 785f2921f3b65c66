import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../base/words/json.ts";
import type { PredicateInput } from "../../../../base/words/rule.ts";
import { compilePredicate } from "./predicate.ts";

function inputOf(args: JsonObject, more: Partial<PredicateInput> = {}): PredicateInput {
  return {
    tool: "shell",
    args,
    actions: ["test", "deploy"],
    session: { turn: 7, channel: "web", user: "ann", agent: "assistant", elevated: false },
    fileExists: (path) => ({ "/there": true, "/gone": false })[path],
    ...more,
  };
}

function decide(source: string, args: JsonObject = {}, more: Partial<PredicateInput> = {}): boolean | undefined {
  const compiled = compilePredicate(source);
  if ("fault" in compiled) throw new Error(`${source}: ${compiled.fault.message}`);
  return compiled.predicate(inputOf(args, more));
}

type Case = readonly [source: string, args: JsonObject, wanted: boolean | undefined];

describe("a predicate", () => {
  it.each<Case>([
    ["args.amount > 1000", { amount: 1500 }, true],
    ["args.amount > 1000", { amount: 1500.5 }, true],
    ["args.amount > 1000.5", { amount: 1500 }, true],
    ["args.amount > 1000", { amount: 1000 }, false],
    ["args.amount >= 1000.0", { amount: 1000 }, true],
    ["args.amount <= 1000", { amount: 1000 }, true],
    ["args.amount < -3", { amount: -4 }, true],
    ["args.n == 1", { n: 1 }, true],
    ["args.n == 1.0", { n: 1 }, true],
    ["args.n != 1", { n: 1.5 }, true],
    ["args.n + 1 == 2.5", { n: 1.5 }, true],
    ["args.n * 1.5 == 4.5", { n: 3 }, true],
    ["args.n - 0.5 > 2", { n: 3 }, true],
    ["-args.n == -3", { n: 3 }, true],
    ["args.n % 2 == 1", { n: 3 }, true],
    ["args.n in [1, 2]", { n: 2 }, true],
    ["args.n in [1, 2]", { n: 2.5 }, false],
    ["args.n in [1, 2.5]", { n: 2.5 }, true],
    ["session.turn == 7.0", {}, true],
    ["size(args.l) * 1.5 > 2", { l: [1, 2] }, true],
    ["args.l[args.i] == 'b'", { l: ["a", "b"], i: 1 }, true],
    ["int(args.s) == 42 && double(args.s) == 42.0", { s: "42" }, true],
    ["int(args.n) == -3", { n: -3.9 }, true],
    ["double('1.5e1') == 15.0 && double('.5') == 0.5", {}, true],
    ["double(args.n) == 1.5", { n: 1.5 }, true],
  ])("PR-1 integers and decimals are one number type: %s with %o is %s", (source, args, wanted) => {
    expect(decide(source, args)).toBe(wanted);
  });

  it.each<Case>([
    ["7 / 2 == 3", {}, true],
    ["-7 / 2 == -3", {}, true],
    ["7.0 / 2 == 3.5", {}, true],
    ["session.turn / 2 == 3", {}, true],
    ["size(args.l) / 2 == 1", { l: [1, 2, 3] }, true],
    ["int(args.n) / 2 == 1", { n: 3 }, true],
    ["args.n / 2 == 1.5", { n: 3 }, true],
    ["(session.turn + 2) * 3 / 2 == 13", {}, true],
    ["(true ? 3 : 4) / 2 == 1", {}, true],
    ["[3, 5].all(x, x / 2 < x - 1)", {}, true],
    ["[3, 5][0] / 2 == 1", {}, true],
    ["'abc'.indexOf('c') / 2 * 2 == 2", {}, true],
  ])("PR-2 integer literals divide like CEL's int, JSON numbers do not: %s with %o is %s", (source, args, wanted) => {
    expect(decide(source, args)).toBe(wanted);
  });

  it.each<Case>([
    ["false && args.x > 1", {}, false],
    ["args.x > 1 && false", {}, false],
    ["true && args.x > 1", {}, undefined],
    ["args.x > 1 && true", {}, undefined],
    ["true || args.x > 1", {}, true],
    ["args.x > 1 || true", {}, true],
    ["false || args.x > 1", {}, undefined],
    ["args.x > 1 || false || args.y == 2", { y: 2 }, true],
    ["args.x && args.y", { x: "text", y: false }, false],
    ["args.x && args.y", { x: "text", y: true }, undefined],
    ["!(args.x > 1)", {}, undefined],
    ["!args.x", { x: false }, true],
    ["!args.x", { x: 1 }, undefined],
    ["args.x ? true : true", {}, undefined],
    ["args.x ? args.missing : true", { x: false }, true],
    ["session.elevated ? false : tool == 'shell'", {}, true],
    ["args.x", { x: true }, true],
    ["args.x", { x: "true" }, undefined],
    ["true", {}, true],
  ])("PR-3 one side of && or || decides even if the other is unknown: %s with %o is %s", (source, args, wanted) => {
    expect(decide(source, args)).toBe(wanted);
  });

  it.each<Case>([
    ["args.x == 'a'", {}, undefined],
    ["args.x == 'a'", { x: null }, undefined],
    ["args.x != 'a'", { x: null }, undefined],
    ["args.x == 'a'", { x: ["a"] }, undefined],
    ["args.x == 'a'", { x: 1 }, undefined],
    ["args.x == args.y", { x: {}, y: [] }, undefined],
    ["args.x == args.y", { x: [], y: {} }, undefined],
    ["args.x > 1", { x: "2" }, undefined],
    ["args.x < 'b'", { x: 1 }, undefined],
    ["args.x.y == 1", { x: { y: 1 } }, true],
    ["args.x.y == 1", { x: "y" }, undefined],
    ["args.x.y.z == 1", {}, undefined],
    ["args.l[5] == 1", { l: [1] }, undefined],
    ["args.l[0.5] == 1", { l: [1] }, undefined],
    ["args.l[-1] == 1", { l: [1] }, undefined],
    ["args.l['length'] == 1", { l: [1] }, undefined],
    ["args.l[args.k] == 1", { l: [1], k: "length" }, undefined],
    ["args[args.k] == 1", { k: "n", n: 1 }, true],
    ["args.l[args.k] == 1", { l: [1], k: true }, undefined],
    ["args.x + 1 > 1", { x: "1" }, undefined],
    ["args.x - 1 > 1", { x: "1" }, undefined],
    ["-args.x > 1", { x: "1" }, undefined],
    ["args.x / 0 > 1", { x: 1 }, undefined],
    ["args.x % 0 > 1", { x: 1 }, undefined],
    ["args.x * args.x > 1", { x: 1e200 }, undefined],
    ["size(args.x) > 1", { x: 12 }, undefined],
    ["args.x.contains('a')", { x: ["a"] }, undefined],
    ["args.x.all(i, true)", { x: 3 }, undefined],
    ["int(args.x) > 1", { x: "1.5" }, undefined],
    ["int(args.x) > 1", { x: 1e300 }, undefined],
    ["double(args.x) > 1.0", { x: "Infinity" }, undefined],
    ["double(args.x) > 1.0", { x: "1e999" }, undefined],
    ["bool(args.x)", { x: "yes" }, undefined],
    ["args.x in args.y", { x: 1, y: 1 }, undefined],
    ["args.x in args.y", { y: [1] }, undefined],
    ["args.x in args.y", { x: 1, y: {} }, undefined],
  ])("PR-4 a value that is missing, null or of another type is unknown: %s with %o is %s", (source, args, wanted) => {
    expect(decide(source, args)).toBe(wanted);
  });

  it.each<Case>([
    ["has(args.x)", { x: 1 }, true],
    ["has(args.x)", { x: false }, true],
    ["has(args.x)", {}, false],
    ["has(args.x)", { x: null }, false],
    ["has(args['x-y'])", { "x-y": 1 }, true],
    ["has(args.x.y)", { x: { y: 0 } }, true],
    ["has(args.x.y)", { x: {} }, false],
    ["has(args.x.y)", {}, undefined],
    ["has(args.x.y)", { x: "y" }, undefined],
    ["has(args.x)", { x: "a".repeat(70_000) }, true],
    ["has(session.user)", {}, true],
    ["args.l.all(x, has(x.id))", { l: [{ id: 1 }, {}] }, false],
    ["'x' in args", { x: 1 }, true],
    ["'x' in args", { x: null }, false],
    ["'x' in args.m", { m: {} }, false],
  ])("PR-5 has() is true for a value that is present and not null: %s with %o is %s", (source, args, wanted) => {
    expect(decide(source, args)).toBe(wanted);
  });

  it.each<Case>([
    ["tool == 'shell' && 'deploy' in actions", {}, true],
    ["'deploi' in actions", {}, false],
    ["session.channel == 'web' && session.user == 'ann' && session['agent'] == 'assistant'", {}, true],
    ["args.x in ['a', 'b']", { x: "c" }, false],
    ["args.x in ['a', 'b']", { x: ["a"] }, undefined],
    ["'a' in args.l", { l: ["b", null] }, undefined],
    ["'a' in args.l", { l: ["b", null, "a"] }, true],
    ["'b' in [args.missing, 'b']", {}, true],
    ["args.x == args.y", { x: [1, { a: "b" }], y: [1, { a: "b" }] }, true],
    ["args.x == args.y", { x: [1, { a: "b" }], y: [1, { a: "c" }] }, false],
    ["args.x == args.y", { x: [1, null], y: [2, null] }, false],
    ["args.x == args.y", { x: [1, null], y: [1, null] }, undefined],
    ["args.x == args.y", { x: [1], y: [1, 2] }, false],
    ["args.x == args.y", { x: { a: 1 }, y: { b: 1 } }, false],
    ["args.x == args.y", { x: { a: 1 }, y: { a: 1, b: 1 } }, false],
    ["args.x == [1, 2] + [3]", { x: [1, 2, 3] }, true],
    ["args.x + args.x == [1, 1]", { x: [1] }, true],
    ["args.x < 'b' && 'b' <= args.y && args.y > args.x", { x: "a", y: "b" }, true],
    ["args.x + '/' + args.y == 'a/b'", { x: "a", y: "b" }, true],
    ["bool(args.x) && bool(args.y) == false && bool(true)", { x: "true", y: "false" }, true],
    ["string(args.n) + string(true) == '1.5true'", { n: 1.5 }, true],
  ])("PR-6 values are compared deeply: %s with %o is %s", (source, args, wanted) => {
    expect(decide(source, args)).toBe(wanted);
  });

  it.each<Case>([
    ["args.s.startsWith('/etc') && args.s.endsWith('wd') && args.s.contains('/pa')", { s: "/etc/passwd" }, true],
    ["args.s.contains(args.t)", { s: `${"ab".repeat(50)}c`, t: `${"ab".repeat(20)}c` }, true],
    ["args.s.contains(args.t)", { s: "ab".repeat(50), t: `${"ab".repeat(20)}c` }, false],
    ["args.s.lastIndexOf(args.t) == 60", { s: "ab".repeat(50), t: "ab".repeat(20) }, true],
    ["args.s.lastIndexOf(args.t) == -1", { s: "ab".repeat(20), t: `${"ab".repeat(10)}c` }, true],
    ["args.s.lastIndexOf('') == 3 && args.s.indexOf('') == 0", { s: "abc" }, true],
    ["args.s.indexOf('b') == 1 && args.s.lastIndexOf('b') == 3 && args.s.indexOf('x') == -1", { s: "abcb" }, true],
    ["args.s.indexOf('b') == 1 && size(args.s) == 3 && args.s.size() == 3", { s: "😀b😀" }, true],
    ["args.s.substring(1) == 'b😀' && args.s.substring(0, 1) == '😀'", { s: "😀b😀" }, true],
    ["args.s.substring(1, 2) == 'b'", { s: "abc" }, true],
    ["args.s.substring(2, 1) == 'b'", { s: "abc" }, undefined],
    ["args.s.substring(9) == 'b'", { s: "abc" }, undefined],
    ["args.s.substring(0.5) == 'b'", { s: "abc" }, undefined],
    ["args.s.lowerAscii() == 'abcÄ'", { s: "aBCÄ" }, true],
    ["args.s.upperAscii() == 'ABCä'", { s: "aBCä" }, true],
    ["args.s.trim() == 'a'", { s: " \n a\t" }, true],
    ["args.s.split('/')[1] == 'b' && size(args.s.split('/')) == 3", { s: "a/b/c" }, true],
    ["args.s.split('/').join('-') == 'a-b' && args.s.split('/').join() == 'ab'", { s: "a/b" }, true],
    ["args.l.join(',') == ''", { l: ["a", 1] }, undefined],
    ["size(args.l) == 2 && size(args.m) == 1 && args.l.size() > args.m.size()", { l: [1, 2], m: { a: 1 } }, true],
  ])("PR-7 strings behave as in CEL: %s with %o is %s", (source, args, wanted) => {
    expect(decide(source, args)).toBe(wanted);
  });

  it.each<Case>([
    ["args.s.matches('^git push .*--force')", { s: "git push origin --force" }, true],
    ["args.s.matches('force')", { s: "git push --force" }, true],
    ["args.s.matches('^force$')", { s: "git push --force" }, false],
    ["args.s.matches(r'\\bAKIA[0-9A-Z]{16}\\b')", { s: `key AKIA${"A1".repeat(8)} end` }, true],
    ["args.s.matches('(?i)DROP\\\\s+table')", { s: "drop  TABLE x" }, true],
    ["args.s.matches('\\\\p{L}+@x')", { s: "jörg@x" }, true],
    ["args.s.matches('^[a-z]+$')", { s: "abc" }, true],
    ["args.s.matches('^[a-z]+$')", { s: "ab\nc" }, false],
    ["args.s.matches('(a+)+$')", { s: `${"a".repeat(60_000)}b` }, false],
    ["args.s.matches('(a+)+$')", { s: "a".repeat(100_000) }, undefined],
    ["args.s.matches('a')", { s: 1 }, undefined],
    ["args.s.matches('')", { s: "" }, true],
  ])("PR-8 matches() searches in linear time: %s", (source, args, wanted) => {
    expect(decide(source, args)).toBe(wanted);
  });

  it.each<Case>([
    ["args.l.all(x, x > 1)", { l: [2, 3] }, true],
    ["args.l.all(x, x > 1)", { l: [] }, true],
    ["args.l.all(x, x > 1)", { l: [2, "a"] }, undefined],
    ["args.l.all(x, x > 1)", { l: ["a", 1] }, false],
    ["args.l.exists(x, x > 1)", { l: [1, null, 2] }, true],
    ["args.l.exists(x, x > 1)", { l: [1, null] }, undefined],
    ["args.l.exists(x, x > 1)", { l: [] }, false],
    ["args.l.exists_one(x, x > 1)", { l: [1, 2] }, true],
    ["args.l.exists_one(x, x > 1)", { l: [2, 2, "a"] }, false],
    ["args.l.exists_one(x, x > 1)", { l: [2, "a"] }, undefined],
    ["args.l.exists_one(x, x > 1)", {}, undefined],
    ["args.l.filter(x, x > 1) == [2, 3]", { l: [1, 2, 3] }, true],
    ["args.l.filter(x, x > 1) == [2]", { l: [2, "a"] }, undefined],
    ["args.l.filter(x, x > 1).all(y, y < 3)", { l: [1, 2, 3] }, false],
    ["args.l.map(x, x.id) == [1, 2]", { l: [{ id: 1 }, { id: 2 }] }, true],
    ["2 in args.l.map(x, x.id)", { l: [{}, { id: 2 }] }, true],
    ["args.l.map(x, x > 1, x * 2) == [4]", { l: [1, 2] }, true],
    ["args.l.map(x, x > 1, x * 2) == [4]", { l: ["a", 2] }, undefined],
    ["args.m.all(k, k.startsWith('a'))", { m: { ab: 1, ac: 2 } }, true],
    ["args.m.exists(k, args.m[k] == 2)", { m: { ab: 1, ac: 2 } }, true],
    ["actions.exists(a, a.startsWith('dep'))", {}, true],
    ["args.l.all(x, 'a' in x.tags)", { l: [{ tags: ["a"] }] }, true],
    ["args.l.all(x, x > 1) && args.l.exists(x, x > 2)", { l: [2, 3] }, true],
  ])("PR-9 comprehensions evaluate item by item: %s with %o is %s", (source, args, wanted) => {
    expect(decide(source, args)).toBe(wanted);
  });

  const long = "a".repeat(65_537);
  const items = Array.from({ length: 1_001 }, (_, i) => i);
  const deep = (levels: number): JsonObject => (levels === 0 ? {} : { in: deep(levels - 1) });
  const wide = Object.fromEntries(Array.from({ length: 10_001 }, (_, i) => [`k${i}`, 1]));
  const texts = Array.from({ length: 1_000 }, () => "a".repeat(60_000));
  it.each<Case>([
    ["args.s == 'a'", { s: long }, undefined],
    ["args.s.contains('a')", { s: long }, undefined],
    ["args.o.s == 'a'", { o: { s: long } }, undefined],
    ["'a' in args.l", { l: [long] }, undefined],
    ["args.l.all(x, x == 'a')", { l: [long] }, undefined],
    ["args.s + args.s == 'a'", { s: long.slice(1) }, undefined],
    ["args.l.join() == 'a'", { l: [long.slice(1), "a"] }, undefined],
    ["args.l.all(x, x >= 0)", { l: items.slice(1) }, true],
    ["args.l.all(x, x >= 0)", { l: items }, undefined],
    ["args.l.exists(x, x == 0)", { l: items }, undefined],
    ["args.l + [1] == [1]", { l: items.slice(1) }, undefined],
    ["size(args.l + [1]) == 1000", { l: items.slice(2) }, true],
    ["size(args.s.split('a')) > 1", { s: "a".repeat(1_000) }, undefined],
    ["size(args.s.split('a')) == 1000", { s: "a".repeat(999) }, true],
    ["size(args.s.split(args.t)) > 0", { s: "a", t: "a".repeat(65) }, undefined],
    ["args.l.join() == ''", { l: items.map(String) }, undefined],
    ["args.x == args.y", { x: deep(100), y: deep(100) }, undefined],
    ["args.x == args.y", { x: deep(20), y: deep(20) }, true],
    ["args.x == args.x", { x: Array.from({ length: 100_000 }, () => 1) }, undefined],
    ["args.x == args.y", { x: texts, y: texts }, undefined],
    ["1 in args.x", { x: Array.from({ length: 100_000 }, () => 2) }, undefined],
    ["size(args.m) > 0", { m: wide }, undefined],
    ["size(args.m) > 0 || size(args.m) > 0", { m: wide }, undefined],
    ["args.m == args.m", { m: wide }, undefined],
    ["args.m.all(k, true)", { m: wide }, undefined],
    ["args.l.exists(x, x.contains('b'))", { l: texts }, undefined],
    ["args.l.exists(x, x.matches('b+'))", { l: texts }, undefined],
    ["args.l.exists(x, size(x) == 1)", { l: texts }, undefined],
    ["args.s.matches('^\\\\p{L}+$') || args.s.matches('^\\\\p{L}*$')", { s: "ä".repeat(60_000) }, true],
    ["args.s.matches('^\\\\p{L}+1$') || args.s.matches('^\\\\p{L}*2$')", { s: "ä".repeat(60_000) }, undefined],
    ["args.l.exists(x, x.trim() == 'b')", { l: texts }, undefined],
    ["args.l.exists(x, x.split('b') == ['b'])", { l: texts }, undefined],
    ["args.l.exists(x, x.substring(1) == 'b')", { l: texts }, undefined],
    ["args.l.exists(x, x + 'a' == 'b')", { l: texts }, undefined],
    ["args.l.exists(x, x < args.l[0])", { l: texts }, undefined],
    ["args.l.exists(x, 'b'.startsWith(x))", { l: texts }, undefined],
    ["args.l.exists(x, x.indexOf('a') == 1)", { l: texts }, undefined],
    ["args.l.exists(x, ('b' + x).lastIndexOf('a') == 1)", { l: texts }, undefined],
    ["args.l.exists(x, args.l.size() > 1000 || [x].join(x) == 'b')", { l: texts }, undefined],
    ["args.l.exists(x, size(args.k + args.k) == 1)", { l: texts, k: items.slice(501) }, undefined],
    ["args.s.contains(args.t)", { s: "a".repeat(65_536), t: `${"a".repeat(9_000)}b${"a".repeat(20_000)}` }, undefined],
    [
      `args.l.exists(x, ${Array.from({ length: 100 }, () => "x > 0").join(" && ")})`,
      { l: items.map(() => 0) },
      undefined,
    ],
  ])("PR-10 a predicate that exceeds the limits is unknown: %s", (source, args, wanted) => {
    expect(decide(source, args)).toBe(wanted);
  });

  it("PR-11 the cost limit of a decision does not depend on earlier decisions", () => {
    const source = "args.l.exists(x, x.matches('(a|b)+c'))";
    const args = { l: Array.from({ length: 500 }, (_, i) => "ab".repeat(i)) };
    expect([1, 2, 3].map(() => decide(source, args))).toEqual([undefined, undefined, undefined]);
  });

  it.each<Case>([
    ["args.__proto__ == args.x", { x: {} }, undefined],
    ["args['__proto__'].toString == 1", {}, undefined],
    ["has(args.constructor) || has(args.__proto__) || has(args.toString)", {}, false],
    ["'constructor' in args", {}, false],
    ["args.constructor.name == 'Object'", {}, undefined],
    ["args[args.k] == 1", { k: "__proto__" }, undefined],
    ["args.x.constructor == 1", { x: { y: 1 } }, undefined],
    ["args.l.all(x, has(x.constructor))", { l: [{}] }, false],
    ["args.__proto__ == 1", JSON.parse('{"__proto__": 1}'), true],
    ["args.x == args.y", { x: JSON.parse('{"__proto__": 1}'), y: { a: 1 } }, false],
    ["args.m.all(k, k == '__proto__')", { m: JSON.parse('{"__proto__": 1}') }, true],
  ])("PR-12 a predicate cannot reach prototypes: %s with %o is %s", (source, args, wanted) => {
    expect(decide(source, args)).toBe(wanted);
  });

  it.each<Case>([
    ["fileExists(args.path)", { path: "/there" }, true],
    ["fileExists(args['path'])", { path: "/gone" }, false],
    ["fileExists(args.path)", { path: "/not-looked-up" }, undefined],
    ["fileExists(args.path)", { path: 1 }, undefined],
    ["fileExists(args.path)", {}, undefined],
    ["!fileExists(args.path)", { path: "/gone" }, true],
  ])(
    "PR-13 fileExists() is true, false, or unknown for a path that was not looked up: %s with %o is %s",
    (source, args, wanted) => {
      expect(decide(source, args)).toBe(wanted);
    },
  );

  it.each([
    [{ fileExists: () => "yes" as never }],
    [
      {
        fileExists: () => {
          throw new Error("no");
        },
      },
    ],
    [{ args: null as never }],
    [{ args: { path: (() => 1) as never } }],
    [{ args: { path: Number.NaN } }],
    [{ args: { path: undefined as never } }],
  ])("PR-14 an input that breaks its contract gives unknown and throws nothing: %o", (more) => {
    const compiled = compilePredicate("fileExists(args.path) || args.path > 1");
    expect("fault" in compiled ? "fault" : compiled.predicate({ ...inputOf({ path: "/x" }), ...more })).toBeUndefined();
  });

  it.each([
    [
      "fileExists(args.path) && args.a > args['b-c'] && has(args.d) && 'e' in args && args.a == 2",
      "a,b-c,d,e,path",
      "path",
    ],
    ["!fileExists(args.from) || fileExists(args.to)", "from,to", "from,to"],
    ["tool == 'x'", "", ""],
    ["args.l.all(x, x.args == args.q)", "l,q", ""],
  ])("PR-15 %s lists the arguments and files that it reads", (source, args, files) => {
    const compiled = compilePredicate(source);
    if ("fault" in compiled) throw new Error(compiled.fault.message);
    expect([...compiled.args].sort().join()).toBe(args);
    expect([...compiled.files].sort().join()).toBe(files);
  });
});
