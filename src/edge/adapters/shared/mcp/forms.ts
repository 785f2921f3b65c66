import { randomUUID } from "node:crypto";
import type { JsonObject } from "../../../../base/words/json.ts";
import { timerMs } from "../refusals.ts";
import type { RpcId } from "./json-rpc.ts";

/** Forms for the person behind a client, sent as requests (protocols with a handshake). */
export class Forms {
  readonly #open = new Map<RpcId, (result: unknown) => void>();
  /** Withdrawn forms: their late answers must not reach the server. */
  readonly #withdrawn = new Set<RpcId>();

  /** Returns the result; an empty one if the form was withdrawn because its time was over or the call was cancelled. */
  ask(form: JsonObject, limitMs: number, signal: AbortSignal, send: (message: string) => void): Promise<unknown> {
    const id = `conduct-${randomUUID()}`;
    const ends = AbortSignal.any([signal, AbortSignal.timeout(timerMs(limitMs))]);
    return new Promise((resolve) => {
      if (ends.aborted) return resolve({});
      this.#open.set(id, resolve);
      ends.addEventListener("abort", () => this.#withdraw(id, send), { once: true });
      send(JSON.stringify({ jsonrpc: "2.0", id, method: "elicitation/create", params: form }));
    });
  }

  /** Returns true if the response belongs to one of these forms. */
  answer(id: RpcId, { result }: JsonObject): boolean {
    const open = this.#open.get(id);
    open?.(result);
    return this.#open.delete(id) || this.#withdrawn.delete(id);
  }

  #withdraw(id: string, send: (message: string) => void): void {
    const open = this.#open.get(id);
    if (!this.#open.delete(id)) return;
    this.#withdrawn.add(id);
    const params = { requestId: id, reason: "the question is no longer open" };
    send(JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params }));
    open?.({});
  }
}
