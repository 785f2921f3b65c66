import { setTimeout as sleep } from "node:timers/promises";
import { errorText } from "../../../base/kernel/error-text.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import { LostError, type McpClient, type McpTool, openClient } from "../../../edge/adapters/shared/mcp/client.ts";
import type { Response } from "../../../edge/adapters/shared/mcp/json-rpc.ts";
import type { Pipe } from "../../../edge/adapters/shared/mcp/pipe.ts";
import { conductVersion } from "../../../edge/host/node/package-files.ts";

/** Time for a server to start and to list its tools. */
const START_MS = 20_000;
/** A server that failed is started again after this time, twice as long each time it fails again. */
const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 60_000;
/** A call waits at most so long for a server to be started again. */
const CALL_WAIT_MS = 5_000;
const TIMEOUT_MS = 120_000;

export type ConnectionOptions = {
  /** The server's name in rules. */
  readonly name: string;
  readonly timeoutMs?: number | undefined;
  /** Starts the process, or connects. Rejects with the reason. */
  readonly open: () => Promise<Pipe>;
  /** Called with every list of tools. */
  readonly onTools: (tools: readonly McpTool[]) => void;
  /** The server was lost, or could not be started. */
  readonly onLost: (why: string) => void;
  readonly now: () => number;
};

/** One server of one user and agent: opened when it is needed, and again after a failure, with growing pauses. */
export class ServerConnection {
  readonly #options: ConnectionOptions;
  #client: McpClient | undefined;
  #opening: Promise<McpClient> | undefined;
  #digests: ReadonlyMap<string, string> = new Map();
  #failures = 0;
  #retryAt = Number.NEGATIVE_INFINITY;
  #why = "";
  #closed = false;
  #busy = 0;
  /** Monotonic time of the last use. */
  lastUsed: number;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.lastUsed = options.now();
  }

  get isBusy(): boolean {
    return this.#busy > 0 || this.#opening !== undefined;
  }

  /** The server's tools now. Rejects with the reason while it is not available. */
  tools(): Promise<readonly McpTool[]> {
    return this.#use(async () => this.#list(await this.#connected(0)));
  }

  /** Calls a tool as it was listed to the model. Rejects with a sentence for the model. */
  call(tool: McpTool, args: JsonObject, signal?: AbortSignal): Promise<Response> {
    const { name, timeoutMs = TIMEOUT_MS } = this.#options;
    const full = `${name}/${tool.name}`;
    return this.#use(async () => {
      const client = await this.#connected(CALL_WAIT_MS).catch((error: unknown) => {
        throw new Error(`${full} was not called: the server is not available (${errorText(error)}).`);
      });
      const digest = this.#digests.get(tool.name);
      if (digest === undefined) throw new Error(`${full} was not called: the server no longer has this tool.`);
      if (digest !== tool.digest)
        throw new Error(
          `${full} was not called: the server has changed it since it was described to you. The new description is yours from the next turn on.`,
        );
      try {
        const response = await client.call(tool.name, args, { timeoutMs, signal });
        this.#failures = 0;
        return response;
      } catch (error) {
        if (error instanceof LostError) this.#lose(error.message);
        throw new Error(
          `${full} failed: ${errorText(error)}. It may still have had an effect, so check before you repeat it.`,
        );
      }
    });
  }

  /** Ends the server; nothing opens it again. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#opening?.catch(() => undefined);
    await this.#client?.close();
    this.#client = undefined;
  }

  async #use<T>(run: () => Promise<T>): Promise<T> {
    this.#busy += 1;
    try {
      return await run();
    } finally {
      this.#busy -= 1;
      this.lastUsed = this.#options.now();
    }
  }

  #connected(waitMs: number): Promise<McpClient> {
    if (this.#client !== undefined) return Promise.resolve(this.#client);
    if (this.#opening !== undefined) return this.#opening;
    const left = this.#retryAt - this.#options.now();
    if (this.#closed) return Promise.reject(new Error("it was ended"));
    if (left > waitMs) return Promise.reject(new Error(this.#why));
    this.#opening = this.#open(left).finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #open(pauseMs: number): Promise<McpClient> {
    if (pauseMs > 0) await sleep(pauseMs, undefined, { ref: false });
    let client: McpClient | undefined;
    let lost: string | undefined;
    try {
      client = await openClient(await this.#options.open(), {
        version: conductVersion(),
        startMs: START_MS,
        onToolsChanged: () => void (client && this.#list(client).catch(() => undefined)),
        onLost: (why) => {
          lost = why;
          if (client !== undefined && this.#client === client) this.#lose(why);
        },
      });
      await this.#list(client);
      if (lost !== undefined) throw new LostError(lost);
      if (this.#closed) throw new Error("it was ended");
      this.#client = client;
      return client;
    } catch (error) {
      await client?.close();
      this.#fail(lost ?? errorText(error));
      throw new Error(this.#why);
    }
  }

  async #list(client: McpClient): Promise<readonly McpTool[]> {
    const tools = await client.tools(START_MS).catch((error: unknown) => {
      if (this.#client === client) this.#lose(errorText(error));
      throw error;
    });
    this.#digests = new Map(tools.map(({ name, digest }) => [name, digest]));
    this.#options.onTools(tools);
    return tools;
  }

  #lose(why: string): void {
    const client = this.#client;
    this.#client = undefined;
    void client?.close().catch(() => undefined);
    if (client !== undefined && !this.#closed) this.#fail(why);
  }

  #fail(why: string): void {
    this.#failures += 1;
    this.#why = why;
    this.#retryAt = this.#options.now() + Math.min(FIRST_RETRY_MS * 2 ** (this.#failures - 1), LAST_RETRY_MS);
    if (!this.#closed) this.#options.onLost(why);
  }
}
