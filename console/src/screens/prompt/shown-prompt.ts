import type { BuiltSection, PromptCut, TraceEntry } from "../../../../src/base/words/prompt.ts";
import type { Answer } from "../../data/client.ts";

export type ShownSection = {
  readonly contributor: string;
  readonly source: string | undefined;
  readonly zone: string | undefined;
  readonly tokens: number;
  readonly hash: string;
  /** Undefined: it is no longer kept. */
  readonly text: string | undefined;
  /** Its first line in the whole, from 1; undefined when texts before it are not kept. */
  readonly from: number | undefined;
  readonly cached: boolean;
};

/** A prompt of a turn or a preview, as the screen shows both. */
export type ShownPrompt = {
  readonly text: string | undefined;
  readonly tokens: number;
  readonly prefixTokens: number;
  readonly hash: string;
  readonly prefixHash: string;
  readonly sections: readonly ShownSection[];
  readonly cuts: readonly PromptCut[];
  /** Undefined: unknown, for prompts of before. */
  readonly left: readonly TraceEntry[] | undefined;
  readonly faults: readonly { readonly where: string; readonly message: string }[];
  readonly past:
    | {
        readonly event: string;
        readonly session: string;
        readonly agent: string;
        readonly turn: number;
        readonly at: number;
        readonly exact: boolean;
        readonly contract: { readonly version: number; readonly hash: string } | undefined;
      }
    | undefined;
};

export function pastPrompt(answer: Answer<"GET /api/prompts/{event}">): ShownPrompt {
  const { text, tokens, prefixTokens, hash, prefixHash, sections, cuts, left, contract } = answer;
  const { event, session, agent, turn, at, exact } = answer;
  return {
    ...{ text, tokens, prefixTokens, hash, prefixHash },
    sections: sections.map(({ contributor, source, zone, tokens: own, hash: of, text: said, lines, cached }) => ({
      ...{ contributor, source, zone, tokens: own, hash: of, text: said, cached },
      from: lines?.from,
    })),
    cuts: cuts as unknown as readonly PromptCut[],
    left: left as readonly TraceEntry[] | undefined,
    faults: [],
    past: {
      ...{ event, session, agent, turn, at, exact },
      contract: contract as { readonly version: number; readonly hash: string } | undefined,
    },
  };
}

export function previewedPrompt(answer: Answer<"POST /api/prompt/preview">): ShownPrompt {
  const { text, tokens, prefixTokens, hash, prefixHash, cuts, trace, faults } = answer;
  let sum = 0;
  const sections = (answer.sections as unknown as readonly BuiltSection[]).map((section) => {
    sum += section.tokens;
    const { contributor, source, zone, tokens: own, hash: of, text: said, lines } = section;
    return {
      contributor,
      source,
      zone,
      tokens: own,
      hash: of,
      text: said,
      from: lines.from,
      cached: sum <= prefixTokens,
    };
  });
  return {
    ...{ text, tokens, prefixTokens, hash, prefixHash, sections },
    cuts: cuts as unknown as readonly PromptCut[],
    left: (trace as unknown as readonly TraceEntry[]).filter(({ reason }) => reason !== "included"),
    faults: faults as unknown as ShownPrompt["faults"],
    past: undefined,
  };
}
