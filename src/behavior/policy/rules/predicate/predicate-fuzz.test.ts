import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../../../base/words/json.ts";
import type { PredicateInput } from "../../../../base/words/rule.ts";
import { compilePredicate } from "./predicate.ts";

const KEYS = ["a", "b", "l", "m", "s", "__proto__", "constructor", "toString", "length"];
const PATTERNS = ["(a+)+$", "^(a|aa)+$", "(x+x+)+y", "a[ab]{5}c", "(.*)(.*)(.*)z", "[", "a[ab]{40}c", "\\\\p{L}+1", ""];

/** Expressions of the grammar, well typed or not. */
const { expression } = fc.letrec<{ expression: string; leaf: string }>((tie) => {
  const one = tie("expression");
  const two = fc.tuple(one, one);
  return {
    leaf: fc.oneof(
      fc.constantFrom("true", "false", "0", "1", "2.5", "-3", "''", "'a'", "'aab'", "tool", "actions", "args", "x"),
      fc.constantFrom(...KEYS).map((key) => `args.${key}`),
      fc.constantFrom(...KEYS).map((key) => `args['${key}']`),
      fc.constantFrom("session.turn", "session.user", "session.elevated", "fileExists(args.a)", "null", "nonsense"),
    ),
    expression: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      tie("leaf"),
      fc
        .tuple(two, fc.constantFrom("&&", "||", "==", "!=", "<", ">=", "in", "+", "-", "*", "/", "%"))
        .map(([[left, right], operator]) => `(${left} ${operator} ${right})`),
      one.map((of) => `!${of}`),
      one.map((of) => `-${of}`),
      fc.tuple(one, one, one).map(([test, yes, no]) => `(${test} ? ${yes} : ${no})`),
      fc.tuple(one, fc.constantFrom(...KEYS)).map(([of, key]) => `${of}.${key}`),
      two.map(([of, key]) => `${of}[${key}]`),
      fc.array(one, { maxLength: 3 }).map((items) => `[${items.join(", ")}]`),
      fc.tuple(fc.constantFrom("size", "int", "double", "string", "bool", "has"), one).map(([f, of]) => `${f}(${of})`),
      fc
        .tuple(one, fc.constantFrom("trim", "size", "lowerAscii", "upperAscii", "join"))
        .map(([of, f]) => `${of}.${f}()`),
      fc
        .tuple(
          two,
          fc.constantFrom("contains", "startsWith", "endsWith", "split", "indexOf", "lastIndexOf", "substring"),
        )
        .map(([[of, part], f]) => `${of}.${f}(${part})`),
      fc.tuple(one, fc.constantFrom(...PATTERNS)).map(([of, pattern]) => `${of}.matches('${pattern}')`),
      fc
        .tuple(two, fc.constantFrom("all", "exists", "exists_one", "filter", "map"))
        .map(([[of, body], f]) => `${of}.${f}(x, ${body})`),
    ),
  };
});

function nested(depth: number, leaf: Json): Json {
  let value = leaf;
  for (let i = 0; i < depth; i++) value = i % 2 === 0 ? { a: value } : [value];
  return value;
}

const wide = Object.fromEntries(Array.from({ length: 3_000 }, (_, i) => [`k${i}`, i]));
/** Huge strings, deep objects, long lists, null and odd keys. */
const hostile: fc.Arbitrary<Json> = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>,
  fc.constantFrom(0, -0, 1e308, -1e308, 5e-324, null, true, false, "", "\ud800", "😀".repeat(9)),
  fc
    .constantFrom("a", "ab", "x", " ", "漢", "😀")
    .chain((unit) =>
      fc.constantFrom(50, 5_000, 32_768, 65_536, 100_000).map((length) => unit.repeat(length / unit.length)),
    ),
  fc.constantFrom(10, 100, 5_000).map((depth) => nested(depth, "a")),
  fc
    .constantFrom(10, 999, 1_001, 50_000)
    .chain((length) =>
      fc.constantFrom<Json>(0, "aa", null, { a: 1 }, ["a"]).map((item) => Array.from({ length }, () => item)),
    ),
  fc.constant(wide),
);

const args: fc.Arbitrary<JsonObject> = fc
  .array(fc.tuple(fc.constantFrom(...KEYS), hostile), { maxLength: 6 })
  .map((entries) => {
    const made: { [key: string]: Json } = {};
    for (const [key, value] of entries)
      Object.defineProperty(made, key, { value, enumerable: true, configurable: true });
    return made;
  });

