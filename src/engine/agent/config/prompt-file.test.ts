import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ContributorContext } from "../../../base/words/prompt.ts";
import { PROMPT_FILE_MAX, parsePromptFile } from "./prompt-file.ts";

const FILE = ".agents/prompts/style.md";

function read(text: string, file = FILE) {
  const parsed = parsePromptFile(text, file);
  if ("faults" in parsed) {
    return parsed.faults.map((one) => `${one.file}:${one.line}:${one.column} ${one.message} -> ${one.hint ?? ""}`);
  }
  const { contribute, ...rest } = parsed.contributor;
  return { ...rest, ...contribute({} as ContributorContext) };
}

describe("parsePromptFile", () => {
  it.each([
    ["Be short.\n", { id: "workspace:style", content: "Be short." }],
    ["---\n---\nBe short.\n", { id: "workspace:style", content: "Be short." }],
    [
      "\uFEFF---\r\nid: tone\r\npriority: 40\r\ntags:\r\n  - { dimension: channel, value: web }\r\n---\r\n\r\n# Tone\r\nCalm.\r\n",
      { id: "tone", priority: 40, tags: [{ dimension: "channel", value: "web" }], content: "# Tone\nCalm." },
    ],
    [
      "--- \nheading: H\nzone: session\nmaxChars: 20_000\nmaxTokens: 5\n---\t\nx\n---\ny\n",
      { id: "workspace:style", heading: "H", zone: "session", maxChars: 20_000, maxTokens: 5, content: "x\n---\ny" },
    ],
  ])("PF-1 the prompt file %j is a valid contributor", (text, contributor) => {
    expect(read(text)).toEqual(contributor);
  });

  it.each([
    [".agents/prompts/my rules (2).md", "workspace:my-rules-2-"],
    ["Stil.MD", "workspace:Stil"],
  ])("PF-2 the contributor's id is derived from the file name %s: %s", (file, id) => {
    expect(read("x", file)).toMatchObject({ id });
  });

  it.each([
    ["---\ntag: []\n---\nx", [`${FILE}:2:1 unknown key 'tag' -> did you mean 'tags'?`]],
    [
      "---\ncontent: x\n---\nx",
      [`${FILE}:2:1 unknown key 'content' -> write the content below the front matter instead`],
    ],
    ["---\r\n\r\npriority: high\r\n---\r\nx", [`${FILE}:3:11 'priority' must be a number, not "high" -> `]],
    [
      "---\ntags: [\n---\nx",
      [
        `${FILE}:2:8 this is not valid YAML: flow sequence in block collection must be sufficiently indented and end with a ] -> `,
      ],
    ],
    ["---\nid: x\n", [`${FILE}:1:1 the front matter has no end -> end it with a line of ---`]],
    ["", [`${FILE}:1:1 the file has no content -> write the content below the front matter`]],
    ["---\nid: x\n---\n \n", [`${FILE}:4:1 the file has no content -> write the content below the front matter`]],
    [
      "---\nid: builtin:soul\n---\nx",
      [`${FILE}:2:5 contributor 'builtin:soul': ids that start with builtin: are reserved -> give it another id`],
    ],
    [
      "---\nid: a\ntags:\n  - dimension: topic\n    value: codng\n---\nx",
      [`${FILE}:5:12 contributor 'a': 'codng' is no topic -> did you mean 'coding'?`],
    ],
    ["---\nmaxChars: 20001\n---\nx", [`${FILE}:2:11 'maxChars' must be at most 20,000, not 20001 -> `]],
    ["---\n- a\n---\nx", [`${FILE}:2:1 the file must be a map, not a list -> `]],
    [
      "---\ntags: topic\nzone: x\n---\n",
      [
        `${FILE}:2:7 'tags' must be a list, not "topic" -> `,
        `${FILE}:3:7 'zone' must be 'static' or 'session' or 'turn', not "x" -> `,
        `${FILE}:5:1 the file has no content -> write the content below the front matter`,
      ],
    ],
    [
      "x".repeat(PROMPT_FILE_MAX + 1),
      [
        `${FILE}:1:1 the file is longer than 20,000 characters -> split the file, or list it under prompt.docs so that the agent reads it when needed`,
      ],
    ],
  ])("PF-3 the fault in the prompt file %j is reported with its line", (text, faults) => {
    expect(read(text)).toEqual(faults);
  });

  it("PF-4 PROPERTY any text gives either one contributor with a usable id or faults inside the file", () => {
    const part = fc.oneof(
      fc.constantFrom("---\n", "id: a\n", "tags:\n", "- ", "*a ", "&a ", "\r\n", "builtin:x\n"),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
        const text = parts.join("");
        const parsed = parsePromptFile(text, FILE);
        if ("contributor" in parsed) {
          expect(parsed.contributor.id).not.toMatch(/^builtin:|\s/);
          expect(parsed.contributor.contribute({} as ContributorContext)?.content.trim()).not.toBe("");
        } else {
          const lines = text.split(/\r\n?|\n/).length;
          expect(parsed.faults.length).toBeGreaterThan(0);
          for (const { line } of parsed.faults) expect(line).toBeLessThanOrEqual(lines + 1);
        }
      }),
    );
  });
});
