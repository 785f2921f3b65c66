import { sha256 } from "../../base/kernel/canonical-json.ts";
import { demoteHeadings } from "../../base/kernel/foreign-text.ts";
import { cutGraphemes, neutraliseTags } from "../../base/kernel/text.ts";
import type { TokenCounter } from "../../base/ports/token-counter.ts";
import { type CleanContent, cleanContent, type OwnTags } from "./clean-content.ts";

/** A line's end is near when no more than this share of the text would be lost by going back to it. */
const NEAR = 0.2;

/** What content may take, the marker of a cut included. */
export type CutLimits = { readonly maxChars?: number; readonly maxTokens?: number; readonly tags: OwnTags };

/** `kept` counts characters of the content, without what the cut added. */
type CutContent =
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

const MAX_ENTRIES = 1_000;
const MAX_CHARACTERS = 2_000_000;

/** Remembers what was asked for lately, by text: at most two generations of it, bounded in number and in characters. */
export class RecentMap<V> {
  #young = new Map<string, V>();
  #old = new Map<string, V>();
  #characters = 0;

  /** What `make` gives for this text; made only when it is not remembered. */
  recall(text: string, make: () => V): V {
    const known = this.#young.get(text);
    if (known !== undefined) return known;
    const value = this.#old.get(text) ?? make();
    if (this.#young.size >= MAX_ENTRIES || this.#characters + text.length > MAX_CHARACTERS) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#characters = 0;
    }
    this.#young.set(text, value);
    this.#characters += text.length;
    return value;
  }
}

/** Stands between two sections. */
export const SEPARATOR = "\n\n";

/** A section's size: `tokens` counts the separator after it too. */
export type Measure = { readonly tokens: number; readonly hash: string; readonly lines: number };

type Counted = { readonly measures: RecentMap<Measure>; readonly cuts: RecentMap<CutContent> };

/** What is known of texts by their content alone, so that a prompt that did not change is not counted again. Bounded. */
export class SectionMeasures {
  readonly #clean = new RecentMap<CleanContent>();
  readonly #byCounter = new WeakMap<TokenCounter, Counted>();

  clean(content: string, titled: boolean, tags: OwnTags): CleanContent {
    return this.#clean.recall(`${titled ? "t" : "u"}${tags} ${content}`, () => cleanContent(content, titled, tags));
  }

  measure(text: string, counter: TokenCounter): Measure {
    return this.#counted(counter).measures.recall(text, () => ({
      tokens: counter.count(text + SEPARATOR),
      hash: shortHash(text),
      lines: text.split("\n").length,
    }));
  }

  cut(content: string, limits: CutLimits, counter: TokenCounter): CutContent {
    const { maxChars, maxTokens, tags } = limits;
    if (maxChars === undefined && maxTokens === undefined) return { kind: "whole" };
    return this.#counted(counter).cuts.recall(`${maxChars} ${maxTokens} ${tags} ${content}`, () =>
      cutContent(content, limits, counter),
    );
  }

  #counted(counter: TokenCounter): Counted {
    const known = this.#byCounter.get(counter);
    if (known !== undefined) return known;
    const made = { measures: new RecentMap<Measure>(), cuts: new RecentMap<CutContent>() };
    this.#byCounter.set(counter, made);
    return made;
  }
}

/** Names a text: equal texts, equal names. */
export function shortHash(text: string): string {
  return sha256(text).slice(0, 20);
}
