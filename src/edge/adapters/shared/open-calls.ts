import type { CallInput } from "../../../base/words/call.ts";
import type { SessionMoments } from "../../../engine/session/session-moments.ts";
import { cancelCall } from "./refusals.ts";

/** The calls of one session that were allowed and have no result yet, and the step that is open. */
export class OpenCalls<T extends { readonly call: CallInput }> {
  readonly #session: SessionMoments;
  readonly #open = new Map<string, T>();
  /** The calls of one model response share a step. */
  step: string | undefined;

  constructor(session: SessionMoments) {
    this.#session = session;
  }

  add(entry: T): void {
    this.#open.set(entry.call.id, entry);
  }

  take(id: string): T | undefined {
    const entry = this.#open.get(id);
    this.#open.delete(id);
    return entry;
  }

  /** Cancels the calls that the runtime dropped, and closes the step. */
  async settle(): Promise<void> {
    for (const [id, { call }] of this.#open) {
      this.#open.delete(id);
      await cancelCall(this.#session, call);
    }
    this.closeStep();
  }

  closeStep(): void {
    if (this.step === undefined) return;
    this.#session.notice({ kind: "step-closed", step: this.step });
    this.step = undefined;
  }
}
