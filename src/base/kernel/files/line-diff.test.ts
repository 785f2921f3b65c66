import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isDocumentation } from "./documentation.ts";
import { diffLines } from "./line-diff.ts";

describe("line diff", () => {
  it.each([
    ["a\nb\n", "a\nb\n", []],
    ["a\nb\n", "a\r\nb", []],
    ["a\nb\nc\n", "a\nx\nc\n", ["-b", "+x"]],
    ["a\nc\n", "a\nb\nc\nd\n", ["+b", "+d"]],
    ["", "a\n", ["+a"]],
  ])("ASK2-15 %j to %j", (before, after, lines) => {
    expect(diffLines(before, after).lines).toEqual(lines);
  });

  it("ASK2-16 removing and adding the lines of a diff turns one text into the other", () => {
    const texts = fc.array(fc.constantFrom<string>("a", "b", "c", "d"), { maxLength: 12 });
    fc.assert(
      fc.property(texts, texts, (a, b) => {
        const { added, removed, lines } = diffLines(a.join("\n"), b.join("\n"));
        const left: string[] = [...a].sort();
        for (const line of lines.filter((one) => one.startsWith("-"))) left.splice(left.indexOf(line.slice(1)), 1);
        const made = [...left, ...lines.filter((one) => one.startsWith("+")).map((one) => one.slice(1))].sort();
        expect(made).toEqual([...b].sort());
        expect(added - removed).toBe(b.length - a.length);
      }),
    );
  });
});

it.each([
  ["README.md", true],
  ["packages/a/README.md", true],
  ["src/README.md", true],
  ["docs/guide.md", true],
  ["LICENSE", true],
  ["docs/images/a.png", true],
  ["src/prompts/system.md", false],
  ["test/fixtures/a.png", false],
  ["requirements.txt", false],
  ["CMakeLists.txt", false],
  ["LICENSE.ts", false],
  ["docs/conf.py", false],
  ["page.mdx", false],
  ["icons/a.svg", false],
])("STL-15 %s is documentation: %s", (path, expected) => {
  expect(isDocumentation(path)).toBe(expected);
});
