import { asObject, isObject } from "../../../base/kernel/json.ts";
import type { CallInput } from "../../../base/words/call.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import type { SessionMoments } from "../../../engine/moments/session-moments.ts";
import { rewriteInput } from "../rewrite-input.ts";
import { Elicitations } from "./elicitations.ts";
import {
  CONNECTION_CLOSED,
  errorMessage,
  INVALID_PARAMS,
  INVALID_REQUEST,
  keyOf,
  PARSE_ERROR,
  parseExactly,
  type Received,
  type Rpc,
  type RpcId,
  readLine,
  resultMessage,
} from "./json-rpc.ts";
import { feedbackOf, handleCall, type Ran } from "./moments.ts";
import { taskOf } from "./outcome-map.ts";
import type { Pipe, PipeEnd } from "./pipe.ts";
import { reshape, shapeOf } from "./result-shape.ts";
import { type McpCall, mapCall, mapOwnCall, READ_RESULT, readCall } from "./tool-map.ts";
import { canElicit, listedNames, ownResult, refusal, withReadResult } from "./translate.ts";
import { Turns } from "./turns.ts";

export type ProxyOptions = {
  /** What rules call the server. */
  readonly server: string;
  readonly session: SessionMoments;
  /** Makes ids that nobody can guess. */
  readonly newId: () => string;
  readonly now: () => number;
  /** How long a question waits for Conduct's approver where the client cannot ask a person. */
  readonly waitMs: number;
  /** For the person who runs it. */
  readonly log: (line: string) => void;
};

/** What the client has asked and the server has not answered. `calls` wait for a decision, the server, or a person. */
type Pending =
  | { readonly kind: "pass" }
  | { readonly kind: "list" }
  | { readonly kind: "task"; readonly call: Pick<CallInput, "id" | "tool">; readonly ends: boolean; readonly task: string }
  | { readonly kind: "call"; readonly abort: AbortController; answer?: (response: Response | Gone) => void };

/** The server's answer to a call, with its bytes. */
type Response = { readonly body: JsonObject; readonly raw: string | Buffer };
type Gone = { readonly gone: string };

/** Which side ended it. */
export type ProxyEnd = { readonly by: "client" | "server" } & PipeEnd;

/** Tasks whose results nobody has fetched yet. */
const MAX_TASKS = 1_000;

/**
 * Stands between a client and a server. Every tool call passes the moments `call` and `result`; all else, known or not, is
 * passed on as the bytes it came in. Resolves when one side has ended.
 */
export function runProxy(client: Pipe, server: Pipe, options: ProxyOptions): Promise<ProxyEnd> {
  const proxy = new Proxy(client, server, options);
  return new Promise((resolve) => {
    client.listen({
      message: (line) => proxy.fromClient(line),
      drained: () => server.resume(),
      end: (end) => resolve({ by: "client", ...end }),
    });
    server.listen({
      message: (line) => proxy.fromServer(line),
      drained: () => client.resume(),
      end: (end) => void proxy.serverGone(end.why).then(() => resolve({ by: "server", ...end })),
    });
  });
}

class Proxy {
  readonly #client: Pipe;
  readonly #server: Pipe;
  readonly #options: ProxyOptions;
  readonly #turns: Turns;
  readonly #elicitations: Elicitations;
  readonly #pending = new Map<string, Pending>();
  readonly #tasks = new Map<string, Pick<CallInput, "id" | "tool">>();
  readonly #names = new Set<string>();
  readonly #underWay = new Set<Promise<void>>();
  #gone: string | undefined;

  constructor(client: Pipe, server: Pipe, options: ProxyOptions) {
    this.#client = client;
    this.#server = server;
    this.#options = options;
    const { session, now, newId } = options;
    this.#turns = new Turns(session, { now, name: options.server });
    this.#elicitations = new Elicitations({ send: (text) => this.#toClient(text), newId, now, session: session.id });
  }

  fromClient(line: Buffer): void {
    const received = readLine(line);
    if (received === undefined) {
      this.#options.log("a line of the client's is no JSON-RPC message; it is not passed on");
      this.#toClient(errorMessage(null, PARSE_ERROR, "this is no JSON-RPC message"));
      return;
    }
    for (const one of received) this.#clientSays(one);
  }

  fromServer(line: Buffer): void {
    const received = readLine(line);
    if (received === undefined) return this.#options.log("a line of the server's is no JSON-RPC message; it is dropped");
    for (const { rpc, raw } of received) {
      if (rpc.kind !== "response" || rpc.id === null) this.#toClient(raw);
      else this.#serverAnswers(rpc.id, rpc.body, raw);
    }
  }

