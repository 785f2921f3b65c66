import { asList, asObject, asString, parseObject } from "../../../base/kernel/json.ts";
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

/** OpenAI Responses, as `POST /v1/responses`. */
export const openaiResponses: WireFormat = {
  name: "openai-responses",
  path: "/responses",
  read: (body) => ({
    system: typeof body.instructions === "string" ? [body.instructions] : [],
    history: typeof body.input === "string" ? [userText(body.input)] : asList(body.input).flatMap(readItem),
    tools: [...asList(body.tools), ...additionalTools(body.input)].flatMap((tool) => readTool(tool)),
  }),
  whole: (message) => completed(message),
  events: streamMessage,
  error: openaiError,
};

function userText(text: string): HistoryItem {
  return { kind: "text", message: 0, role: "user", text };
}

function readItem(value: Json, message: number): HistoryItem[] {
  const item = asObject(value);
  const callId = asString(item.call_id);
  switch (item.type) {
    case undefined:
    case "message": {
      const role = item.role === "developer" ? "system" : item.role;
      const speaker = role === "system" || role === "assistant" ? role : "user";
      return partTexts(item.content).map((text) => ({ kind: "text", message, role: speaker, text }));
    }
    case "function_call": {
      const input = asString(item.arguments);
      return [{ kind: "call", message, callId, name: asString(item.name), input: parseObject(input) ?? input }];
    }
    case "custom_tool_call":
      return [{ kind: "call", message, callId, name: asString(item.name), input: asString(item.input) }];
    case "function_call_output":
    case "custom_tool_call_output":
      return [{ kind: "result", message, callId, text: partTexts(item.output).join("\n") }];
    default:
      return [];
  }
}

function partTexts(content: Json | undefined): string[] {
  if (typeof content === "string") return [content];
  return asList(content).flatMap((part) => {
    const text = asObject(part).text;
    return typeof text === "string" ? [text] : [];
  });
}

/** Codex declares the tools of its newest models in the conversation instead of in `tools`. */
function additionalTools(input: Json | undefined): Json[] {
  const items = asList(input).map(asObject);
  return items.flatMap((item) => (item.type === "additional_tools" ? asList(item.tools) : []));
}

function readTool(value: Json, namespace?: string): DeclaredTool[] {
  const tool = asObject(value);
  const type = asString(tool.type);
  const name = asString(tool.name) || type;
  if (type === "namespace") return asList(tool.tools).flatMap((inner) => readTool(inner, name));
  return [{ name, description: asString(tool.description), freeform: type === "custom", namespace }];
}

function started(message: PlayedMessage): JsonObject {
  return {
    id: `resp_${message.id}`,
    object: "response",
    created_at: CREATED_AT,
    status: "in_progress",
    error: null,
    incomplete_details: null,
    model: message.model,
    output: [],
    usage: null,
  };
}

function completed(message: PlayedMessage): JsonObject {
  const { input, output } = message.usage;
  return {
    ...started(message),
    status: "completed",
    output: outputs(message).map((item) => item.whole),
    usage: {
      input_tokens: input,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: output,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: input + output,
    },
  };
}

/** One output item: its announcement, its stream events and its final form. */
type Output = { announced: JsonObject; stream(output_index: number): readonly JsonObject[]; whole: JsonObject };

function outputs(message: PlayedMessage): Output[] {
  return [
    ...(message.thinking ? [reasoning(`rs_${message.id}`, message.thinking)] : []),
    ...(message.text ? [textMessage(`msg_${message.id}`, message.text)] : []),
    ...message.calls.map((call, position) => toolCall(`${message.id}_${position}`, call)),
  ];
}

function reasoning(item_id: string, text: string): Output {
  const item: JsonObject = { id: item_id, type: "reasoning", summary: [], encrypted_content: null };
  const part = { type: "summary_text", text };
  return {
    announced: item,
    stream: (output_index) => {
      const place = { item_id, output_index, summary_index: 0 };
      return [
        { type: "response.reasoning_summary_part.added", ...place, part: { ...part, text: "" } },
        ...pieces(text).map((delta) => ({ type: "response.reasoning_summary_text.delta", ...place, delta })),
        { type: "response.reasoning_summary_text.done", ...place, text },
        { type: "response.reasoning_summary_part.done", ...place, part },
      ];
    },
    whole: { ...item, summary: [part] },
  };
}

function textMessage(item_id: string, text: string): Output {
  const item: JsonObject = { id: item_id, type: "message", role: "assistant", status: "in_progress", content: [] };
  const part = { type: "output_text", text, annotations: [], logprobs: [] };
  return {
    announced: item,
    stream: (output_index) => {
      const place = { item_id, output_index, content_index: 0 };
      return [
        { type: "response.content_part.added", ...place, part: { ...part, text: "" } },
        ...pieces(text).map((delta) => ({ type: "response.output_text.delta", ...place, delta, logprobs: [] })),
        { type: "response.output_text.done", ...place, text, logprobs: [] },
        { type: "response.content_part.done", ...place, part },
      ];
    },
    whole: { ...item, status: "completed", content: [part] },
  };
}

/** A function takes JSON arguments, a custom tool takes plain text. */
function toolCall(suffix: string, call: PlayedCall): Output {
  const [prefix, type, field, event] = call.freeform
    ? ["ctc", "custom_tool_call", "input", "response.custom_tool_call_input"]
    : ["fc", "function_call", "arguments", "response.function_call_arguments"];
  const item_id = `${prefix}_${suffix}`;
  const { id: call_id, name, namespace } = call;
  const item: JsonObject = { id: item_id, status: "in_progress", call_id, name, namespace, type, [field]: "" };
  return {
    announced: item,
    stream: (output_index) => [
      ...pieces(call.input).map((delta) => ({ type: `${event}.delta`, item_id, output_index, delta })),
      {
        type: `${event}.done`,
        item_id,
        output_index,
        name: call.freeform ? undefined : name,
        [field]: call.input,
      },
    ],
    whole: { ...item, status: "completed", [field]: call.input },
  };
}

function streamMessage(message: PlayedMessage): ServerSentEvent[] {
  const events: JsonObject[] = [
    { type: "response.created", response: started(message) },
    { type: "response.in_progress", response: started(message) },
    ...outputs(message).flatMap((output, output_index) => [
      { type: "response.output_item.added", output_index, item: output.announced },
      ...output.stream(output_index),
      { type: "response.output_item.done", output_index, item: output.whole },
    ]),
    { type: "response.completed", response: completed(message) },
  ];
  return events.map((data, sequence_number) => ({ event: asString(data.type), data: { ...data, sequence_number } }));
}
