import { asObject, isObject } from "../../../base/kernel/json.ts";
import type { CallInput, Outcome } from "../../../base/words/call.ts";
import type { Advice } from "../../../base/words/decision.ts";
import type { Notice } from "../../../base/words/event.ts";
import type { Json } from "../../../base/words/json.ts";
import type { Part, ToolResult } from "../../../base/words/result.ts";
import { DIRECTIVES } from "../../../behavior/policy/builtin/requirements.ts";
import type { Delivered } from "../../../engine/moments/result.ts";
import type { ConductTool } from "../../../engine/tools/conduct-tool.ts";
import { blockOf, deliveredBlocks, partOf, requirementsIn, textBlock, usageNotice } from "../shared/content.ts";
import { withheldText } from "../shared/refusals.ts";
import type { NativeTool, ToolCallEvent, ToolResultEvent } from "./native.ts";
import { mapTool, type Place } from "./tool-map.ts";

/** A call as OpenClaw is about to run it. Throws if it has no id, because its result could not be matched. */
export function callInputOf(event: ToolCallEvent, step: string | undefined, place: Place): CallInput {
  const { toolName, params, toolCallId } = event;
  if (toolCallId === undefined || toolCallId === "") throw new Error(`OpenClaw gave the call of '${toolName}' no id`);
  const mapped = mapTool(event, place);
  const [name, tool] = mapped.tool.split("/");
  const server = tool === undefined || name === "openclaw" ? undefined : name;
  return {
    ...mapped,
    id: toolCallId,
    step,
    native: { runtime: "openclaw", server, name: toolName, input: params as Json },
  };
}

export function resultOf(event: ToolResultEvent, tool: string): ToolResult {
  const { content, details } = event.result;
  return { ...outcomeOf(tool, event), parts: (content ?? []).flatMap(partsOf), requirements: requirementsIn(details) };
}

/** OpenClaw shows the structured content of an MCP server's result as JSON under this line. */
const STRUCTURED = "structuredContent:";

/** The JSON is a part of its own, because directives are only removed from a text that is JSON. */
function partsOf(block: Parameters<typeof partOf>[0]): readonly Part[] {
  const part = partOf(block);
  if (part.kind !== "text" || !part.text.startsWith(`${STRUCTURED}\n`) || !part.text.includes(DIRECTIVES))
    return [part];
  return [STRUCTURED, part.text.slice(STRUCTURED.length + 1)].map((text) => ({ kind: "text", text }));
}

/**
 * Characters of one result that OpenClaw 2026.9 passes on with this window. It cuts a longer one, and with it Conduct's
 * notice and handle.
 */
export function resultLimit(window = 0): number {
  const most = window >= 200_000 ? 64_000 : window >= 100_000 ? 32_000 : 16_000;
  if (window <= 0) return most;
  return Math.min(most, Math.floor(window * 0.3) * 4, Math.floor(Math.max(1_024, window) / 2));
}

/** The result for the model; `undefined` keeps the tool's own. */
export function deliveredResult(
  { result }: ToolResultEvent,
  delivered: Delivered,
  advice: readonly Advice[],
): ToolResultEvent["result"] | undefined {
  const content = deliveredBlocks(result.content ?? [], delivered, advice);
  return content === undefined ? undefined : { ...result, content };
}

/** Replaces a result that could not be checked. */
export function withheldResult({ result }: ToolResultEvent, error: unknown): ToolResultEvent["result"] {
  return { ...result, content: [textBlock(withheldText(error))] };
}

type Written =
  | { readonly role: "user"; readonly text: string }
  | {
      readonly role: "assistant";
      readonly text: string;
      readonly calls: readonly string[];
      readonly usage: Notice | undefined;
    };

/** `undefined` for results and OpenClaw's own messages. */
export function readWritten(message: object): Written | undefined {
  const { role, content, usage } = message as { readonly [key: string]: unknown };
  if (role === "user") return { role, text: textOf(content) };
  if (role !== "assistant") return undefined;
  const blocks = Array.isArray(content) ? content.filter(isObject) : [];
  const calls = blocks.flatMap(({ type, id }) => (type === "toolCall" && typeof id === "string" ? [id] : []));
  return { role, text: textOf(content), calls, usage: usageNotice(usage) };
}

/** The message with another text; its pictures stay. */
export function withText<M extends object>(message: M, text: string): M {
  const { content } = message as { readonly content?: unknown };
  if (!Array.isArray(content)) return { ...message, content: text };
  const others = content.filter((block) => !isObject(block) || block.type !== "text");
  return { ...message, content: [{ type: "text", text }, ...others] };
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  const blocks = Array.isArray(content) ? content.filter(isObject) : [];
  return blocks.flatMap(({ type, text }) => (type === "text" && typeof text === "string" ? [text] : [])).join("\n");
}

/** The outcome by `details.status` of OpenClaw's results. */
const STATUS: { readonly [status: string]: Outcome } = {
  error: "failed",
  failed: "failed",
  not_found: "failed",
  timeout: "failed",
  forbidden: "failed",
  blocked: "denied",
  denied: "denied",
  cancelled: "cancelled",
  aborted: "cancelled",
  // The command continues in the background.
  running: "unknown",
  "approval-pending": "unknown",
};

/** A command is ok when it ended with 0; any other tool unless OpenClaw reports a failure. */
export function outcomeOf(
  tool: string,
  { isError, result }: Pick<ToolResultEvent, "isError" | "result">,
): { readonly outcome: Outcome; readonly exitCode?: number } {
  const { status, exitCode: code } = asObject(result.details);
  const said = typeof status === "string" && Object.hasOwn(STATUS, status) ? STATUS[status] : undefined;
  const exitCode = typeof code === "number" ? code : undefined;
  if (said !== undefined) return { outcome: said, exitCode };
  if (isError === true) return { outcome: "failed", exitCode };
  if (tool !== "shell") return { outcome: "ok", exitCode };
  // OpenClaw removes the details of an output over 100 kB: such a command may have failed.
  if (exitCode === undefined) return { outcome: "unknown" };
  return { outcome: exitCode === 0 ? "ok" : "failed", exitCode };
}

/** Conduct's tool as one of OpenClaw's; like every call it passes the moments `call` and `result`. */
export function asNativeTool(tool: ConductTool): NativeTool {
  return {
    name: tool.name,
    label: tool.name,
    description: tool.description,
    parameters: tool.inputSchema,
    // The prompt names the tool, so it must be visible without a search.
    catalogMode: "direct-only",
    async execute(_id, params) {
      const { outcome, parts } = await tool.run(asObject(params));
      return { content: parts.map(blockOf), details: { status: outcome === "ok" ? "ok" : "error" } };
    },
  };
}
