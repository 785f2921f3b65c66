import { describe, expect, it } from "vitest";
import { withMutants } from "./mutants.ts";

/** Runs the code with one mutant switched on, and returns what it gives. */
function run(code: string, on: number): unknown {
  const { text, mutants } = withMutants("a.ts", `function run() { ${code} }`, "");
  return new Function("__conductMutant", "call", `${text}\nreturn run();`)(
    (id: string) => id === mutants[on - 1]?.id,
    (...given: readonly unknown[]) => given,
  );
}

describe("mutants of wiring", () => {
  it.each<[string, string, readonly unknown[]]>([
    ["a property is dropped", "return { a: 1, b: 2 };", [{ a: 1, b: 2 }, { b: 2 }, { a: 1 }]],
    ["a shorthand property is dropped", "const a = 1; return { a };", [{ a: 1 }, {}]],
    ["nested properties are dropped one by one", "return { a: { b: 1 } };", [{ a: { b: 1 } }, {}, { a: {} }]],
    ["a call statement is skipped", "const all = []; all.push(1); return all;", [[1], []]],
    [
      "a skipped call leaves its else alone",
      "const all = []; if (all.length > 0) all.push(1); else all.push(2); return all;",
      [[2], [1], [2], []],
    ],
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

  it("MUT-2 each mutant has its line, the code that it is about, and an id that other lines do not change", () => {
    const code = "call({ a,\n  b: 2 });";
    const { mutants } = withMutants("a.ts", `const a = 1;\n${code}`, "");
    expect(mutants.map(({ line, what }) => [line, what])).toEqual([
      [2, "skipped: call({ a, b: 2 });"],
      [2, "a dropped: a"],
      [3, "b dropped: 2"],
    ]);
    const moved = withMutants("a.ts", `const a = 1;\nconst other = 2;\n\n${code}`, "").mutants;
    expect(moved.map(({ id }) => id)).toEqual(mutants.map(({ id }) => id));
    expect(new Set(withMutants("a.ts", `${code}\n${code}`, "").mutants.map(({ id }) => id)).size).toBe(6);
  });

  it("MUT-3 only the named functions are changed, and no code that only makes text", () => {
    const code = `
      function wire() { start({ a }); log("x"); return failed("CODE", { b }); }
      function outcome() { return { ok: false, message: a, b }; }
      class A { open() { start({ c }); } other() { start({ d }); } }`;
    const whatOf = (functions: readonly string[]) =>
      withMutants("a.ts", code, "", functions).mutants.map(({ what }) => what);
    expect(whatOf(["wire", "outcome", "open"])).toEqual([
      "skipped: start({ a });",
      "a dropped: a",
      "skipped: start({ c });",
      "c dropped: c",
    ]);
  });
});
