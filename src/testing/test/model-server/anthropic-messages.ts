import { asList, asObject, asString, isObject, parseObject } from "../../../base/kernel/json.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";
import type { DeclaredTool, HistoryItem } from "./model-request.ts";
import { type PlayedCall, type PlayedMessage, pieces, type ServerSentEvent, type WireFormat } from "./wire-format.ts";

/** Anthropic Messages, as `POST /v1/messages`. */
export const anthropicMessages: WireFormat = {
  name: "anthropic-messages",
  path: "/messages",
  read: (body) => ({
    system: textBlocks(body.system),
    history: asList(body.messages).flatMap(readMessage),
    tools: asList(body.tools).map(readTool),
  }),
  whole: (message) => ({
    ...head(message),
    content: wholeContent(message),
    stop_reason: stopReason(message),
    usage: { ...usageBefore(message), output_tokens: message.usage.output },
  }),
  events: streamMessage,
  error: (status, message) => ({ type: "error", error: { type: errorType(status), message } }),
};

const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  529: "overloaded_error",
};

function errorType(status: number): string {
  return ERROR_TYPES[status] ?? (status < 500 ? "invalid_request_error" : "api_error");
}

function readMessage(value: Json, message: number): HistoryItem[] {
  const { role, content } = asObject(value);
  const speaker = role === "assistant" || role === "system" ? role : "user";
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : asList(content).map(asObject);
  return blocks.flatMap((block): HistoryItem[] => {
    switch (block.type) {
      case "text":
        return [{ kind: "text", message, role: speaker, text: asString(block.text) }];
      case "tool_use": {
        const { id, name, input } = block;
        return [{ kind: "call", message, callId: asString(id), name: asString(name), input: asObject(input) }];
      }
      case "tool_result": {
        const { tool_use_id, content, is_error } = block;
        const text = textBlocks(content).join("\n");
        return [{ kind: "result", message, callId: asString(tool_use_id), text, isError: is_error === true }];
      }
      default:
        return [];
    }
  });
}

function textBlocks(content: Json | undefined): string[] {
  if (typeof content === "string") return [content];
  return asList(content).flatMap((block) => (isObject(block) && block.type === "text" ? [asString(block.text)] : []));
}

function readTool(value: Json): DeclaredTool {
  const tool = asObject(value);
  return { name: asString(tool.name), description: asString(tool.description), freeform: false };
}

function head(message: PlayedMessage): JsonObject {
  return {
    id: `msg_${message.id}`,
    type: "message",
    role: "assistant",
    model: message.model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
  };
}

function stopReason(message: PlayedMessage): string {
  return message.calls.length > 0 ? "tool_use" : "end_turn";
}

function usageBefore(message: PlayedMessage): JsonObject {
  return {
    input_tokens: message.usage.input,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: 0,
  };
}

function wholeContent(message: PlayedMessage): JsonObject[] {
  const content: JsonObject[] = [];
  if (message.thinking) content.push({ type: "thinking", thinking: message.thinking, signature: signature(message) });
  if (message.text) content.push({ type: "text", text: message.text });
  for (const call of message.calls) {
    content.push({ ...toolUse(call), input: parseObject(call.input) ?? call.input });
  }
  return content;
}

function toolUse(call: PlayedCall): JsonObject {
  return { type: "tool_use", id: call.id, name: call.name, input: {} };
}

/** Clients store the signature and send it back; only the real API could check it. */
function signature(message: PlayedMessage): string {
  return `signature_${message.id}`;
}

function streamMessage(message: PlayedMessage): ServerSentEvent[] {
  const blocks: { start: JsonObject; deltas: JsonObject[] }[] = [];
  if (message.thinking) {
    const deltas = pieces(message.thinking).map((thinking): JsonObject => ({ type: "thinking_delta", thinking }));
    deltas.push({ type: "signature_delta", signature: signature(message) });
    blocks.push({ start: { type: "thinking", thinking: "", signature: "" }, deltas });
  }
  if (message.text) {
    blocks.push({
      start: { type: "text", text: "" },
      deltas: pieces(message.text).map((text) => ({ type: "text_delta", text })),
    });
  }
  for (const call of message.calls) {
    const deltas = ["", ...pieces(call.input)].map((partial_json) => ({ type: "input_json_delta", partial_json }));
    blocks.push({ start: toolUse(call), deltas });
  }
  return [
    named({ type: "message_start", message: { ...head(message), usage: usageBefore(message) } }),
    named({ type: "ping" }),
    ...blocks.flatMap(({ start, deltas }, index) => [
      named({ type: "content_block_start", index, content_block: start }),
      ...deltas.map((delta) => named({ type: "content_block_delta", index, delta })),
      named({ type: "content_block_stop", index }),
    ]),
    named({
      type: "message_delta",
      delta: { stop_reason: stopReason(message), stop_sequence: null },
      usage: { output_tokens: message.usage.output },
    }),
    named({ type: "message_stop" }),
  ];
}

function named(data: JsonObject): ServerSentEvent {
  return { event: asString(data.type), data };
}
