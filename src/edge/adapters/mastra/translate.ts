import { isObject } from "../../../base/kernel/json.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import type { Ended } from "../shared/framework/tool-result.ts";
import type { AfterHookContext, SystemMessage, ToolResultStep } from "./native.ts";

/** How a tool ended. Mastra returns some failures, such as arguments that do not match the schema, as a value. */
export function endedOf({ output, error, context }: AfterHookContext): Ended {
  if (error !== undefined) return { error: causeOf(error), aborted: context?.abortSignal?.aborted === true };
  if (output instanceof Error) return { error: causeOf(output) };
  if (isObject(output) && output.error === true && typeof output.message === "string") {
    return { error: new Error(output.message) };
  }
  return { value: output };
}

/** The tool's own error. Mastra wraps it in an error of its own that has an `id` and a `domain`. */
export function causeOf(error: unknown): unknown {
  let found = error;
  for (let depth = 0; depth < 5 && found instanceof Error && "domain" in found; depth++) {
    if (found.cause === undefined) return found;
    found = found.cause;
  }
  return found;
}

/** Mastra passes on the object that it gave to the hook, so a rewritten input takes its place in that object. */
export function replaceInput(given: unknown, input: JsonObject): void {
  if (given === input || !isObject(given)) return;
  const target = given as Record<string, unknown>;
  for (const key of Object.keys(target)) if (!Object.hasOwn(input, key)) delete target[key];
  Object.assign(target, input);
}

/** The application's own system messages, then Conduct's prompt. */
export function withPrompt(own: readonly SystemMessage[] = [], prompt: string): readonly SystemMessage[] {
  return prompt === "" ? own : [...own, { role: "system", content: prompt }];
}

/** `provider/id` of a model; Mastra's router also takes a plain string. */
export function modelName(model: unknown): string | undefined {
  if (typeof model === "string") return model;
  const { provider, modelId } = (model ?? {}) as { readonly provider?: string; readonly modelId?: string };
  return modelId === undefined ? undefined : [provider, modelId].filter(Boolean).join("/");
}

/** The finish reason in the terms that checkers use for every runtime. */
export function stopReason(finishReason = "stop"): string {
  const names: Readonly<Record<string, string>> = { stop: "end_turn", length: "max_tokens" };
  return names[finishReason] ?? finishReason;
}

/** The part of a message that holds a tool's result. */
export function resultPart({ toolCallId, toolName, args }: ToolResultStep, result: string): object {
  return { type: "tool-invocation", toolInvocation: { state: "result", toolCallId, toolName, args, result } };
}

/** A setting of an agent may be a value, or a function that is asked for each run. Both get the same addition. */
export function extended<T>(own: unknown, add: (value: T | undefined) => T): unknown {
  if (typeof own !== "function") return add(own as T | undefined);
  return async (...given: unknown[]) => add((await own(...given)) as T | undefined);
}
