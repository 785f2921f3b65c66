import { asObject, isObject } from "../../../base/kernel/json.ts";
import type { CallInput } from "../../../base/words/call.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import { rewriteInput } from "../rewrite-input.ts";
import type { Elicitations } from "./elicitations.ts";
import {
  CONNECTION_CLOSED,
  errorMessage,
  INVALID_PARAMS,
  keyOf,
  parseExactly,
  type RpcId,
  resultMessage,
} from "./json-rpc.ts";
import { handleCall, type Ran } from "./moments.ts";
import { taskOf } from "./outcome-map.ts";
import type { ProxyOptions, Response, Sides } from "./proxy-options.ts";
import { reshape, shapeOf } from "./result-shape.ts";
import { type McpCall, mapCall, mapOwnCall, READ_RESULT, readCall } from "./tool-map.ts";
import { ownResult, refusal } from "./translate.ts";
import { Turns } from "./turns.ts";

/** A call that has no answer yet. `answer` is there once the server has it. */
type UnderWay = { readonly abort: AbortController; answer?: (response: Response | Lost) => void };
type Lost = { readonly lost: string };

type Answer = string | Buffer;

/** The tool calls of a client, each through the moments `call` and `result`. */
export class ProxiedCalls {
  readonly #sides: Sides;
  readonly #options: ProxyOptions;
  readonly #elicitations: Elicitations;
  readonly #turns: Turns;
  readonly #calls = new Map<string, UnderWay>();
  readonly #handled = new Set<Promise<void>>();
  readonly #onTask: (task: string, call: CallInput) => void;
  /** Set when a side has ended: nothing is sent to the server any more. */
  #over: string | undefined;

  constructor(
    sides: Sides,
    options: ProxyOptions,
    elicitations: Elicitations,
    onTask: (task: string, call: CallInput) => void,
  ) {
    this.#sides = sides;
    this.#options = options;
    this.#elicitations = elicitations;
    this.#onTask = onTask;
    const { session, now, server } = options;
    this.#turns = new Turns(session, { now, name: server });
  }

  has(id: RpcId): boolean {
    return this.#calls.has(keyOf(id));
  }

  /** `own`: `read_result` is ours, because the server has none. */
  make(id: RpcId, params: JsonObject, raw: Answer, own: boolean): void {
    const call = readCall(params);
    if ("fault" in call) {
      this.#sides.toClient(errorMessage(id, INVALID_PARAMS, call.fault));
      return;
    }
    const underWay: UnderWay = { abort: new AbortController() };
    this.#calls.set(keyOf(id), underWay);
    const isOwn = own && call.name === READ_RESULT;
    const { session, waitMs, server, newId } = this.#options;
    const made = isOwn ? mapOwnCall(call, newId()) : mapCall(server, call, newId());
    const { signal } = underWay.abort;
    const { possible } = this.#elicitations;
    const handled = handleCall<Answer>(session, this.#turns, made, {
      signal,
      waitMs,
      refuse: (text) => resultMessage(id, refusal(text)),
      run: (input) => (isOwn ? this.#runOwn(id, call, input) : this.#forward(made, raw, input, underWay)),
      ...(possible ? { ask: (question) => this.#elicitations.ask(question, made, signal) } : {}),
    })
      .catch((error: Error) => errorMessage(id, CONNECTION_CLOSED, error.message))
      .then((answer) => {
        this.#calls.delete(keyOf(id));
        this.#handled.delete(handled);
        // To a cancelled request there is no answer.
        if (!signal.aborted || this.#over !== undefined) this.#sides.toClient(answer);
      });
    this.#handled.add(handled);
  }

  /** The client no longer wants it. What the server was never told of, it need not be told to cancel. */
  cancel(id: RpcId, raw: Answer): void {
    const underWay = this.#calls.get(keyOf(id));
    underWay?.abort.abort();
    if (underWay?.answer === undefined) return;
    this.#sides.toServer(raw);
    underWay.answer({ lost: "the client cancelled it" });
  }

  /** The server's answer; while a call is decided on it cannot have one. */
  answer(id: RpcId, response: Response): void {
    this.#calls.get(keyOf(id))?.answer?.(response);
  }

  /** A side is gone. Resolves when every call is settled. */
  async end(why: string): Promise<void> {
    this.#over = why;
    for (const { abort, answer } of this.#calls.values()) {
      abort.abort();
      answer?.({ lost: why });
    }
    await Promise.all(this.#handled);
  }

  async #runOwn(id: RpcId, { arguments: args }: McpCall, input = args): Promise<Ran<Answer>> {
    const tool = this.#options.session.tools().find(({ name }) => name === READ_RESULT);
    if (tool === undefined) throw new Error(`this agent has no ${READ_RESULT}`);
    const result = await tool.run(input);
    return { result, answer: (delivered, beside) => resultMessage(id, ownResult(delivered.result, beside)) };
  }

  /** What was decided on is what runs: the request is written anew, with nothing in it that was not read. */
  async #forward(
    made: CallInput,
    raw: Answer,
    input: JsonObject | undefined,
    underWay: UnderWay,
  ): Promise<Ran<Answer>> {
    if (this.#over !== undefined) throw new Error(this.#over);
    const request = asObject(parseExactly(raw.toString()));
    const params = asObject(request.params);
    const args = asObject(params.arguments);
    const rewritten = input === undefined ? { input: args } : rewriteInput(args, made.args, input, "same");
    if ("cannot" in rewritten) throw new Error(`its arguments cannot be rewritten: ${rewritten.cannot.join(", ")}`);
    const sent = input === undefined ? request : { ...request, params: { ...params, arguments: rewritten.input } };
    const response = await new Promise<Response | Lost>((resolve) => {
      underWay.answer = resolve;
      this.#sides.toServer(JSON.stringify(sent));
    });
    if ("lost" in response) throw new Error(`what became of this call is not known: ${response.lost}`);
    const task = isObject(params.task) ? taskOf(response.body) : undefined;
    if (task === undefined) return ranOf(response);
    this.#onTask(task, made);
    return { later: response.raw };
  }
}

/** A server's response, to be answered with byte for byte where nothing has to change. */
export function ranOf({ body, raw }: Response): Extract<Ran<Answer>, { result: unknown }> {
  const shape = shapeOf(body);
  return {
    result: shape.result,
    answer: (delivered, beside) => {
      if (!delivered.changed && beside.before.length === 0 && beside.after.length === 0) return raw;
      return JSON.stringify(reshape(asObject(parseExactly(raw.toString())), shape, delivered, beside));
    },
  };
}
