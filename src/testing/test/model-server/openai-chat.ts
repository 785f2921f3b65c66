import { asList, asObject, asString, isObject, parseObject } from "../../../base/kernel/json.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";
import type { DeclaredTool, HistoryItem } from "./model-request.ts";
import {
  CREATED_AT,
  openaiError,
  type PlayedCall,
  type PlayedMessage,
  pieces,
  type ServerSentEvent,
  type WireFormat,
} from "./wire-format.ts";

/** OpenAI Chat Completions, as `POST /v1/chat/completions`. */
export const openaiChat: WireFormat = {
  name: "openai-chat",
  path: "/chat/completions",
  read: (body) => ({
    system: [],
    history: asList(body.messages).flatMap(readMessage),
    tools: asList(body.tools).map(readTool),
  }),
  whole: (message) => ({
    ...head(message, "chat.completion"),
    choices: [{ index: 0, message: wholeMessage(message), logprobs: null, finish_reason: finishReason(message) }],
    usage: usage(message),
  }),
  events: streamMessage,
  error: openaiError,
};

function readMessage(value: Json, message: number): HistoryItem[] {
  const { role, content, tool_calls, tool_call_id } = asObject(value);
  const text = contentText(content);
  if (role === "tool") return [{ kind: "result", message, callId: asString(tool_call_id), text }];
  const speaker = role === "developer" || role === "system" ? "system" : role === "assistant" ? "assistant" : "user";
  const items: HistoryItem[] = text === "" ? [] : [{ kind: "text", message, role: speaker, text }];
  return [...items, ...asList(tool_calls).map((call) => readCall(call, message))];
}

function readCall(value: Json, message: number): HistoryItem {
  const call = asObject(value);
  const custom = call.type === "custom";
  const called = asObject(custom ? call.custom : call.function);
  const given = asString(custom ? called.input : called.arguments);
  const input = custom ? given : (parseObject(given) ?? given);
  return { kind: "call", message, callId: asString(call.id), name: asString(called.name), input };
}

function contentText(content: Json | undefined): string {
  if (typeof content === "string") return content;
  const texts = asList(content).flatMap((part) =>
    isObject(part) && part.type === "text" ? [asString(part.text)] : [],
  );
  return texts.join("\n");
}

function readTool(value: Json): DeclaredTool {
  const tool = asObject(value);
  const freeform = tool.type === "custom";
  const declared = asObject(freeform ? tool.custom : tool.function);
  return { name: asString(declared.name), description: asString(declared.description), freeform };
}

function head(message: PlayedMessage, object: string): JsonObject {
  return { id: `chatcmpl-${message.id}`, object, created: CREATED_AT, model: message.model };
}

function finishReason(message: PlayedMessage): string {
  return message.calls.length > 0 ? "tool_calls" : "stop";
}

function usage({ usage: { input, output, cacheRead = 0, cacheWrite = 0 } }: PlayedMessage): JsonObject {
  const prompt = input + cacheRead + cacheWrite;
  const cached = { cached_tokens: cacheRead, cache_write_tokens: cacheWrite };
  const details = cacheRead + cacheWrite === 0 ? undefined : cached;
  return {
    prompt_tokens: prompt,
    completion_tokens: output,
    total_tokens: prompt + output,
    prompt_tokens_details: details,
  };
}

function wholeMessage(message: PlayedMessage): JsonObject {
  return {
    role: "assistant",
    content: message.text === "" ? null : message.text,
    refusal: null,
    reasoning_content: message.thinking || undefined,
    tool_calls: message.calls.length > 0 ? message.calls.map((call) => toolCall(call, call.input)) : undefined,
  };
}

function toolCall(call: PlayedCall, input: string): JsonObject {
  return call.freeform
    ? { id: call.id, type: "custom", custom: { name: call.name, input } }
    : { id: call.id, type: "function", function: { name: call.name, arguments: input } };
}

function streamMessage(message: PlayedMessage, request: JsonObject): ServerSentEvent[] {
  const chunk = (choices: readonly JsonObject[], more: JsonObject = {}): ServerSentEvent => ({
    data: { ...head(message, "chat.completion.chunk"), choices, ...more },
  });
  const delta = (change: JsonObject, finish_reason: string | null = null): ServerSentEvent =>
    chunk([{ index: 0, delta: change, logprobs: null, finish_reason }]);
  const wantsUsage = asObject(request.stream_options).include_usage === true;
  return [
    delta({ role: "assistant", content: "" }),
    ...pieces(message.thinking).map((reasoning_content) => delta({ reasoning_content })),
    ...pieces(message.text).map((content) => delta({ content })),
    ...message.calls.flatMap((call, index) => [
      delta({ tool_calls: [{ index, ...toolCall(call, "") }] }),
      ...pieces(call.input).map((piece) => delta({ tool_calls: [{ index, ...inputDelta(call, piece) }] })),
    ]),
    delta({}, finishReason(message)),
    ...(wantsUsage ? [chunk([], { usage: usage(message) })] : []),
    { data: "[DONE]" },
  ];
}

function inputDelta(call: PlayedCall, piece: string): JsonObject {
  return call.freeform ? { custom: { input: piece } } : { function: { arguments: piece } };
}
