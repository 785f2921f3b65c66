import { canonicalJson, sha256 } from "../../../../base/kernel/canonical-json.ts";
import { asList, asObject, asString, isObject } from "../../../../base/kernel/json.ts";
import type { JsonObject } from "../../../../base/words/json.ts";
import {
  CONNECTION_CLOSED,
  errorMessage,
  METHOD_NOT_FOUND,
  type Received,
  type Response,
  type RpcId,
  readLine,
  resultMessage,
} from "./json-rpc.ts";
import type { Pipe } from "./pipe.ts";
import { ownClaim } from "./stateless.ts";
import { HANDSHAKES } from "./tool-server.ts";

/** A tool as a server declares it. The digest changes with everything that the model reads of it. */
export type McpTool = {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly digest: string;
};

export type CallLimits = { readonly timeoutMs: number; readonly signal?: AbortSignal | undefined };

/** A connection to a server, in either protocol. */
export type McpClient = {
  /** Every page of `tools/list`. */
  tools(timeoutMs: number): Promise<readonly McpTool[]>;
  /** The server's response to `tools/call`. Rejects if none comes: `LostError` if the server is gone. */
  call(name: string, args: JsonObject, limits: CallLimits): Promise<Response>;
  close(): Promise<void>;
};

export type ClientOptions = {
  /** Our own version. */
  readonly version: string;
  /** Time for the server to answer its first request. */
  readonly startMs: number;
  /** `notifications/tools/list_changed` came. */
  readonly onToolsChanged: () => void;
  /** The server is gone. */
  readonly onLost: (why: string) => void;
};

/** The server is gone, or cannot be reached any more. */
export class LostError extends Error {}

/** A server that ignores what it does not know must not delay the handshake. */
const PROBE_MS = 3_000;
const MAX_PAGES = 50;
const MAX_NAME = 128;

type Waiting = { readonly resolve: (response: Response) => void; readonly reject: (error: Error) => void };

/**
 * Opens a connection. A server without a handshake (2026-07-28) answers `server/discover`; any other gets `initialize`.
 * On failure the pipe is closed.
 */
export async function openClient(pipe: Pipe, options: ClientOptions): Promise<McpClient> {
  const { version, startMs, onToolsChanged, onLost } = options;
  const self = { name: "conduct", version };
  const waiting = new Map<RpcId, Waiting>();
  let ids = 0;
  let lost: string | undefined;
  let stateless = true;

  function lose(why: string): void {
    if (lost !== undefined) return;
    lost = why;
    for (const { reject } of waiting.values()) reject(new LostError(why));
    waiting.clear();
    onLost(why);
  }

  function receive({ rpc, raw }: Received): void {
    if (rpc.kind === "response" && rpc.id !== null) {
      waiting.get(rpc.id)?.resolve({ body: rpc.body, raw });
      waiting.delete(rpc.id);
    } else if (rpc.kind === "request") {
      // We declare no capabilities, so a server may only ask whether we are there.
      pipe.send(
        rpc.method === "ping"
          ? resultMessage(rpc.id, {})
          : errorMessage(rpc.id, METHOD_NOT_FOUND, `there is no method '${rpc.method}' here`),
      );
    } else if (rpc.kind === "notification" && rpc.method === "notifications/tools/list_changed") onToolsChanged();
  }

  function notify(method: string, params: JsonObject = {}): void {
    pipe.send(JSON.stringify({ jsonrpc: "2.0", method, params }));
  }

  function ask(method: string, params: JsonObject, { timeoutMs, signal }: CallLimits): Promise<Response> {
    if (lost !== undefined) return Promise.reject(new LostError(lost));
    const id = ++ids;
    const { promise, ...settle } = Promise.withResolvers<Response>();
    const giveUp = (why: string) => {
      if (!waiting.delete(id)) return;
      if (method === "tools/call") notify("notifications/cancelled", { requestId: id, reason: why });
      settle.reject(new Error(why));
    };
    const timer = setTimeout(() => giveUp(`no answer within ${timeoutMs / 1_000} seconds`), timeoutMs);
    const abort = () => giveUp("the call was cancelled");
    waiting.set(id, settle);
    signal?.addEventListener("abort", abort, { once: true });
    if (signal?.aborted) abort();
    else {
      const claimed = stateless ? { ...params, _meta: ownClaim(self) } : params;
      pipe.send(JSON.stringify({ jsonrpc: "2.0", id, method, params: claimed }));
    }
    return promise.finally(() => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    });
  }

  async function open(): Promise<void> {
    const found = await ask("server/discover", {}, { timeoutMs: Math.min(PROBE_MS, startMs) }).catch((error: Error) => {
      if (error instanceof LostError) throw error;
      return undefined;
    });
    if (isObject(found?.body.result)) return;
    stateless = false;
    const hello = { protocolVersion: HANDSHAKES[0] ?? "", capabilities: {}, clientInfo: self };
    resultOf(await ask("initialize", hello, { timeoutMs: startMs }));
    notify("notifications/initialized");
  }

  pipe.listen({
    message: (line) => {
      for (const one of readLine(line) ?? []) receive(one);
    },
    drained: () => undefined,
    end: ({ why }) => lose(why),
  });
  try {
    await open();
  } catch (error) {
    await pipe.close();
    throw error;
  }
  return {
    async tools(timeoutMs) {
      const tools = new Map<string, McpTool>();
      let cursor: string | undefined;
      for (let page = 0; page < MAX_PAGES; page++) {
        const params = cursor === undefined ? {} : { cursor };
        const result = resultOf(await ask("tools/list", params, { timeoutMs }));
        for (const tool of asList(result.tools).flatMap(readTool)) tools.set(tool.name, tool);
        if (typeof result.nextCursor !== "string") break;
        cursor = result.nextCursor;
      }
      return [...tools.values()];
    },
    async call(name, args, limits) {
      const response = await ask("tools/call", { name, arguments: args }, limits);
      // The transport's own error, not the server's: nobody knows whether the call ran.
      const { code, message } = asObject(response.body.error);
      if (code === CONNECTION_CLOSED) throw new LostError(asString(message));
      return response;
    },
    close: () => pipe.close(),
  };
}

function resultOf({ body }: Response): JsonObject {
  if (isObject(body.result)) return body.result;
  const { code, message } = asObject(body.error);
  const why = asString(message) || "it sent no result";
  throw code === CONNECTION_CLOSED ? new LostError(why) : new Error(why);
}

function readTool(value: unknown): readonly McpTool[] {
  const { name, description, inputSchema, outputSchema } = asObject(value);
  if (typeof name !== "string" || name === "" || name.length > MAX_NAME) return [];
  const read = { description: asString(description), inputSchema: asObject(inputSchema) };
  return [{ name, ...read, digest: sha256(canonicalJson({ ...read, outputSchema: outputSchema ?? null })) }];
}
