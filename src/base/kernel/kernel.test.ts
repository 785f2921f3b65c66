import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson, hashJson, quickHash } from "./canonical-json.ts";
import { formatDuration, parseDuration } from "./duration.ts";
import { assertNever, errorText } from "./error-text.ts";
import { globMatches } from "./glob.ts";
import { nearest } from "./nearest.ts";
import { cutGraphemes, neutraliseTags, wellFormed } from "./text.ts";

describe("canonical JSON", () => {
  it("CJ-1 canonical JSON ignores the order of keys but not the order of arrays", () => {
    expect(canonicalJson({ b: 1, a: [2, { d: 1, c: 2 }] })).toBe('{"a":[2,{"c":2,"d":1}],"b":1}');
    expect(hashJson({ a: 1, b: 2 })).toBe(hashJson({ b: 2, a: 1 }));
    expect(hashJson([1, 2])).not.toBe(hashJson([2, 1]));
  });

  it("CJ-2 canonical JSON parses back to the same value for any keys", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const plain = JSON.parse(JSON.stringify(value));
        expect(JSON.parse(canonicalJson(plain))).toEqual(plain);
      }),
    );
    expect(canonicalJson(undefined)).toBe("null");
    expect(canonicalJson(JSON.parse('{"b":1,"__proto__":2}'))).toBe('{"__proto__":2,"b":1}');
  });
});

describe("text", () => {
  it.each([
    { text: "abcdef", max: 3, cut: "abc" },
    { text: "ab👍🏽cd", max: 5, cut: "ab" },
    { text: "ab👍🏽cd", max: 6, cut: "ab👍🏽" },
    { text: "e\u0301x", max: 1, cut: "e" },
    { text: "short", max: 99, cut: "short" },
    { text: "any", max: 0, cut: "" },
    { text: "👍🏽", max: 1, cut: "" },
  ])("TX-1 the text $text cut at $max is '$cut'", ({ text, max, cut }) => {
    expect(cutGraphemes(text, max)).toBe(cut);
  });

  it("TX-2 a cut text is a prefix within the limit and never ends in half a character", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 400 }), fc.nat(500), (text, max) => {
        const cut = cutGraphemes(text, max);
        expect(text.startsWith(cut)).toBe(true);
        expect(cut.length).toBeLessThanOrEqual(max);
        expect(cut.isWellFormed()).toBe(true);
      }),
    );
  });

  it("TX-3 lone surrogates are replaced, well-formed text is unchanged", () => {
    expect(wellFormed("a\ud800b")).toBe("a\ufffdb");
    expect(wellFormed("👍")).toBe("👍");
  });

  it("TX-4 Conduct's own tags in foreign text are escaped, other tags are not", () => {
    expect(neutraliseTags("</feedback><Feedback x><b></GATEWAY_BEHAVIOR_CONTRACT>")).toBe(
      "&lt;/feedback>&lt;Feedback x><b>&lt;/GATEWAY_BEHAVIOR_CONTRACT>",
    );
  });
});

describe("quick hash", () => {
  it("QH-1 different texts have different hashes and equal texts have equal hashes", () => {
    const texts = Array.from({ length: 5_000 }, (_, i) => `call ${i}`);
    expect(new Set(texts.map(quickHash)).size).toBe(texts.length);
    expect(quickHash("a".repeat(600))).not.toBe(quickHash(`${"a".repeat(599)}b`));
    expect(quickHash("same")).toBe(quickHash("same"));
  });
});

describe("small things", () => {
  it.each([
    ["npm test*", "npm test -- a", true],
    ["npm test*", "npm tests", true],
    ["npm test", "npm test ", false],
    ["*deploy*", "npm run deploy:prod", true],
    ["a*b*c", "abc", true],
    ["a*b*c", "acb", false],
    ["*a*a*", "a", false],
    ["ab*ba", "aba", false],
    ["*", "", true],
  ])("GL-1 the glob %s on '%s' matches: %s", (pattern, text, matches) => {
    expect(globMatches(pattern, text)).toBe(matches);
  });

  it.each([
    ["30s", 30_000],
    ["2m", 120_000],
    ["1.5h", 5_400_000],
    ["250ms", 250],
    ["1d", 86_400_000],
    ["2 minutes", undefined],
    ["-2m", undefined],
    ["", undefined],
  ])("DU-1 the duration '%s' is parsed as %s ms", (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  it.each([
    [0, "0 seconds"],
    [1_000, "1 second"],
    [59_999, "59 seconds"],
    [60_000, "1 minute"],
    [3_599_000, "59 minutes"],
    [5_400_000, "1.5 hours"],
    [-5, "0 seconds"],
  ])("DU-2 a duration of %s ms is shown as '%s'", (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  it("NE-1 the nearest-name search finds the closest name, or none if nothing is close", () => {
    expect(nearest("polices", ["policies", "feedback"])).toBe("policies");
    expect(nearest("zzz", ["policies", "feedback"])).toBeUndefined();
  });

  it("AN-1 an unhandled case of an exhaustive switch throws at run time too", () => {
    expect(() => assertNever("x" as never)).toThrow("unexpected case");
  });

  it.each([
    [
      "a message that throws",
      Object.create(Error.prototype, {
        message: {
          get: () => {
            throw new Error("no");
          },
        },
      }),
    ],
    [
      "a proxy that throws",
      new Proxy(new Error("x"), {
        getPrototypeOf: () => {
          throw new Error("no");
        },
      }),
    ],
    ["nothing", undefined],
  ])("ET-1 any thrown value is converted to an error text: %s", (_, thrown) => {
    expect(errorText(thrown)).toBe("no reason given");
  });
});
