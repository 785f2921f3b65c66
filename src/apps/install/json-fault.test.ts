import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readSettingsObject } from "./settings-file.ts";

describe("settings that are JSON", () => {
  it.each([
    ["a comma too many", '{\n  "a": 1,\n}\n', 3],
    ["a comment", '{\n  // mine\n  "a": 1\n}\n', 2],
    ["a comment at the end of a line", '{\n  "a": 1, // mine\n  "b": 2\n}\n', 2],
    ["a key without quotes", "{\n  a: 1\n}\n", 2],
    ["a comma that is missing", '{\n  "a": 1\n  "b": 2\n}\n', 3],
    ["a word that is none", '{\n  "a": yes\n}\n', 2],
    ["an end that is missing", '{\n  "a": [\n    1\n', 4],
    ["a text without its end", '{\n  "a": "x\n}\n', 2],
    ["more behind the end", "{\n}\n}\n", 3],
    ["a list", "[]", 1],
  ])("INS-1 %s in JSON settings is reported with its line", (_what, text, line) => {
    expect(readSettingsObject(text)).toMatchObject({
      refused: expect.stringMatching(/^it is not (valid JSON|a JSON object)/),
      line,
    });
  });

  it.each([[undefined], [""], [" \n"], ["\uFEFF"]])("INS-2 %j is read as an empty object", (text) => {
    expect(readSettingsObject(text)).toEqual({ value: {} });
  });

  it("INS-3 truncated JSON settings are reported at an existing line, and complete ones are read", () => {
    const objects = fc.dictionary(fc.string(), fc.jsonValue());
    fc.assert(
      fc.property(objects, fc.nat(), (value, cut) => {
        const text = JSON.stringify(value, null, 2);
        expect(readSettingsObject(text)).toEqual({ value: JSON.parse(text) });
        const part = text.slice(0, 1 + (cut % text.length));
        const read = readSettingsObject(part);
        if (part === text) return;
        expect(read).toMatchObject({ line: expect.any(Number) });
        if ("line" in read) expect(read.line).toBeLessThanOrEqual(part.split("\n").length);
      }),
    );
  });
});
