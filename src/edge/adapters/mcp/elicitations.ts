import { asObject } from "../../../base/kernel/json.ts";
import type { CallInput } from "../../../base/words/call.ts";
import type { Question } from "../../../base/words/decision.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import { renderApproval } from "../../host/node/terminal-approver.ts";
import type { RpcId } from "../shared/mcp/json-rpc.ts";
import { timerMs } from "../shared/refusals.ts";

type ElicitationOptions = {
  send(message: string): void;
  readonly newId: () => string;
  readonly now: () => number;
  readonly session: string;
};

export class Elicitations {
  readonly #options: ElicitationOptions;
  readonly #open = new Map<string, (answer: Answer) => void>();
  /** True if the client supports elicitation. */
  possible = false;

  constructor(options: ElicitationOptions) {
    this.#options = options;
  }

  /** Waits for the person until the question expires or the call is cancelled; then the form is withdrawn. */
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

  /** Returns true if the response belongs to one of these questions. */
  answer(id: RpcId, body: JsonObject): boolean {
    const open = typeof id === "string" ? this.#open.get(id) : undefined;
    if (open === undefined || typeof id !== "string") return typeof id === "string" && this.#taken.delete(id);
    this.#open.delete(id);
    open(readElicitation(body));
    return true;
  }

  /** Withdrawn forms: their late answers must not reach the server. */
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

/** A person's answer to a question; `later` if nobody answered. */
export type Answer = "yes" | "no" | "later";

/** The question as a form of the client, without a default answer. */
export function elicitationOf(question: Question, { tool, args }: CallInput, session: string): JsonObject {
  const { approval, rule, input = args, expiresAt } = question;
  return {
    message: renderApproval({ approval, session, rule, tool, question: question.question, input, expiresAt }).trim(),
    requestedSchema: {
      type: "object",
      properties: { answer: { type: "string", title: "Let it run?", enum: ["yes", "no"] } },
      required: ["answer"],
    },
  };
}

export function openFor({ expiresAt }: Question, now: number): number {
  return timerMs(expiresAt - now);
}

/** Only a clear yes counts as yes; closing the form answers nothing. */
export function readElicitation(body: JsonObject): Answer {
  const { action, content } = asObject(body.result);
  if (action === "decline") return "no";
  if (action !== "accept") return "later";
  const { answer } = asObject(content);
  return answer === "yes" || answer === "no" ? answer : "later";
}
