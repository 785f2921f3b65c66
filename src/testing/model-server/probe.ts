import type { JsonObject } from "../../base/words/json.ts";
import { anthropicMessages } from "./anthropic-messages.ts";
import { openaiError } from "./openai-error.ts";

/** A request that was not for the model: its method, path and the status it got. */
export type Probe = { method: string; path: string; status: number };

/** A harmless answer to what clients ask beside their model calls: an empty catalogue, a sign of life, or 404. */
export function answerProbe(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
): { status: number; body: JsonObject } {
  const reads = method === "GET" || method === "HEAD";
  if (reads && path === "/") return { status: 200, body: { ok: true } };
  if (reads && /^(\/v1)?\/models$/.test(path)) {
    return {
      status: 200,
      body: { object: "list", data: [], has_more: false, first_id: null, last_id: null, models: [] },
    };
  }
  const error = "anthropic-version" in headers ? anthropicMessages.error : openaiError;
  return { status: 404, body: error(404, `the scripted model server has no ${method} ${path}`) };
}
