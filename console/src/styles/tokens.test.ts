import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const css = readFileSync(new URL("./tokens.css", import.meta.url), "utf8");
const TOKENS = new Map(
  [...css.matchAll(/--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);/g)].map(
    ([, name = "", light = "", dark = ""]) => [name, { light, dark }] as const,
  ),
);

const SURFACES = ["bg", "panel", "raised"] as const;
const INKS = [
  "text",
  "quiet",
  "accent",
  "passed",
  "advised",
  "denied",
  "message",
  "prompt",
  "call",
  "result",
  "stop",
] as const;
/** Text on its own ground. */
const PAIRS: readonly (readonly [ink: string, ground: string])[] = [
  ["on-accent", "accent"],
  ["passed", "passed-bg"],
  ["advised", "advised-bg"],
  ["denied", "denied-bg"],
  ["text", "advised-bg"],
  ["text", "denied-bg"],
  ["text", "accent-bg"],
  ["quiet", "accent-bg"],
  ["quiet", "advised-bg"],
  ["accent", "accent-bg"],
  ["accent", "advised-bg"],
  ...INKS.flatMap((ink) => SURFACES.map((ground) => [ink, ground] as const)),
];
/** What must be seen and is no text: the edge of a field, the ring of the focus, the bar of a tone. */
const SEEN: readonly (readonly [mark: string, ground: string])[] = [
  "edge",
  "accent",
  "passed",
  "advised",
  "denied",
].flatMap((mark) => SURFACES.map((ground) => [mark, ground] as const));

/** As WCAG 2 computes it. */
function contrast(a: string, b: string): number {
  const [light = 0, dark = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function colour(name: string, theme: "light" | "dark"): string {
  const found = TOKENS.get(name);
  if (found === undefined) throw new Error(`there is no token '${name}'`);
  return found[theme];
}

describe("the colours", () => {
  it("CT-1 the contrast of black on white is 21, and of a colour on itself 1", () => {
    expect(contrast("#000000", "#ffffff")).toBeCloseTo(21, 5);
    expect(contrast("#336699", "#336699")).toBe(1);
  });

  it.each(["light", "dark"] as const)(
    "CT-2 every text colour in %s has a contrast of at least 4.5 on its background",
    (theme) => {
      const poor = PAIRS.map(([ink, ground]) => ({
        ink,
        ground,
        ratio: contrast(colour(ink, theme), colour(ground, theme)),
      })).filter(({ ratio }) => ratio < 4.5);
      expect(poor).toEqual([]);
    },
  );

  it.each(["light", "dark"] as const)(
    "CT-3 edges, focus rings and bars in %s have a contrast of at least 3",
    (theme) => {
      const poor = SEEN.map(([mark, ground]) => ({
        mark,
        ground,
        ratio: contrast(colour(mark, theme), colour(ground, theme)),
      })).filter(({ ratio }) => ratio < 3);
      expect(poor).toEqual([]);
    },
  );

  it("CT-4 colours are defined only in tokens.css", async () => {
    const { globSync } = await import("node:fs");
    const root = new URL("..", import.meta.url);
    const found = globSync("**/*.{css,tsx}", { cwd: root })
      .filter((file) => !file.endsWith("tokens.css"))
      .flatMap((file) =>
        [
          ...readFileSync(new URL(file, root), "utf8").matchAll(/#[0-9a-fA-F]{3,8}\b(?!["'`]?\s*\})|\brgb\(|\bhsl\(/g),
        ].map(([text]) => `${file}: ${text}`),
      );
    // What lies under a dialog is darkened, in both themes.
    expect(found.filter((one) => !one.startsWith("ui/dialog.module.css: rgb("))).toEqual([]);
  });
});
