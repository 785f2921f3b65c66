import { demoteHeadings } from "../../base/kernel/foreign-text.ts";
import { cutGraphemes, neutraliseTags } from "../../base/kernel/text.ts";
import type { TokenCounter } from "../../base/ports/token-counter.ts";
import type { OwnTags } from "./clean-content.ts";

/** A line's end is near when no more than this share of the text would be lost by going back to it. */
const NEAR = 0.2;

/** What content may take, the marker of a cut included. */
export type CutLimits = { readonly maxChars?: number; readonly maxTokens?: number; readonly tags: OwnTags };

/** `kept` counts characters of the content, without what the cut added. */
export type CutContent =
  | { readonly kind: "whole" }
  | {
      readonly kind: "cut";
      readonly text: string;
      readonly kept: number;
      readonly limit: "maxChars" | "maxTokens";
    };

/** Content within its limits. A cut ends on a whole character, at a line's end if one is near, and says what was kept. */
export function cutContent(content: string, limits: CutLimits, counter: TokenCounter): CutContent {
  const { maxChars = Number.POSITIVE_INFINITY, maxTokens = Number.POSITIVE_INFINITY, tags } = limits;
  const counted = limits.maxTokens !== undefined;
  const fewEnough = !counted || counter.countUpTo(content, maxTokens).tokens <= maxTokens;
  if (content.length <= maxChars && fewEnough) return { kind: "whole" };

  const longest = marker(content.length, content.length);
  const roomy = longest.length * 2 <= maxChars && counter.count(longest) * 2 <= maxTokens;
  let chars = Math.min(maxChars, content.length);
  let tokens = maxTokens;
  const endByTokens = () => (counted ? counter.fit(content, tokens).end : content.length);
  const limit = endByTokens() < chars ? "maxTokens" : "maxChars";
  for (;;) {
    const kept = keep(content, Math.min(chars, endByTokens()), tags);
    if (kept === "") return { kind: "cut", text: "", kept: 0, limit };
    const text = `${close(kept, tags)}\n${roomy ? marker(kept.length, content.length) : "…"}`;
    const tooLong = text.length - maxChars;
    const tooMany = counted ? counter.count(text) - maxTokens : 0;
    if (tooLong <= 0 && tooMany <= 0) return { kind: "cut", text, kept: kept.length, limit };
    if (tooLong > 0) chars = Math.max(0, kept.length - tooLong);
    if (tooMany > 0) tokens = Math.max(0, Math.min(tokens, counter.count(kept)) - tooMany);
  }
}

function marker(kept: number, of: number): string {
  return `… [cut: kept ${grouped(kept)} of ${grouped(of)} characters]`;
}

function grouped(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

function keep(content: string, end: number, tags: OwnTags): string {
  const whole = cutGraphemes(content, end);
  const line = whole.lastIndexOf("\n");
  const kept = line > 0 && line >= whole.length * (1 - NEAR) ? whole.slice(0, line) : whole;
  // Half a tag of Conduct's own would neither open nor close.
  return (tags === "keep" ? kept.replace(/(?:^|\n)<[^<>\n]*$/, "") : kept).trimEnd();
}

/** A cut may have made a heading or a tag of what was none, and left a block open. */
function close(kept: string, tags: OwnTags): string {
  const text = demoteHeadings(kept, tags);
  if (tags === "neutralise") return text;
  const open: string[] = [];
  for (const [, slash, name = ""] of text.matchAll(/^<(\/?)([A-Za-z_]+)\b[^<>\n]*>$/gm)) {
    if (neutraliseTags(`<${name}`) === `<${name}`) continue;
    if (slash === "") open.push(name);
    else if (open.at(-1) === name) open.pop();
  }
  return [text, ...open.reverse().map((name) => `</${name}>`)].join("\n");
}
