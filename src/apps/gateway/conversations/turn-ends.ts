import { errorText } from "../../../base/kernel/error-text.ts";
import type { ConversationsStore } from "../../../base/ports/stores/conversations.ts";
import type { TurnRecord } from "../../../base/words/hosting/conversation.ts";
import type { Conduct } from "../../../engine/session/conduct.ts";

/** Stores how turns ended. A failed write is reported to the operator and retried until it succeeds. */
export class TurnEnds {
  readonly #store: ConversationsStore;
  readonly #conduct: Conduct;
  readonly #unkept = new Map<string, TurnRecord>();

  constructor(store: ConversationsStore, conduct: Conduct) {
    this.#store = store;
    this.#conduct = conduct;
  }

  /** Never rejects, because the turn has already ended. */
  async keep(turn: TurnRecord): Promise<void> {
    try {
      await this.#store.updateTurn(turn);
      this.#unkept.delete(turn.id);
    } catch (error) {
      this.#unkept.set(turn.id, turn);
      const fault = { where: "gateway", code: "turn-not-kept", message: errorText(error) };
      this.#conduct.find(turn.conversation)?.notice({ kind: "fault", fault });
    }
  }

  async keepRest(): Promise<void> {
    for (const turn of [...this.#unkept.values()]) await this.keep(turn);
  }
}

export function isOver({ status }: TurnRecord): boolean {
  return status !== "queued" && status !== "running";
}
