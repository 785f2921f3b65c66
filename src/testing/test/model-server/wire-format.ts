import type { JsonObject } from "../../../base/words/json.ts";
import type { RequestContent, WireName } from "./model-request.ts";

/** Tokens that a reply claims to have used. */
/** Tokens of a reply; those of the prompt cache (chat completions only) are added to `input` on the wire. */
export type Usage = { input: number; output: number; cacheRead?: number; cacheWrite?: number };

/** One event of a `text/event-stream`; without a name only `data:` is written. */
export type ServerSentEvent = { event?: string; data: JsonObject | "[DONE]" };

/** A tool call ready to send, with its id and the input text on the wire. */
export type PlayedCall = { id: string; name: string; input: string; freeform: boolean; namespace?: string };

/** A scripted message ready to send, with all defaults filled in. */
export type PlayedMessage = {
  id: string;
  model: string;
  text: string;
  thinking: string;
  calls: readonly PlayedCall[];
  usage: Usage;
};

/** Parses and writes one provider's API. Pure: no sockets, no clock. */
export type WireFormat = {
  name: WireName;
  /** Path below the optional `/v1`. */
  path: string;
  read(body: JsonObject): RequestContent;
  whole(message: PlayedMessage): JsonObject;
  events(message: PlayedMessage, request: JsonObject): readonly ServerSentEvent[];
  error(status: number, message: string): JsonObject;
};

/** Fixed creation time of replies, so that recordings do not differ between runs. */
export const CREATED_AT = 1_750_000_000;

const PIECE = 24;

/** Splits text into stream deltas, never inside a character; empty text has none. */
export function pieces(text: string): string[] {
  const characters = Array.from(text);
  const cuts = Math.ceil(characters.length / PIECE);
  return Array.from({ length: cuts }, (_, cut) => characters.slice(cut * PIECE, (cut + 1) * PIECE).join(""));
}

export function openaiError(status: number, message: string): JsonObject {
  const type = status === 429 ? "rate_limit_error" : status < 500 ? "invalid_request_error" : "server_error";
  return { error: { message, type, param: null, code: null } };
}
