import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { verboseText } from "./verbose.ts";

const ESC = "\u001b";
const call = { tool: "read_file", tokens: 150, outcome: "ok", decision: "allow", text: "file contents" } as const;

function resultOf(text: string): readonly string[] {
  return verboseText({ ...call, text })
    .split("\n")
    .slice(5);
}

describe("what /verbose shows", () => {
  it("K17: verbose output shows tool, tokens, outcome, decision and result, with a prefix on each line", () => {
    expect(verboseText({ ...call, text: "one\ntwo\n" })).toBe(
      [
        "[DEBUG] Tool: read_file",
        "[DEBUG] Tokens: 150",
        "[DEBUG] Outcome: ok",
        "[DEBUG] Decision: allow",
        "[DEBUG] Result:",
        "[DEBUG]   one",
        "[DEBUG]   two",
      ].join("\n"),
    );
    expect(resultOf("")).toEqual([]);
  });

  it("K17: verbose output has at most 40 lines and 2,000 characters and states how much is missing", () => {
    const lines = resultOf("line\n".repeat(100));
    expect(lines).toHaveLength(41);
    expect(lines.at(-1)).toBe("[DEBUG] (300 more characters left out)");
    expect(resultOf("x".repeat(10_000))).toEqual([
      `[DEBUG]   ${"x".repeat(2_000)}`,
      "[DEBUG] (8,000 more characters left out)",
    ]);
    expect(resultOf("x".repeat(2_000))).toHaveLength(1);
    expect(resultOf(`${"x".repeat(1_995)}👩‍👩‍👧‍👦`)[0]).toBe(`[DEBUG]   ${"x".repeat(1_995)}`);
  });

  it.each([
    ["a colour", `${ESC}[31mred${ESC}[0m`, "red"],
    ["a link", `${ESC}]8;;http://x.test${ESC}\\text${ESC}]8;;\u0007`, "text"],
    ["a title that never ends", `${ESC}]0;text`, "0;text"],
    ["a one-byte sequence", "\u009b31mred", "red"],
    ["a clear screen", `a${ESC}cb`, "ab"],
    ["a bell, a backspace, a null", "a\u0007b\bc\u0000", "abc"],
    ["a turned line", "a\u202eb", "ab"],
    ["a key", "key sk-ant-api03-a1B2c3D4e5F6g7H8i9J0", "key sk-ant-[redacted]"],
    ["a key with a colour in it", `ghp_a1B2c3D4e5F6${ESC}[1mg7H8i9J0k1L2m3N4`, "ghp_[redacted]"],
    ["a tab", "a\tb", "a\tb"],
  ])("K17: verbose output neutralises %s", (_what, text, shown) => {
    expect(resultOf(text)).toEqual([`[DEBUG]   ${shown}`]);
  });

  it("K17: names and decisions in verbose output are one short line without secrets", () => {
    const text = verboseText({ ...call, tool: `a\nb${ESC}[2J`, decision: `deny: password=hunter ${"x".repeat(999)}` });
    const [tool, , , decision = ""] = text.split("\n");
    expect(tool).toBe("[DEBUG] Tool: a b");
    expect(decision).toContain("password=[redacted]");
    expect(decision.length).toBeLessThan(250);
  });

  it("K17: for any result every verbose line is prefixed, bounded and printable, and none imitates a header", () => {
    const parts = fc.constantFrom(
      "\n",
      "\r",
      "\r\n",
      "\u2028",
      "\u0085",
      "Tool: x",
      ESC,
      "[",
      "]",
      "\u009d",
      "👍🏽",
      "x",
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: "binary" }),
          fc.array(parts).map((all) => all.join("")),
        ),
        (text) => {
          for (const line of resultOf(text)) {
            expect(line).toMatch(/^\[DEBUG\] (?: {2}|\([\d,]+ more)/);
            // biome-ignore lint/suspicious/noControlCharactersInRegex: these must be gone.
            expect(line).not.toMatch(/[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u2028\u2029]/);
          }
        },
      ),
    );
  });

  it.each([ESC, `${ESC}]`, `${ESC}[`, "\u009d", "\u009b", `${ESC}[0;`, `${ESC}]a`])(
    "K17: verbose output of a megabyte of %j takes linear time",
    (part) => {
      expect(resultOf(part.repeat(1_000_000 / part.length)).length).toBeLessThanOrEqual(41);
    },
  );
});
