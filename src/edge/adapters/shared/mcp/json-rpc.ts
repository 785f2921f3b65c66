import { asObject, isObject, parseExactly } from "../../../../base/kernel/json.ts";
import type { JsonObject } from "../../../../base/words/json.ts";

export type RpcId = string | number;

/** A JSON-RPC message, as far as a relay reads it. */
export type Rpc =
  | { readonly kind: "request"; readonly id: RpcId; readonly method: string; readonly params: JsonObject }
  | { readonly kind: "notification"; readonly method: string; readonly params: JsonObject }
  /** `id` is null if the other side could not read the request. */
  | { readonly kind: "response"; readonly id: RpcId | null; readonly body: JsonObject };

/** A message and its bytes, which are forwarded when nothing has to change. */
export type Received = { readonly rpc: Rpc; readonly raw: string | Buffer };

/** An answer, and its bytes. */
export type Response = { readonly body: JsonObject; readonly raw: string | Buffer };

export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
/** The code of MCP's own libraries for a closed connection. */
export const CONNECTION_CLOSED = -32000;

/** One line of a stream: a message, or the messages of a batch (protocol 2025-03-26). `undefined`: no message. */
export function readLine(line: Buffer): readonly Received[] | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line.toString("utf8"));
  } catch {
    return undefined;
  }
  if (!Array.isArray(value)) {
    const rpc = readRpc(value);
    return rpc === undefined ? undefined : [{ rpc, raw: line }];
  }
  const exact = parseExactly(line.toString("utf8"));
  const texts = Array.isArray(exact) ? exact.map((one) => JSON.stringify(one)) : [];
  const read = value.map((one, at) => ({ rpc: readRpc(one), raw: texts[at] ?? "" }));
  const sound = read.flatMap(({ rpc, raw }) => (rpc === undefined ? [] : [{ rpc, raw }]));
  return sound.length === read.length ? sound : undefined;
}

function readRpc(value: unknown): Rpc | undefined {
  if (!isObject(value)) return undefined;
  const { id, method } = value;
  const params = asObject(value.params);
  if (typeof method === "string") {
    if (isId(id)) return { kind: "request", id, method, params };
    // A lenient server might run a request without a proper id.
    return Object.hasOwn(value, "id") ? undefined : { kind: "notification", method, params };
  }
  if (method !== undefined) return undefined;
  if (!Object.hasOwn(value, "result") && !Object.hasOwn(value, "error")) return undefined;
  return isId(id) || id === null ? { kind: "response", id, body: value } : undefined;
}

function isId(id: unknown): id is RpcId {
  return typeof id === "string" || typeof id === "number";
}

/** Distinguishes 1 from "1", so that a response matches exactly its request. */
export function keyOf(id: RpcId): string {
  return JSON.stringify(id);
}

type Change = (value: JsonObject) => JsonObject;

/** Replaces the params of a message; all else, and every number, stays byte for byte. */
export function changeParams(raw: string | Buffer, change: Change): string {
  const message = asObject(parseExactly(raw.toString()));
  return JSON.stringify({ ...message, params: change(asObject(message.params)) });
}

/** The same for the result of a response. */
export function changeResult(raw: string | Buffer, change: Change): string {
  const message = asObject(parseExactly(raw.toString()));
  return JSON.stringify({ ...message, result: change(asObject(message.result)) });
}

export function resultMessage(id: RpcId, result: unknown): string {
  return JSON.stringify({ jsonrpc: "2.0", id, result });
}

export function errorMessage(id: RpcId | null, code: number, message: string, data?: JsonObject): string {
  return JSON.stringify({ jsonrpc: "2.0", id, error: { code, message, data } });
}