  /** Everything that waits for the server is told; resolves when the calls are settled. */
  async serverGone(why: string): Promise<void> {
    this.#gone = why;
    for (const [key, pending] of this.#pending) {
      if (pending.kind === "call") pending.answer?.({ gone: why });
      else this.#toClient(errorMessage(JSON.parse(key), CONNECTION_CLOSED, `the server is gone: ${why}`));
    }
    await Promise.all(this.#underWay);
  }

  #clientSays({ rpc, raw }: Received): void {
    switch (rpc.kind) {
      case "response":
        if (rpc.id === null || !this.#elicitations.answer(rpc.id, rpc.body)) this.#toServer(raw);
        return;
      case "notification":
        return this.#clientNotifies(rpc.method, rpc.params, raw);
      case "request":
        if (this.#pending.has(keyOf(rpc.id))) {
          this.#toClient(errorMessage(rpc.id, INVALID_REQUEST, "a request with this id is still under way"));
        } else this.#clientAsks(rpc, raw);
    }
  }

  #clientNotifies(method: string, params: JsonObject, raw: string | Buffer): void {
    // A lenient server might run what nobody waits for.
    if (method === "tools/call") return this.#options.log("a tools/call without an id is not passed on");
    const { requestId } = params;
    const isOne = method === "notifications/cancelled" && (typeof requestId === "string" || typeof requestId === "number");
    const pending = isOne ? this.#pending.get(keyOf(requestId)) : undefined;
    if (isOne && pending !== undefined && pending.kind !== "call") this.#pending.delete(keyOf(requestId));
    if (pending?.kind !== "call") return this.#toServer(raw);
    pending.abort.abort();
    // What the server was never told of it need not be told to cancel.
    if (pending.answer === undefined) return;
    this.#toServer(raw);
    pending.answer({ gone: "the client cancelled it" });
  }

