import type { JsonObject } from "../../base/words/json.ts";

/** An error in the shape of both OpenAI wires. */
export function openaiError(status: number, message: string): JsonObject {
  const type = status === 429 ? "rate_limit_error" : status < 500 ? "invalid_request_error" : "server_error";
  return { error: { message, type, param: null, code: null } };
}
