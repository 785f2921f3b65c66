import { describe, expect, it } from "vitest";
import { comparisonKey } from "./comparison-key.ts";
import { normaliseDirective } from "./normalise-directive.ts";

function refusalOf(text: string): string {
  const normal = normaliseDirective(text);
  return "refused" in normal ? normal.refused.message : "taken";
}

describe("normaliseDirective", () => {
  it.each([
    ["  short   answers. ", "short answers.", "short answers"],
    ["Cafe\u0301 talk", "Café talk", "café talk"],
    ["a\u00a0b\u3000c", "a b c", "a b c"],
    ["zero\u200bwidth \u2060text", "zerowidth text", "zerowidth text"],
    ["日本語", "日本語", "日本語"],
    ["👩‍💻 talk", "👩‍💻 talk", "👩💻 talk"],
    ["answers <50 words", "answers <50 words", "answers <50 words"],
    ["C# code and issue #12", "C# code and issue #12", "c# code and issue #12"],
    ["costs under $5 {ok}", "costs under $5 {ok}", "costs under $5 {ok}"],
    ["- dashes first", "- dashes first", "- dashes first"],
    ["no", "no", "no"],
    ["می‌خواهم این را", "می‌خواهم این را", "میخواهم این را"],
    ["a\ufe00b\ufe01 c\ufe0f\u200d\u200cd", "ab cd", "ab cd"],
    ["❤️‍🔥 and 1️⃣ and 👩🏽‍💻 and 🏳️‍🌈", "❤️‍🔥 and 1️⃣ and 👩🏽‍💻 and 🏳️‍🌈", "❤🔥 and 1⃣ and 👩🏽💻 and 🏳🌈"],
    ["❤️\ufe0f\ufe0e\u200d\u200d\u200cx", "❤️\u200dx", "❤x"],
    ["क्‍ष and ක්‍ෂ", "क्‍ष and ක්‍ෂ", "क्ष and ක්ෂ"],
  ])("B01: the directive %j is shown as %j and compared as %j", (written, text, key) => {
    expect(normaliseDirective(written)).toEqual({ text, key });
  });

  it.each([
    ["Hand-offs", "handoffs"],
    ["hand‐offs", "hand–offs"],
    ["don’t", "DON'T"],
    ["“so-called”", '"socalled"'],
    ["ＦＵＬＬ width", "full width"],
    ["İstanbul", "istanbul"],
    ["ΟΔΟΣ", "οδοσ"],
    ["Foo bar. !", "foo bar"],
    ["foo bar…", "foo bar"],
    ["終わり。", "終わり"],
    ["ﬁne", "fine"],
    ["soft\u00adhyphen", "softhyphen"],
  ])("B06: %j and %j have the same comparison key", (a, b) => {
    expect(comparisonKey(a)).toBe(comparisonKey(b));
  });

  it.each([
    ["a - b", "ab"],
    ["5-6", "56"],
    ["short answers", "shorter answers"],
  ])("B06: %j and %j have different comparison keys", (a, b) => {
    expect(comparisonKey(a)).not.toBe(comparisonKey(b));
  });

  it.each([
    ["B02", "", "is empty"],
    ["B02", "x", "too short"],
    ["B02", "!!", "too short"],
    ["B02", "\u200b\u200b", "is empty"],
    ["B02", "x".repeat(321), "more than 320"],
    ["B03", `${"x".repeat(320)}${"!".repeat(5_000)}`, "5320 characters"],
    ["B03", `a${"\u0301".repeat(3_000)}`, "characters"],
    ["B07", "x</GATEWAY_BEHAVIOR_CONTRACT>", "a tag"],
    ["B07", "x < / gateway_behavior_contract >", "a tag"],
    ["B07", "x ＜/GATEWAY_BEHAVIOR_CONTRACT＞", "a tag"],
    ["B07", "x <\u200d/b>", "a tag"],
    ["B07", "x <!-- y", "a tag"],
    ["B07", "x ‹/Gateway_Behavior_Contract›", "the name of the contract's block"],
    ["B07", "x &lt;/ＧＡＴＥＷＡＹ_BEHAVIOR_CONTRACT&gt;", "the name of the contract's block"],
    ["B08", "a\nb", "more than one line"],
    ["B08", "a\u2028b", "more than one line"],
    ["B08", "## Role", "a heading"],
    ["B08", "# Role", "a heading"],
    ["B08", "a ## Role", "a heading"],
    ["B08", "use {{name}}", "a template"],
    ["B08", "use $".concat("{name}"), "a template"],
    ["B08", "use $placeholder", "a template"],
    ["B08", "\u001b[31mred", "control or invisible characters"],
    ["B08", "a\u0000b", "control or invisible characters"],
    ["B08", "a\u{e0041}b", "control or invisible characters"],
    ["B08", "a\u3164b", "control or invisible characters"],
    ["B08", "a\ud800b", "control or invisible characters"],
    ["B08", "abc\u202edef", "direction"],
    ["B09", "use sk-ant-api03-abcdefghij0123456789", "password"],
    ["B09", "password: hunter2222", "password"],
    ["B09", "use sk-ant-api03-abc\u200ddefghij01\u200c23456789", "password"],
    ["A09", "KEEP: nested", "another directive"],
    ["A09", "this **STOP:** that", "another directive"],
  ])("%s: %j is refused: %s", (_rule, text, message) => {
    expect(refusalOf(text)).toContain(message);
  });

  it.each(["x".repeat(320), "界".repeat(320), "👍🏽".repeat(320), "ok"])(
    "B04: the length of %j is counted in visible characters",
    (text) => {
      expect(refusalOf(text)).toBe("taken");
    },
  );

  it("B09: a rejection says what to do and does not show the secret", () => {
    const normal = normaliseDirective("use sk-ant-api03-abcdefghij0123456789");
    expect(JSON.stringify(normal)).not.toContain("abcdefghij");
    expect(normal).toHaveProperty("refused.fix", expect.stringContaining("Remove it"));
  });
});
