import type { Modes, ThinkLevel } from "../../../base/words/modes.ts";
import { applyModes } from "../../../behavior/session/modes/apply-modes.ts";
import { parseModes } from "../../../behavior/session/modes/parse-modes.ts";
import type { ClaudeOptions, Effort, ThinkingControls } from "./native.ts";

/** Newer models take an effort, older ones a budget of tokens; each ignores the other. The lowest effort is `low`. */
const LEVELS: Readonly<Record<ThinkLevel, { readonly effort: Effort; readonly budget: number }>> = {
  minimal: { effort: "low", budget: 1_024 },
  low: { effort: "low", budget: 4_000 },
  medium: { effort: "medium", budget: 10_000 },
  high: { effort: "high", budget: 31_999 },
};
const PLAIN: ThinkLevel = "medium";

type ThinkModes = Pick<Modes, "think" | "thinkLevel">;
type Own = Pick<ClaudeOptions, "effort" | "thinking" | "maxThinkingTokens">;
/** `undefined` is the host's own, whatever that is. */
type Asked = { readonly effort: Effort | undefined; readonly budget: number | undefined };
const OWN: Asked = { effort: undefined, budget: undefined };

/** How hard the modes want the model to think. Without a level it is medium, and never less than the host's own. */
export function askedOf({ think, thinkLevel }: ThinkModes, own: Own): Asked {
  if (!think) return OWN;
  if (thinkLevel !== undefined) return LEVELS[thinkLevel];
  const budget = budgetOf(own);
  return {
    // No model's default is below medium.
    effort: own.effort === "low" ? LEVELS[PLAIN].effort : undefined,
    budget: budget !== undefined && budget < LEVELS[PLAIN].budget ? LEVELS[PLAIN].budget : undefined,
  };
}

/**
 * The thinking of one query, which gives the host its own back. The runtime reads the effort with each request, and the
 * budget when a turn begins: in the hook of a message it is too late for that.
 */
export class Thinking {
  readonly #own: Own;
  readonly #controls: () => Partial<ThinkingControls> | undefined;
  readonly #failed: (error: unknown) => void;
  #asked = OWN;

  /** `failed` hears of what the runtime does not take; the message goes on without it. */
  constructor(
    own: Own,
    controls: () => Partial<ThinkingControls> | undefined,
    failed: (error: unknown) => void = () => {},
  ) {
    this.#own = own;
    this.#controls = controls;
    this.#failed = failed;
  }

  /** Options for a query that answers one message and ends. */
  begin(modes: ThinkModes): Pick<ClaudeOptions, "effort" | "thinking"> {
    this.#asked = askedOf(modes, this.#own);
    const { effort, budget } = this.#asked;
    return {
      ...(effort === undefined ? {} : { effort }),
      ...(budget === undefined ? {} : { thinking: { type: "enabled", budgetTokens: budget } }),
    };
  }

  /** Before a message is sent. */
  async expect(modes: ThinkModes): Promise<void> {
    const { budget } = askedOf(modes, this.#own);
    if (budget === this.#asked.budget) return;
    this.#asked = { ...this.#asked, budget };
    await this.#controls()
      ?.setMaxThinkingTokens?.(budget ?? null)
      .catch(this.#failed);
  }

  /** When a message has been heard. */
  async set(modes: ThinkModes): Promise<void> {
    const { effort } = askedOf(modes, this.#own);
    if (effort !== this.#asked.effort) {
      this.#asked = { ...this.#asked, effort };
      const effortLevel = effort ?? this.#own.effort ?? null;
      await this.#controls()?.applyFlagSettings?.({ effortLevel }).catch(this.#failed);
    }
    await this.expect(modes);
  }
}

/** What a message will make of the modes, as far as thinking goes. */
export function thinkingAfter(modes: Modes, text: string): ThinkModes {
  return applyModes(modes, parseModes(text), { mayElevate: false, now: 0 }).modes;
}

function budgetOf({ thinking, maxThinkingTokens }: Own): number | undefined {
  if (thinking === undefined) return maxThinkingTokens;
  if (thinking.type === "disabled") return 0;
  return thinking.type === "enabled" ? thinking.budgetTokens : undefined;
}
