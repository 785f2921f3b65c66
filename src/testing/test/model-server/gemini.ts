import { asList, asObject, asString, isObject, parseObject } from "../../../base/kernel/json.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";
import type { HistoryItem } from "./model-request.ts";
import { type PlayedCall, type PlayedMessage, pieces, type ServerSentEvent, type WireFormat } from "./wire-format.ts";

/** Gemini's generateContent, as `POST /v1beta/models/MODEL:streamGenerateContent`. */
export const gemini: WireFormat = {
  name: "gemini",
  path: ":streamGenerateContent",
  read: (body) => ({
    system: asList(asObject(body.systemInstruction).parts).map((part) => asString(asObject(part).text)),
    history: asList(body.contents).flatMap(readContent),
    tools: asList(body.tools).flatMap((group) =>
      asList(asObject(group).functionDeclarations).map((tool) => {
        const { name, description } = asObject(tool);
        return { name: asString(name), description: asString(description), freeform: false };
      }),
    ),
  }),
  whole: (message) => response(message, [...textParts(message.text), ...message.calls.map(callPart)], "STOP"),
  events: (message) => [
    ...pieces(message.text).map((text): ServerSentEvent => ({ data: response(message, textParts(text)) })),
    { data: response(message, message.calls.map(callPart), "STOP") },
  ],
  error: (status, message) => ({
    error: { code: status, message, status: status === 429 ? "RESOURCE_EXHAUSTED" : "INTERNAL" },
  }),
};

function readContent(value: Json, message: number): HistoryItem[] {
  const { role, parts } = asObject(value);
  return asList(parts).flatMap((part): HistoryItem[] => {
    const { text, functionCall, functionResponse } = asObject(part);
    if (isObject(functionCall)) {
      const { id, name, args } = functionCall;
      return [{ kind: "call", message, callId: asString(id), name: asString(name), input: asObject(args) }];
    }
    if (isObject(functionResponse)) {
      const { id, response: given } = functionResponse;
      const { output, error } = asObject(given);
      const said = asString(error) || asString(output) || JSON.stringify(given ?? {});
      return [{ kind: "result", message, callId: asString(id), text: said }];
    }
    const speaker = role === "model" ? "assistant" : "user";
    return typeof text === "string" && text !== "" ? [{ kind: "text", message, role: speaker, text }] : [];
  });
}

function response(
  { id, model, usage }: PlayedMessage,
  parts: readonly JsonObject[],
  finishReason?: string,
): JsonObject {
  return {
    candidates: [{ content: { role: "model", parts }, index: 0, finishReason }],
    usageMetadata:
      finishReason === undefined
        ? undefined
        : {
            promptTokenCount: usage.input,
            candidatesTokenCount: usage.output,
            totalTokenCount: usage.input + usage.output,
          },
    modelVersion: model,
    responseId: id,
  };
}

function textParts(text: string): readonly JsonObject[] {
  return text === "" ? [] : [{ text }];
}

function callPart({ id, name, input }: PlayedCall): JsonObject {
  return { functionCall: { id, name, args: parseObject(input) ?? {} } };
}
