import { callback, checkOptions, having, number, type ShapesOf, text } from "../../../base/kernel/check-options.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import type { SessionMoments } from "../../../engine/session/session-moments.ts";
import {
  CONNECTION_CLOSED,
  errorMessage,
  INVALID_REQUEST,
  keyOf,
  type Received,
  type Response,
  type Rpc,
  type RpcId,
} from "../shared/mcp/json-rpc.ts";
import { type Pipe, type Relay, type RelayEnd, runRelay } from "../shared/mcp/pipe.ts";
import { listedNames, ProxiedCalls, READ_RESULT, withReadResult } from "./proxied-calls.ts";
import { ProxiedTasks, type TaskMessage } from "./proxied-tasks.ts";

/** How the connection ended. */
export type ProxyEnd = RelayEnd<"server">;

/**
 * Runs a proxy between a client and a server. Every tool call passes the moments `call` and `result`; all other
 * messages are forwarded byte for byte. Resolves when both sides have ended.
 */
export async function runProxy(client: Pipe, server: Pipe, options: ProxyOptions): Promise<ProxyEnd> {
  checkOptions("runProxy", options, KEYS);
  return runRelay(client, ["server", server], new McpRelay(client, server, options), options.log);
}

/** A request of the client that is no tool call: its answer is forwarded, is a list of tools, or a call's late result. */
type Asked =
  | { readonly kind: "pass" }
  | { readonly kind: "list" }
  | { readonly kind: "task"; readonly of: TaskMessage };

class McpRelay implements Relay {
  readonly #sides: Sides;
  readonly #log: (line: string) => void;
  readonly #calls: ProxiedCalls;
  readonly #tasks: ProxiedTasks;
  readonly #asked = new Map<string, Asked>();
  readonly #names = new Set<string>();

  constructor(client: Pipe, server: Pipe, options: ProxyOptions) {
    const sides: Sides = {
      toClient: (message) => client.send(message) || server.pause(),
      toServer: (message) => server.send(message) || client.pause(),
    };
    this.#sides = sides;
    this.#log = options.log;
    this.#tasks = new ProxiedTasks(sides, options);
    this.#calls = new ProxiedCalls(sides, options, (...made) => this.#tasks.keep(...made));
  }

  async end(why: string): Promise<void> {
    await this.#calls.end(why);
    await this.#tasks.end();
    for (const key of this.#asked.keys()) this.#sides.toClient(errorMessage(JSON.parse(key), CONNECTION_CLOSED, why));
  }

  fromOther({ rpc, raw }: Received): void {
    const task = rpc.kind === "notification" ? this.#tasks.messageOf(rpc.method, rpc.params) : undefined;
    if (rpc.kind === "response" && rpc.id !== null) this.#serverAnswers(rpc.id, { body: rpc.body, raw });
    else if (rpc.kind === "notification" && task !== undefined)
      this.#tasks.received(task, { body: { params: rpc.params }, raw });
    else this.#sides.toClient(raw);
  }

  fromClient({ rpc, raw }: Received): void {
    switch (rpc.kind) {
      case "response":
        if (rpc.id === null || !this.#calls.isForm(rpc.id, rpc.body)) this.#sides.toServer(raw);
        break;
      case "notification":
        this.#clientNotifies(rpc.method, rpc.params, raw);
        break;
      case "request":
        this.#clientAsks(rpc, raw);
    }
  }

  #clientNotifies(method: string, { requestId }: JsonObject, raw: string | Buffer): void {
    const isId = typeof requestId === "string" || typeof requestId === "number";
    // A lenient server might run a call without an id.
    if (method === "tools/call") this.#log("dropped a tools/call without an id");
    else if (method === "notifications/cancelled" && isId && this.#calls.has(requestId)) {
      this.#calls.cancel(requestId, raw);
    } else {
      if (method === "notifications/cancelled" && isId) this.#asked.delete(keyOf(requestId));
      this.#sides.toServer(raw);
    }
  }

  #clientAsks({ id, method, params }: Extract<Rpc, { kind: "request" }>, raw: string | Buffer): void {
    if (this.#asked.has(keyOf(id)) || this.#calls.has(id)) {
      this.#sides.toClient(errorMessage(id, INVALID_REQUEST, "a request with this id is still pending"));
    } else if (method === "tools/call") {
      this.#calls.make(id, params, raw, !this.#names.has(READ_RESULT));
    } else {
      if (method === "initialize") this.#calls.introduce(params);
      if (method === "tools/list" && typeof params.cursor !== "string") this.#names.clear();
      const of = this.#tasks.messageOf(method, params);
      const kind = method === "tools/list" ? "list" : "pass";
      this.#asked.set(keyOf(id), of === undefined ? { kind } : { kind: "task", of });
      this.#sides.toServer(raw);
    }
  }

  #serverAnswers(id: RpcId, response: Response): void {
    if (this.#calls.has(id)) {
      this.#calls.answer(id, response);
      return;
    }
    const asked = this.#asked.get(keyOf(id));
    this.#asked.delete(keyOf(id));
    switch (asked?.kind) {
      case undefined:
        this.#log(`dropped the server's answer to ${keyOf(id)}: there is no such request`);
        break;
      case "task":
        this.#tasks.received(asked.of, response);
        break;
      case "list":
        for (const name of listedNames(response.body)) this.#names.add(name);
        this.#sides.toClient(withReadResult(response.raw, this.#names));
        break;
      case "pass":
        this.#sides.toClient(response.raw);
    }
  }
}

const KEYS: ShapesOf<ProxyOptions> = {
  server: text,
  session: having("onCall", "onResult"),
  newId: callback,
  now: callback,
  waitMs: number,
  log: callback,
};

/** The client, the server, and the session that decides. */
export type ProxyOptions = {
  /** The server's name in rules. */
  readonly server: string;
  readonly session: SessionMoments;
  /** Must return unguessable ids. */
  readonly newId: () => string;
  /** Returns the time in ms since the epoch. */
  readonly now: () => number;
  /** How long a question waits for Conduct's approver when the client cannot ask a person. */
  readonly waitMs: number;
  /** Receives lines for the person who debugs the connection. */
  readonly log: (line: string) => void;
};

export type Sides = { toClient(message: string | Buffer): void; toServer(message: string | Buffer): void };
