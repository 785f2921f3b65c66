import type { JsonObject } from "../../../base/words/json.ts";
import { keyOf, type RpcId } from "../shared/mcp/json-rpc.ts";
import type { Pipe } from "../shared/mcp/pipe.ts";

export type Response = { readonly body: JsonObject; readonly raw: string | Buffer };

type Waiting = Map<string, PromiseWithResolvers<Response>>;

/** Both sides, and the requests whose answers Conduct reads before it forwards them. */
export class Wire {
  readonly #client: Pipe;
  readonly #agent: Pipe;
  readonly #newId: () => string;
  readonly #fromAgent: Waiting = new Map();
  readonly #fromClient: Waiting = new Map();
  #over: Error | undefined;

  constructor(client: Pipe, agent: Pipe, newId: () => string) {
    this.#client = client;
    this.#agent = agent;
    this.#newId = newId;
  }

  toClient(message: string | Buffer): void {
    if (!this.#client.send(message)) this.#agent.pause();
  }

  toAgent(message: string | Buffer): void {
    if (!this.#agent.send(message)) this.#client.pause();
  }

  notifyAgent(method: string, params: JsonObject): void {
    this.toAgent(JSON.stringify({ jsonrpc: "2.0", method, params }));
  }

  /** Sends a request under the client's own id. Rejects when the agent is gone. */
  askAgent(id: RpcId, message: string | Buffer): Promise<Response> {
    return this.#ask(this.#fromAgent, id, () => this.toAgent(message));
  }

  askClient(id: RpcId, message: string | Buffer): Promise<Response> {
    return this.#ask(this.#fromClient, id, () => this.toClient(message));
  }

  askPerson(params: JsonObject): Promise<Response> {
    const id = this.#newId();
    const message = { jsonrpc: "2.0", id, method: "session/request_permission", params };
    return this.askClient(id, JSON.stringify(message));
  }

  /** Returns false if no request waits for the response. */
  answered(by: "agent" | "client", id: RpcId | null, response: Response): boolean {
    const waiting = by === "agent" ? this.#fromAgent : this.#fromClient;
    const asked = id === null ? undefined : waiting.get(keyOf(id));
    if (id !== null) waiting.delete(keyOf(id));
    asked?.resolve(response);
    return asked !== undefined;
  }

  isAsked(by: "agent" | "client", id: RpcId): boolean {
    return (by === "agent" ? this.#fromAgent : this.#fromClient).has(keyOf(id));
  }

  end(why: string): void {
    this.#over = new Error(why);
    for (const waiting of [this.#fromAgent, this.#fromClient]) {
      for (const { reject } of waiting.values()) reject(this.#over);
      waiting.clear();
    }
  }

  #ask(waiting: Waiting, id: RpcId, send: () => void): Promise<Response> {
    if (this.#over !== undefined) return Promise.reject(this.#over);
    const asked = Promise.withResolvers<Response>();
    waiting.set(keyOf(id), asked);
    send();
    return asked.promise;
  }
}
