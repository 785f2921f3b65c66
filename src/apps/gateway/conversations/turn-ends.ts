import { errorText } from "../../../base/kernel/error-text.ts";
import type { ConversationsStore } from "../../../base/ports/stores/conversations.ts";
import type { TurnRecord } from "../../../base/words/hosting/conversation.ts";
import { StoreError } from "../../../edge/stores/sql/store-error.ts";
import type { Conduct } from "../../../engine/session/conduct.ts";

export const INTERRUPTED =
  "The gateway stopped during this turn. Nothing was repeated. Send the message again if you still need it.";

/** `owed`: it will be written later. `lost`: another replica owns the conversation and has decided how the turn ended. */
type Kept = "kept" | "owed" | "lost";

/** Stores how turns ended. A failed write is reported to the operator and retried until it succeeds. */
export class TurnEnds {
  readonly #store: ConversationsStore;
  readonly #conduct: Conduct;
  readonly #unkept = new Map<string, TurnRecord>();

  constructor(store: ConversationsStore, conduct: Conduct) {
    this.#store = store;
    this.#conduct = conduct;
  }

  /** Whether the turn has ended, although the store does not know yet. */
  has(turn: string): boolean {
    return this.#unkept.has(turn);
  }

  /** Never rejects, because the turn has already ended. */
  async keep(turn: TurnRecord): Promise<Kept> {
    try {
      await this.#store.updateTurn(turn);
      this.#unkept.delete(turn.id);
      return "kept";
    } catch (error) {
      if (isLeaseLost(error)) {
        this.#unkept.delete(turn.id);
        return "lost";
      }
      this.owe(turn);
      this.report(turn, "turn-not-kept", errorText(error));
      return "owed";
    }
  }

  /** Stores it with the next ones. */
  owe(turn: TurnRecord): void {
    this.#unkept.set(turn.id, turn);
  }

  report({ conversation }: TurnRecord, code: string, message: string): void {
    this.#conduct.find(conversation)?.notice({ kind: "fault", fault: { where: "gateway", code, message } });
  }

  async keepRest(): Promise<void> {
    for (const turn of [...this.#unkept.values()]) await this.keep(turn);
  }
}

export function isOver({ status }: TurnRecord): boolean {
  return status !== "queued" && status !== "running";
}

export function isLeaseLost(error: unknown): boolean {
  return error instanceof StoreError && error.code === "LEASE_LOST";
}
