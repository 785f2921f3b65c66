import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../base/words/json.ts";
import { editJson5 } from "./edit-json5.ts";
import { parseJson5 } from "./parse-json5.ts";

const CONFIG = `// my gateway
{
  gateway: { port: 0x1F90, mode: 'local' }, // do not change
  "agents": {
    list: ["a", 'b',], /* two */
  },
  plugins: {
    // only mine
    entries: {},
  },
}
`;

describe("JSON5 settings", () => {
  it.each([
    ["comments", "/* a */ { // b\n a: 1 /* c */, // d\n}", { a: 1 }],
    ["trailing commas", '{ "a": [1, 2,], }', { a: [1, 2] }],
    ["single quotes and escapes", "{ 'it\\'s': 'a\\\nb\\x41\\u0042\\n' }", { "it's": "abAB\n" }],
    ["keys without quotes", "{ $a_1: null, ünï: true }", { $a_1: null, ünï: true }],
    ["numbers", "{ a: +1, b: -.5, c: 5., d: 0xFF, e: 1e3 }", { a: 1, b: -0.5, c: 5, d: 255, e: 1000 }],
    ["a byte order mark", "\uFEFF{}", {}],
  ])("JSE-1 %s are read", (_what, text, value) => {
    expect(parseJson5(text).value).toEqual(value);
  });

  it.each([
    ["{ a: 1 b: 2 }", 7],
    ["{ a: }", 5],
    ["{ a: 'x\n' }", 5],
    ["{ a: 1", 6],
    ["{} x", 3],
    ["{ a: undefined }", 5],
    ["", 0],
  ])("JSE-2 %j is rejected at the character at fault", (text, at) => {
    expect(() => parseJson5(text)).toThrow(expect.objectContaining({ at }));
  });

  it("JSE-3 a change keeps comments, quotes and order, and taking it back restores every byte", () => {
    const before = parseJson5(CONFIG).value as JsonObject;
    const wanted = {
      ...before,
      agents: { list: ["a", "b", "c"] },
      plugins: { entries: { conduct: { enabled: true } }, load: { paths: ["/x"] } },
    };
    const edited = editJson5(CONFIG, wanted);
    expect(parseJson5(edited).value).toEqual(wanted);
    for (const kept of ["// my gateway", "mode: 'local' }, // do not change", "/* two */", "// only mine", "0x1F90"])
      expect(edited).toContain(kept);
    expect(editJson5(edited, before)).toBe(CONFIG);
  });

  it.each([
    ["{}", { a: 1 }, '{\n  "a": 1\n}'],
    ["{ a: 1 }", { a: 1, b: [2] }, '{ a: 1, "b": [\n  2\n] }'],
    ["{\n\ta: 1 // one\n}", { a: 1, b: 2 }, '{\n\ta: 1, // one\n\t"b": 2\n}'],
    ["{\n  a: 1,\n  b: 2\n}", { a: 1 }, "{\n  a: 1\n}"],
    ["{\n  a: 1,\n  b: 2,\n}", { b: 3 }, "{\n  b: 3,\n}"],
    ["[", undefined, undefined],
  ])("JSE-4 %j becomes %j", (text, wanted, edited) => {
    if (wanted === undefined) expect(() => editJson5(text, {})).toThrow();
    else expect(editJson5(text, wanted)).toBe(edited);
  });

  it("JSE-5 any value can be changed into any other one", () => {
    const leaf = fc.oneof(fc.integer(), fc.string(), fc.boolean(), fc.constant(null));
    const key = fc.constantFrom("a", "b", "c", "d e");
    const { value } = fc.letrec<{ value: unknown; object: unknown }>((tie) => ({
      value: fc.oneof({ maxDepth: 3 }, leaf, fc.array(tie("value"), { maxLength: 3 }), tie("object")),
      object: fc.dictionary(key, tie("value"), { maxKeys: 3 }),
    }));
    const object = fc.dictionary(key, value, { maxKeys: 3 });
    fc.assert(
      fc.property(object, object, fc.constantFrom(0, 2), (one, other, indent) => {
        const text = `// head\n${JSON.stringify(one, null, indent)}\n// end\n`;
        const edited = editJson5(text, other as JsonObject);
        expect(JSON.stringify(sorted(parseJson5(edited).value))).toBe(JSON.stringify(sorted(other)));
        expect(edited.startsWith("// head\n") && edited.endsWith("// end\n")).toBe(true);
      }),
    );
  });
});

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, below]) => [key, sorted(below)]);
}
