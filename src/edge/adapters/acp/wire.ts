import type { JsonObject } from "../../../base/words/json.ts";
import { keyOf, type Response, type RpcId } from "../shared/mcp/json-rpc.ts";
import type { Pipe } from "../shared/mcp/pipe.ts";

type Side = "agent" | "client";

/** Both sides, and the requests whose answers Conduct reads before it forwards them. */
export class Wire {
  readonly #client: Pipe;
  readonly #agent: Pipe;
  readonly #newId: () => string;
  readonly #waiting: Readonly<Record<Side, Map<string, PromiseWithResolvers<Response>>>> = {
    agent: new Map(),
    client: new Map(),
  };
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
    return this.#ask("agent", id, () => this.toAgent(message));
  }

  askClient(id: RpcId, message: string | Buffer): Promise<Response> {
    return this.#ask("client", id, () => this.toClient(message));
  }

  askPerson(params: JsonObject): Promise<Response> {
    const id = this.#newId();
    const message = { jsonrpc: "2.0", id, method: "session/request_permission", params };
    return this.askClient(id, JSON.stringify(message));
  }

  /** Returns false if no request waits for the response. */
  answered(by: Side, id: RpcId | null, response: Response): boolean {
    const asked = id === null ? undefined : this.#waiting[by].get(keyOf(id));
    if (id !== null) this.#waiting[by].delete(keyOf(id));
    asked?.resolve(response);
    return asked !== undefined;
  }

  isAsked(by: Side, id: RpcId): boolean {
    return this.#waiting[by].has(keyOf(id));
  }

  end(why: string): void {
    this.#over = new Error(why);
    for (const waiting of Object.values(this.#waiting)) {
      for (const { reject } of waiting.values()) reject(this.#over);
      waiting.clear();
    }
  }

  #ask(side: Side, id: RpcId, send: () => void): Promise<Response> {
    if (this.#over !== undefined) return Promise.reject(this.#over);
    const asked = Promise.withResolvers<Response>();
    this.#waiting[side].set(keyOf(id), asked);
    send();
    return asked.promise;
  }
}
