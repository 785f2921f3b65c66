import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseCheck, writeCheck } from "./directive-check.ts";
import { isCheck } from "./journal-entry.ts";

describe("a check as a person writes it", () => {
  it.each([
    ["length: at most 120 words", { kind: "length", unit: "words", atMost: 120 }],
    ["length: 3 lines", { kind: "length", unit: "lines", atMost: 3 }],
    ["length: at least 1 character", { kind: "length", unit: "characters", atLeast: 1 }],
    ["cadence: at most 2 replies", { kind: "cadence", atMost: 2 }],
    ["cadence: at least 1 reply in 5m", { kind: "cadence", atLeast: 1, withinMs: 300_000 }],
    ["order: test before deploy", { kind: "order", first: "test", later: "deploy" }],
    [" reply:  !text.contains(':)') ", { kind: "reply", holds: "!text.contains(':)')" }],
  ])("ADH-1: the check '%s' is parsed", (written, check) => {
    expect(parseCheck(written)).toEqual(check);
  });

  it.each([
    "",
    "short",
    "length: short",
    "length: 3 replies",
    "length: 3 words in 5m",
    "cadence: 3 words",
    "cadence: 1 reply in never",
    "cadence: 1 reply in 0s",
    "order: test",
    "order: test before test",
    "order: te`st before deploy",
    "reply:",
    `reply: ${"x".repeat(600)}`,
  ])("ADH-2: '%s' is rejected as a check with a reason", (written) => {
    expect(parseCheck(written)).toEqual({ wrong: expect.stringMatching(/.{10,}\.$/) });
  });

  it("ADH-3: every parsed check survives writing, parsing and storage unchanged", () => {
    const amount = fc.tuple(fc.constantFrom("", "at most ", "at least "), fc.nat(9_999_999));
    const text = fc.oneof(
      fc.tuple(amount, fc.constantFrom("words", "characters", "lines")).map(([[b, n], u]) => `length: ${b}${n} ${u}`),
      fc.tuple(amount, fc.option(fc.integer({ min: 1, max: 9_999 }))).map(([[b, n], span]) => {
        return `cadence: ${b}${n} replies${span === null ? "" : ` in ${span}s`}`;
      }),
      fc
        .tuple(fc.stringMatching(/^[\w./:-]{1,20}$/), fc.stringMatching(/^[\w./:-]{1,20}$/))
        .map(([a, b]) => `order: ${a} before ${b}`),
      fc.string().map((one) => `reply: ${one}`),
      fc.string(),
    );
    fc.assert(
      fc.property(text, (written) => {
        const check = parseCheck(written);
        if ("wrong" in check) return;
        expect(parseCheck(writeCheck(check))).toEqual(check);
        expect(isCheck(JSON.parse(JSON.stringify(check)))).toBe(true);
      }),
    );
  });
});
