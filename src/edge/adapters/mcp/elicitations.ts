import type { CallInput } from "../../../base/words/call.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import type { RpcId } from "./json-rpc.ts";
import { type Answer, elicitationOf, openFor, type Question, readElicitation } from "./translate.ts";

export type ElicitationOptions = {
  send(message: string): void;
  readonly newId: () => string;
  readonly now: () => number;
  readonly session: string;
};

/** Questions that are put to the person behind the client. */
export class Elicitations {
  readonly #options: ElicitationOptions;
  readonly #open = new Map<string, (answer: Answer) => void>();
  /** Whether the client has said that it can. */
  possible = false;

  constructor(options: ElicitationOptions) {
    this.#options = options;
  }

  /** Waits for the person, until the question expires or the call is cancelled; the form is then taken back. */
  async ask(question: Question, call: CallInput, signal: AbortSignal): Promise<Answer> {
    const { send, newId, now, session } = this.#options;
    const id = `conduct-${newId()}`;
    const ends = AbortSignal.any([signal, AbortSignal.timeout(openFor(question, now()))]);
    const answer = new Promise<Answer>((resolve) => {
      this.#open.set(id, resolve);
      ends.addEventListener("abort", () => this.#takeBack(id), { once: true });
    });
    if (ends.aborted) this.#takeBack(id);
    else {
      const params = elicitationOf(question, call, session);
      send(JSON.stringify({ jsonrpc: "2.0", id, method: "elicitation/create", params }));
    }
    return answer;
  }

  /** True when the response was for one of these, and is for nobody else. */
  answer(id: RpcId, body: JsonObject): boolean {
    const open = typeof id === "string" ? this.#open.get(id) : undefined;
    if (open === undefined || typeof id !== "string") return typeof id === "string" && this.#taken.delete(id);
    this.#open.delete(id);
    open(readElicitation(body));
    return true;
  }

  /** Taken back while the person was looking at them: their late answers are not the server's. */
  readonly #taken = new Set<string>();

  #takeBack(id: string): void {
    const open = this.#open.get(id);
    if (open === undefined) return;
    this.#open.delete(id);
    this.#taken.add(id);
    const params = { requestId: id, reason: "the question is no longer open" };
    this.#options.send(JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params }));
    open("later");
  }
}
