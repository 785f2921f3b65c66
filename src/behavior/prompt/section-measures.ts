import { sha256 } from "../../base/kernel/canonical-json.ts";
import type { TokenCounter } from "../../base/ports/token-counter.ts";
import { type CleanContent, cleanContent, type OwnTags } from "./clean-content.ts";
import { type CutContent, type CutLimits, cutContent } from "./cut-content.ts";
import { RecentMap } from "./recent-map.ts";

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