  #clientAsks({ id, method, params }: Extract<Rpc, { kind: "request" }>, raw: string | Buffer): void {
    if (this.#gone !== undefined) {
      return this.#toClient(errorMessage(id, CONNECTION_CLOSED, `the server is gone: ${this.#gone}`));
    }
    if (method === "tools/call") return this.#called(id, params, raw);
    if (method === "initialize") this.#elicitations.possible = canElicit(params);
    this.#pending.set(keyOf(id), this.#pendingOf(method, params));
    this.#toServer(raw);
  }

  #pendingOf(method: string, { taskId, cursor }: JsonObject): Pending {
    if (method === "tools/list") {
      if (typeof cursor !== "string") this.#names.clear();
      return { kind: "list" };
    }
    const call = typeof taskId === "string" ? this.#tasks.get(taskId) : undefined;
    if (call === undefined || (method !== "tasks/result" && method !== "tasks/cancel")) return { kind: "pass" };
    return { kind: "task", call, ends: method === "tasks/cancel", task: String(taskId) };
  }

  #called(id: RpcId, params: JsonObject, raw: string | Buffer): void {
    const call = readCall(params);
    if ("fault" in call) return this.#toClient(errorMessage(id, INVALID_PARAMS, call.fault));
    const pending: Pending = { kind: "call", abort: new AbortController() };
    this.#pending.set(keyOf(id), pending);
    const own = call.name === READ_RESULT && !this.#names.has(READ_RESULT);
    const made = own ? mapOwnCall(call, this.#options.newId()) : mapCall(this.#options.server, call, this.#options.newId());
    const { session, waitMs } = this.#options;
    const { signal } = pending.abort;
    const { possible } = this.#elicitations;
    const handled = handleCall<string | Buffer>(session, this.#turns, made, {
      signal,
      waitMs,
      refuse: (text) => resultMessage(id, refusal(text)),
      run: (input) => (own ? this.#runOwn(id, call, input) : this.#forward(id, made, raw, input, pending)),
      ...(possible ? { ask: (question) => this.#elicitations.ask(question, made, signal) } : {}),
    })
      .catch((error: Error) => errorMessage(id, CONNECTION_CLOSED, error.message))
      .then((answer) => {
        this.#pending.delete(keyOf(id));
        if (!signal.aborted) this.#toClient(answer);
        this.#underWay.delete(handled);
      });
    this.#underWay.add(handled);
  }

  async #runOwn(id: RpcId, { arguments: args }: McpCall, input = args): Promise<Ran<string | Buffer>> {
    const tool = this.#options.session.tools().find(({ name }) => name === READ_RESULT);
    if (tool === undefined) throw new Error(`this agent has no ${READ_RESULT}`);
    const result = await tool.run(input);
    return { result, answer: (delivered, beside) => resultMessage(id, ownResult(delivered.result, beside)) };
  }

  /** What was decided on is what runs: the request is written anew, with nothing in it that was not read. */
  async #forward(
    id: RpcId,
    made: CallInput,
    raw: string | Buffer,
    input: JsonObject | undefined,
    pending: Extract<Pending, { kind: "call" }>,
  ): Promise<Ran<string | Buffer>> {
    if (this.#gone !== undefined) throw new Error(`the server is gone: ${this.#gone}`);
    const request = asObject(parseExactly(raw.toString()));
    const params = asObject(request.params);
    const args = asObject(params.arguments);
    const rewritten = input === undefined ? { input: args } : rewriteInput(args, made.args, input, "same");
    if ("cannot" in rewritten) throw new Error("the arguments cannot be rewritten");
    const sent = input === undefined ? request : { ...request, params: { ...params, arguments: rewritten.input } };
    const response = await new Promise<Response | Gone>((resolve) => {
      pending.answer = resolve;
      this.#toServer(JSON.stringify(sent));
    });
    if ("gone" in response) throw new Error(`what became of this call is not known: ${response.gone}`);
    const task = isObject(params.task) ? taskOf(response.body) : undefined;
    if (task !== undefined) {
      this.#keepTask(task, made);
      return { later: response.raw };
    }
    return this.#ranOf(response);
  }

  #ranOf({ body, raw }: Response): Extract<Ran<string | Buffer>, { result: unknown }> {
    const shape = shapeOf(body);
    return {
      result: shape.result,
      answer: (delivered, beside) => {
        if (!delivered.changed && beside.before.length === 0 && beside.after.length === 0) return raw;
        const changed = reshape(asObject(parseExactly(raw.toString())), shape, delivered, beside);
        return changed === undefined ? raw : JSON.stringify(changed);
      },
    };
  }

  #keepTask(task: string, { id, tool }: CallInput): void {
    this.#tasks.set(task, { id, tool });
    for (const oldest of this.#tasks.keys()) {
      if (this.#tasks.size <= MAX_TASKS) break;
      this.#tasks.delete(oldest);
    }
  }

  #serverAnswers(id: RpcId, body: JsonObject, raw: string | Buffer): void {
    const pending = this.#pending.get(keyOf(id));
    switch (pending?.kind) {
      case undefined:
        return this.#options.log(`the server answers ${keyOf(id)}, which nobody has asked; it is dropped`);
      case "call":
        // While it is being decided on the server cannot know of it.
        return pending.answer?.({ body, raw });
      case "task":
        return this.#taskAnswers(keyOf(id), pending, { body, raw });
      case "list":
        for (const name of listedNames(body)) this.#names.add(name);
        this.#pending.delete(keyOf(id));
        return this.#toClient(listWith(raw, this.#names));
      case "pass":
        this.#pending.delete(keyOf(id));
        return this.#toClient(raw);
    }
  }

  /** The result of a call that was made into a task, or its end without one. */
  #taskAnswers(key: string, { call, ends, task }: Extract<Pending, { kind: "task" }>, response: Response): void {
    this.#pending.delete(key);
    const failed = Object.hasOwn(response.body, "error");
    if (ends && failed) return this.#toClient(response.raw);
    const ran = this.#ranOf(response);
    const result = ends ? ({ outcome: "unknown", parts: [] } as const) : ran.result;
    const handled = this.#options.session.onResult(call, result).then((delivered) => {
      this.#toClient(ends ? response.raw : ran.answer(delivered, { before: [], after: feedbackOf(delivered) }));
      if (ends) this.#tasks.delete(task);
      this.#underWay.delete(handled);
    });
    this.#underWay.add(handled);
  }

  #toClient(message: string | Buffer): void {
    if (!this.#client.send(message)) this.#server.pause();
  }

  #toServer(message: string | Buffer): void {
    if (!this.#server.send(message)) this.#client.pause();
  }
}

function listWith(raw: string | Buffer, names: ReadonlySet<string>): string | Buffer {
  const added = withReadResult(asObject(parseExactly(raw.toString())), names);
  return added === undefined ? raw : JSON.stringify(added);
}