function inputOf(given: JsonObject): PredicateInput {
  return {
    tool: "shell",
    args: given,
    actions: ["test"],
    session: { turn: 1, channel: "web", user: "u", agent: "a", elevated: false },
    fileExists: (path) => (path === "a" ? true : undefined),
  };
}

function decide(source: string, given: JsonObject): boolean | undefined | string {
  const compiled = compilePredicate(source);
  return "fault" in compiled ? compiled.fault.message : compiled.predicate(inputOf(given));
}

describe("any predicate", () => {
  it("PR-20 any predicate gives true, false, unknown or a fault, deterministically, and never throws", () => {
    let usable = 0;
    fc.assert(
      fc.property(expression, fc.array(args, { minLength: 1, maxLength: 3 }), (source, inputs) => {
        const compiled = compilePredicate(source);
        if ("fault" in compiled) {
          expect(compiled.fault.message).not.toBe("");
          return;
        }
        usable += 1;
        for (const each of inputs) {
          const answer = compiled.predicate(inputOf(each));
          expect([true, false, undefined]).toContain(answer);
          expect(compiled.predicate(inputOf(each))).toBe(answer);
        }
      }),
      { numRuns: 2_000 },
    );
    expect(usable).toBeGreaterThan(100);
  });

  it("PR-21 any text compiles to a predicate or a fault", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (source) => {
        const compiled = compilePredicate(source);
        expect("fault" in compiled || typeof compiled.predicate === "function").toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it("PR-22 not, and, or follow Kleene's three-valued logic", () => {
    const three = fc.constantFrom<Json>(true, false, null);
    fc.assert(
      fc.property(three, three, (a, b) => {
        const given = { a, b };
        expect(decide("!(args.a && args.b)", given)).toBe(decide("!args.a || !args.b", given));
        expect(decide("args.a && args.b", given)).toBe(decide("args.b && args.a", given));
        expect(decide("args.a || args.b", given)).toBe(decide("!(!args.b && !args.a)", given));
        expect(decide("[args.a, args.b].all(x, x)", given)).toBe(decide("args.a && args.b", given));
        expect(decide("[args.a, args.b].exists(x, x)", given)).toBe(decide("args.a || args.b", given));
      }),
    );
  });

  it("PR-23 'in' is true if one item is equal, and numbers compare as in JavaScript", () => {
    const scalar = fc.oneof(fc.integer({ min: -2, max: 2 }), fc.constantFrom("a", "b", null, true, 0.5));
    fc.assert(
      fc.property(scalar, fc.array(scalar, { maxLength: 4 }), (s, l) => {
        expect(decide("args.s in args.l", { s, l })).toBe(
          s === null ? undefined : decide("args.l.exists(x, x == args.s)", { s, l }),
        );
      }),
    );
    const number = fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }));
    fc.assert(
      fc.property(number, number, (a, b) => {
        expect(decide("args.a < args.b", { a, b })).toBe(a < b);
        expect(decide("args.a == args.b", { a, b })).toBe(a === b);
        expect(decide("args.a >= args.b", { a, b })).toBe(a >= b);
      }),
    );
  });

  it("PR-24 text searches give the same positions as in JavaScript", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 60 });
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(decide("args.a.contains(args.b)", { a, b })).toBe(a.includes(b));
        expect(decide(`args.a.indexOf(args.b) == ${a.indexOf(b)}`, { a, b })).toBe(true);
        expect(decide(`args.a.lastIndexOf(args.b) == ${a.lastIndexOf(b)}`, { a, b })).toBe(true);
      }),
    );
  });

  it("PR-25 patterns match the same texts as in JavaScript", () => {
    const pattern = fc.constantFrom("a+b", "^a", "b$", "(a|bb)+a", "[^a]b", "a{2,3}", "^(ab)*$", "\\\\bb", "a.?b$");
    fc.assert(
      fc.property(pattern, fc.string({ unit: fc.constantFrom("a", "b", " "), maxLength: 20 }), (source, s) => {
        const expected = new RegExp(source.replaceAll("\\\\", "\\")).test(s);
        expect(decide(`args.s.matches('${source}')`, { s })).toBe(expected);
      }),
      { numRuns: 500 },
    );
  });
});
