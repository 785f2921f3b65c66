import type { Modes, ThinkLevel } from "../../../base/words/modes.ts";
import type { ClaudeOptions, Effort, ThinkingControls } from "./native.ts";

/** Newer models take an effort, older ones a budget of tokens; each ignores the other. The lowest effort is `low`. */
const LEVELS: Readonly<Record<ThinkLevel, { readonly effort: Effort; readonly budget: number }>> = {
  minimal: { effort: "low", budget: 1_024 },
  low: { effort: "low", budget: 4_000 },
  medium: { effort: "medium", budget: 10_000 },
  high: { effort: "high", budget: 31_999 },
};
const PLAIN: ThinkLevel = "medium";

type Own = Pick<ClaudeOptions, "effort" | "thinking" | "maxThinkingTokens">;
/** `undefined` is the host's own, whatever that is. */
type Asked = { readonly effort: Effort | undefined; readonly budget: number | undefined };
const OWN: Asked = { effort: undefined, budget: undefined };

/** How hard the modes want the model to think. Without a level it is medium, and never less than the host's own. */
export function askedOf({ think, thinkLevel }: Pick<Modes, "think" | "thinkLevel">, own: Own): Asked {
  if (!think) return OWN;
  if (thinkLevel !== undefined) return LEVELS[thinkLevel];
  const budget = budgetOf(own);
  return {
    // No model's default is below medium.
    effort: own.effort === "low" ? LEVELS[PLAIN].effort : undefined,
    budget: budget !== undefined && budget < LEVELS[PLAIN].budget ? LEVELS[PLAIN].budget : undefined,
  };
}

/** Sets the thinking of a running query and gives the host its own back. Holds from the next request on. */
export class Thinking {
  readonly #own: Own;
  readonly #controls: () => Partial<ThinkingControls> | undefined;
  #asked = OWN;

  constructor(own: Own, controls: () => Partial<ThinkingControls> | undefined) {
    this.#own = own;
    this.#controls = controls;
  }

  /** Rejects when the runtime does not take it. */
  async set(modes: Pick<Modes, "think" | "thinkLevel">): Promise<void> {
    const { effort, budget } = askedOf(modes, this.#own);
    const before = this.#asked;
    const controls = this.#controls();
    this.#asked = { effort, budget };
    if (effort !== before.effort) {
      await controls?.applyFlagSettings?.({ effortLevel: effort ?? this.#own.effort ?? null });
    }
    if (budget !== before.budget) await controls?.setMaxThinkingTokens?.(budget ?? null);
  }
}

function budgetOf({ thinking, maxThinkingTokens }: Own): number | undefined {
  if (thinking === undefined) return maxThinkingTokens;
  if (thinking.type === "disabled") return 0;
  return thinking.type === "enabled" ? thinking.budgetTokens : undefined;
}
