import type { Modes, ThinkLevel } from "../../../base/words/modes.ts";
import { applyModes } from "../../../behavior/session/modes/modes.ts";
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
/** `undefined` keeps the host's own setting. */
type Asked = { readonly effort: Effort | undefined; readonly budget: number | undefined };
const OWN: Asked = { effort: undefined, budget: undefined };

/** The thinking that the modes ask for. The default level is medium, and never less than the host's own. */
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
 * Sets the thinking of one query and restores the host's own afterwards. The runtime reads the effort with each request,
 * but the budget only when a turn begins, before the hook of the message.
 */
export class Thinking {
  readonly #own: Own;
  readonly #controls: () => Partial<ThinkingControls> | undefined;
  readonly #failed: (error: unknown) => void;
  #asked = OWN;

  /** `failed` is called when the runtime rejects a setting; the message is sent anyway. */
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
    // A missing option keeps the host's own setting.
    const options: Pick<ClaudeOptions, "effort" | "thinking"> = {};
    if (effort !== undefined) options.effort = effort;
    if (budget !== undefined) options.thinking = { type: "enabled", budgetTokens: budget };
    return options;
  }

  /** Call before a message is sent. */
  async expect(modes: ThinkModes): Promise<void> {
    const { budget } = askedOf(modes, this.#own);
    if (budget === this.#asked.budget) return;
    this.#asked = { ...this.#asked, budget };
    await this.#controls()
      ?.setMaxThinkingTokens?.(budget ?? null)
      .catch(this.#failed);
  }

  /** Call after a message was handled. */
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

/** The think mode that a message will switch to. */
export function thinkingAfter(modes: Modes, text: string): ThinkModes {
  return applyModes(modes, parseModes(text), { mayElevate: false, now: 0 }).modes;
}

function budgetOf({ thinking, maxThinkingTokens }: Own): number | undefined {
  if (thinking === undefined) return maxThinkingTokens;
  if (thinking.type === "disabled") return 0;
  return thinking.type === "enabled" ? thinking.budgetTokens : undefined;
}
