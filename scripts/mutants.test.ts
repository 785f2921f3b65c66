import { describe, expect, it } from "vitest";
import { withMutants } from "./mutants.ts";

/** Runs the code with one mutant switched on, and returns what it gives. */
function run(code: string, on: number): unknown {
  const { text } = withMutants("a.ts", `function run() { ${code} }`, 1, "");
  return new Function("__conductMutant", "call", `${text}\nreturn run();`)(
    (id: number) => id === on,
    (...given: readonly unknown[]) => given,
  );
}

describe("mutants of wiring", () => {
  it.each<[string, string, readonly unknown[]]>([
    ["a property is dropped", "return { a: 1, b: 2 };", [{ a: 1, b: 2 }, { b: 2 }, { a: 1 }]],
    ["a shorthand property is dropped", "const a = 1; return { a };", [{ a: 1 }, {}]],
    ["nested properties are dropped one by one", "return { a: { b: 1 } };", [{ a: { b: 1 } }, {}, { a: {} }]],
    ["a call statement is skipped", "const all = []; all.push(1); return all;", [[1], []]],
    ["a condition is negated", "if (0 < 1) return 1; return 2;", [1, 2]],
    ["a choice is negated", "return 0 < 1 ? 1 : 2;", [1, 2]],
    ["a setting is ignored in favour of its default", "const given = 1; return given ?? 2;", [1, 2]],
    [
      "a name is another one",
      'return call("web", "two words");',
      [
        ["web", "two words"],
        ["another-name", "two words"],
      ],
    ],
  ])("MUT-1 %s, and only while its switch is on", (_, code, expected) => {
    for (const [on, value] of expected.entries()) expect(JSON.stringify(run(code, on))).toBe(JSON.stringify(value));
  });

  it("MUT-2 each mutant has its number, its line and the code that it is about", () => {
    const { mutants } = withMutants("a.ts", "const a = 1;\ncall({ a,\n  b: 2 });", 7, "");
    expect(mutants).toEqual([
      { id: 7, file: "a.ts", line: 2, what: "skipped: call({ a, b: 2 });" },
      { id: 8, file: "a.ts", line: 2, what: "a dropped: a" },
      { id: 9, file: "a.ts", line: 3, what: "b dropped: 2" },
    ]);
  });
});
