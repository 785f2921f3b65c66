import { describe, expect, it } from "vitest";
import { withoutDigest } from "./said.ts";

describe("what was pasted of a digest", () => {
  it.each([
    ["what is this?\n# Daily review · 2026-11-15\n\nSTOP: x", "what is this?"],
    ["Daily review · 2026-11-15\nanything", ""],
    ["**c_2** · `STOP: long reports`\nis that so?", "\nis that so?"],
    ["c_2 · STOP: long reports", ""],
    ["confidence 0.82 · global · would tell everybody: STOP: long reports", ""],
    ["cannot be promoted yet: it goes against another", ""],
    ["please stop that · thanks", "please stop that · thanks"],
    ["I wrote the daily review, stop asking", "I wrote the daily review, stop asking"],
  ])("RV-8 removing pasted digest text from %j leaves %j", (text, left) => {
    expect(withoutDigest(text)).toBe(left);
  });
});
