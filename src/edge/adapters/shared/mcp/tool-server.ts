import { randomUUID } from "node:crypto";
import type { Readable, Writable } from "node:stream";
import { callback, checkOptions, optional, text } from "../../../../base/kernel/check-options.ts";
import { errorText } from "../../../../base/kernel/error-text.ts";
import { asObject, asString } from "../../../../base/kernel/json.ts";
import type { JsonObject } from "../../../../base/words/json.ts";
import { canElicit, type McpCall, OWN_SERVER, readCall, refusal } from "../own-tools.ts";
import { Forms } from "./forms.ts";
import {
  errorMessage,
  INVALID_PARAMS,
  keyOf,
  METHOD_NOT_FOUND,
  PARSE_ERROR,
  type Rpc,
  type RpcId,
  readLine,
  resultMessage,
} from "./json-rpc.ts";
import { streamPipe } from "./pipe.ts";
import { claimOf, completed, formAnswer, formResult, Rounds, STATELESS, UNSUPPORTED_VERSION } from "./stateless.ts";

const WAY_OUT = "A person can run `conduct doctor` to see what is wrong.";

/** Protocols that begin with `initialize`; the newest is offered to clients that want another. */
export const HANDSHAKES: readonly string[] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/** A call with its client's abilities. `elicit` is present if the client can show a form to a person. */
export type ToolRequest = McpCall & {
  readonly meta: JsonObject;
  readonly signal: AbortSignal;
  readonly elicit?: (form: JsonObject, limitMs: number) => Promise<unknown>;
};

export type ToolHost = {
  readonly instructions: string;
  tools(): Promise<readonly JsonObject[]>;
  /** Returns a result in MCP's format. A rejection becomes an error of the tool. */
  call(request: ToolRequest): Promise<JsonObject>;
};

/** Conduct's own tools for one client, in every version of the protocol. */
export type ToolServer = {
  /** Answers a message; `undefined` if no answer is due. Never rejects. */
  receive(rpc: Rpc, link: Link): Promise<string | undefined>;
  /** Cancels the calls that still run. */
  close(): void;
};

/** Takes requests to the client. `signal` is aborted when the client no longer wants the answer. */
export type Link = { send(message: string): void; readonly signal?: AbortSignal };

export function toolServer(host: ToolHost, version: string): ToolServer {
  // A host may have other methods too.
  checkOptions("toolServer", host, { instructions: text, tools: callback, call: callback, end: optional(callback) });
  const { instructions } = host;
  const about = { capabilities: { tools: {} }, instructions };
  const info = { name: OWN_SERVER, version };
  const forms = new Forms();
  const rounds = new Rounds<JsonObject>();
  const running = new Map<string, AbortController>();
  /** As the client said in `initialize`. */
  let introduced: JsonObject = {};

  async function callTool({ id, params }: Asked, link: Link): Promise<JsonObject | undefined> {
    const call = readCall(params);
    if ("fault" in call) throw new RpcFault(INVALID_PARAMS, call.fault);
    const claim = claimOf(params);
    const abort = new AbortController();
    const signal = link.signal === undefined ? abort.signal : AbortSignal.any([abort.signal, link.signal]);
    running.set(keyOf(id), abort);
    const request = { ...call, meta: asObject(params._meta), signal };
    const failed = (error: unknown) => refusal(`Conduct could not do this: ${errorText(error)}. ${WAY_OUT}`);
    const begin = () =>
      rounds.begin(call, (pause) => {
        const elicit = async (form: JsonObject, limitMs: number) => {
          if (claim === undefined) return forms.ask(form, limitMs, signal, link.send);
          const state = randomUUID();
          return formAnswer(await pause(formResult(form, state), state, limitMs));
        };
        return host.call({ ...request, elicit: canElicit(claim ?? introduced) ? elicit : undefined }).catch(failed);
      });
    try {
      const result = await (rounds.repeat(call, { params }) ?? begin());
      return signal.aborted ? undefined : result;
    } finally {
      running.delete(keyOf(id));
    }
  }

  async function resultOf(asked: Asked, link: Link): Promise<JsonObject | undefined> {
    const { method, params } = asked;
    const isStateless = claimOf(params) !== undefined;
    // The tools of a session belong to its user.
    const cached = isStateless ? { ttlMs: 0, cacheScope: "private" } : {};
    switch (method) {
      case "tools/list":
        return { tools: [...(await host.tools())], ...cached };
      case "tools/call":
        return callTool(asked, link);
      case isStateless ? "server/discover" : undefined:
        return { ...about, supportedVersions: [STATELESS], ...cached };
      case isStateless ? undefined : "initialize": {
        introduced = params;
        const wanted = asString(params.protocolVersion);
        return { ...about, protocolVersion: HANDSHAKES.includes(wanted) ? wanted : HANDSHAKES[0], serverInfo: info };
      }
      case isStateless ? undefined : "ping":
        return {};
      default:
        throw new RpcFault(METHOD_NOT_FOUND, `there is no method '${method}' here`);
    }
  }

  async function answer(asked: Asked, link: Link): Promise<string | undefined> {
    const { id, params } = asked;
    const claim = claimOf(params);
    if (claim !== undefined && claim.version !== STATELESS) {
      const data = { supported: [STATELESS], requested: claim.version };
      return errorMessage(id, UNSUPPORTED_VERSION, `this version is not supported: use ${STATELESS}`, data);
    }
    if (claim !== undefined && claim.capabilities === undefined) {
      return errorMessage(id, INVALID_PARAMS, "_meta lacks the client's capabilities");
    }
    try {
      const result = await resultOf(asked, link);
      return result && resultMessage(id, claim === undefined ? result : completed(result, info));
    } catch (error) {
      return errorMessage(id, error instanceof RpcFault ? error.code : INTERNAL_ERROR, errorText(error));
    }
  }

  return {
    async receive(rpc, link) {
      if (rpc.kind === "request") return answer(rpc, link);
      if (rpc.kind === "response" && rpc.id !== null) forms.answer(rpc.id, rpc.body);
      if (rpc.kind === "notification" && rpc.method === "notifications/cancelled") {
        running.get(keyOf(rpc.params.requestId as RpcId))?.abort();
      }
      return undefined;
    },
    close() {
      rounds.end();
      for (const abort of running.values()) abort.abort();
    },
  };
}

type Asked = Extract<Rpc, { kind: "request" }>;

const INTERNAL_ERROR = -32603;

class RpcFault extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** Serves over two streams, until the client closes its end. */
export async function serveStreams(server: ToolServer, input: Readable, output: Writable): Promise<void> {
  const pipe = streamPipe(input, output, async () => undefined);
  await new Promise<void>((resolve) => {
    pipe.listen({
      message(line) {
        const received = readLine(line);
        if (received === undefined) pipe.send(errorMessage(null, PARSE_ERROR, "this is not a JSON-RPC message"));
        for (const one of received ?? []) {
          void server.receive(one.rpc, pipe).then((answer) => answer !== undefined && pipe.send(answer));
        }
      },
      drained: () => undefined,
      end: () => resolve(),
    });
  });
  server.close();
}
