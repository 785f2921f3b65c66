import type { Modes } from "../../../base/words/modes.ts";
import { agentOf } from "./conversations.ts";
import type { OpenClawApi } from "./native.ts";

/** Has OpenClaw think as hard as `/think` says, and gives each conversation its own level back afterwards. */
export class Thinking {
  /** The levels that conversations had before. */
  readonly #own = new Map<string, string | undefined>();

  /** Holds from the next run on. What cannot be set is left: a level is no rule. */
  async set({ agent }: OpenClawApi["runtime"], sessionKey: string, { think, thinkLevel }: Modes): Promise<void> {
    const name = { agentId: agentOf(sessionKey), sessionKey };
    const entry = agent.session.getSessionEntry(name);
    const level = think ? thinkLevel : undefined;
    if (entry === undefined || (level === undefined && (think || !this.#own.has(sessionKey)))) return;
    const now = entry.thinkingLevel ?? undefined;
    const wanted = level ?? this.#own.get(sessionKey);
    if (level === undefined) this.#own.delete(sessionKey);
    else if (!this.#own.has(sessionKey)) this.#own.set(sessionKey, now);
    if (wanted === now) return;
    await agent.session
      .patchSessionEntry({ ...name, update: () => ({ thinkingLevel: wanted }) })
      .catch(() => undefined);
  }
}
