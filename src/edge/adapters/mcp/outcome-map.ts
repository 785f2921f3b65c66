import { asObject, isObject } from "../../../base/kernel/json.ts";
import type { Outcome } from "../../../base/words/call.ts";
import type { JsonObject } from "../../../base/words/json.ts";

/** How a call ended, by the server's response. What is no result of a tool proves nothing. */
export function outcomeOf(response: JsonObject): Outcome {
  if (Object.hasOwn(response, "error")) return "failed";
  const { result } = response;
  if (!isObject(result)) return "unknown";
  if (result.isError === true) return "failed";
  const shaped = Array.isArray(result.content) || isObject(result.structuredContent);
  return shaped && (result.isError === undefined || result.isError === false) ? "ok" : "unknown";
}

/** The task that a call was made into: its result is asked for later, with `tasks/result`. */
export function taskOf(response: JsonObject): string | undefined {
  const { task } = asObject(response.result);
  const { taskId } = asObject(task);
  return typeof taskId === "string" && !Array.isArray(asObject(response.result).content) ? taskId : undefined;
}
