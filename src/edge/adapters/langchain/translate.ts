import { isObject, parseObject } from "../../../base/kernel/json.ts";
import type { Ended } from "../shared/framework/tool-result.ts";
import type { Message } from "./native.ts";

/** A message of a tool, also one of another copy of the package. */
export function isToolMessage(value: unknown): value is Message {
  return typeof value === "object" && value !== null && "tool_call_id" in value && "content" in value;
}

/** How a tool ended, from the message that LangChain made of its value. Other values (`Command`) show no result. */
export function endedOf(value: unknown): Ended {
  if (!isToolMessage(value)) return { value: undefined };
  const { content, status } = value;
  if (status === "error") return { error: new Error(textOf(value)) };
  if (typeof content !== "string") return { value: { content } };
  // LangChain turns an object into JSON. A command's or an MCP tool's result says more than its text.
  const object = content.startsWith("{") ? parseObject(content) : undefined;
  const isResult = typeof object?.exitCode === "number" || object?.isError === true || Array.isArray(object?.content);
  return { value: isResult ? object : content };
}

/** An error inside a tool. LangChain may have wrapped it once for each middleware. */
export function causeOf(error: unknown): unknown {
  let found = error;
  for (let depth = 0; depth < 10 && nameOf(found) === "MiddlewareError"; depth++) {
    const { cause } = found as { readonly cause?: unknown };
    if (cause === undefined) return found;
    found = cause;
  }
  return found;
}

/** Asking a person and routing are exceptions in LangGraph. They are not the tool's own. */
export function isControlFlow(error: unknown): boolean {
  return /^(?:GraphInterrupt|NodeInterrupt|GraphBubbleUp|ParentCommand)$/.test(nameOf(error));
}

export function textOf({ text, content }: Message): string {
  if (typeof text === "string") return text;
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((block) => (isObject(block) && typeof block.text === "string" ? block.text : "")).join("");
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : "";
}
