import type { StreamFn } from "@earendil-works/pi-agent-core";
import type { Api, AssistantMessage, Message, Model, TranscriptContext } from "@earendil-works/pi-ai";
import type { JsonObject } from "../../../base/words/json.ts";
import { type DemoRequest, type DemoStep, demoReply } from "./brain.ts";

export const DEMO_MODEL = "demo/habits";

export type DemoModel = { readonly model: Model<Api>; readonly stream: StreamFn };

/** The demo model behind pi-ai's interface, with streaming, tool calls and usage. */
export async function openDemoModel(): Promise<DemoModel> {
  const { createFauxCore, fauxAssistantMessage, fauxText, fauxToolCall } = await import(
    "@earendil-works/pi-ai/providers/faux"
  );
  const core = createFauxCore({
    api: "demo",
    provider: "demo",
    models: [{ id: "habits", name: "Demo (no key set)", contextWindow: 128_000, maxTokens: 8_000 }],
  });
  let calls = 0;
  function answer(context: TranscriptContext): AssistantMessage {
    const { text, calls: wanted = [] } = demoReply(requestOf(context));
    const blocks = wanted.map(({ tool, args }) => {
      calls += 1;
      return fauxToolCall(tool, JSON.parse(JSON.stringify(args)), { id: `demo_${calls}` });
    });
    return fauxAssistantMessage([fauxText(text), ...blocks], { stopReason: blocks.length > 0 ? "toolUse" : "stop" });
  }
  return {
    model: core.getModel(),
    stream(model, context, options) {
      core.appendResponses([answer]);
      // Otherwise it would keep the last request of every session for ever.
      return core.streamSimple(model, context, { ...options, cacheRetention: "none" });
    },
  };
}

function requestOf({ messages }: TranscriptContext): DemoRequest {
  const spoken = messages.flatMap((message, at) => (message.role === "user" ? [{ at, text: textOf(message) }] : []));
  const first = spoken.findLast(({ text }) => !isRefusal(text));
  const refusal = spoken.findLast(({ at, text }) => at > (first?.at ?? 0) && isRefusal(text));
  const answered = refusal !== undefined && refusal.at < messages.length - 1;
  return {
    message: first?.text ?? "",
    done: stepsOf(messages.slice((first?.at ?? -1) + 1)),
    ...(refusal === undefined || answered ? {} : { refusal: refusal.text }),
    tools: toolNames(messages),
  };
}

/** Such a message comes from Conduct, not from the person. */
function isRefusal(text: string): boolean {
  return /^\s*(?:Required files are missing:|Not run in this session:|The work is not complete yet\.)/m.test(text);
}

function stepsOf(messages: readonly Message[]): readonly DemoStep[] {
  const made = messages.flatMap((message) =>
    message.role === "assistant" ? message.content.filter((block) => block.type === "toolCall") : [],
  );
  return made.flatMap((block) => {
    const result = messages.find((message) => message.role === "toolResult" && message.toolCallId === block.id);
    return result === undefined
      ? []
      : [{ tool: block.name, args: block.arguments as JsonObject, result: textOf(result) }];
  });
}

function toolNames(messages: readonly Message[]): readonly string[] {
  const declared = messages.flatMap((message) => (message.role === "system" ? (message.toolsAdded ?? []) : []));
  return declared.map(({ name }) => name);
}

function textOf({ content }: { readonly content?: unknown }): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((block) => (block?.type === "text" ? String(block.text) : "")).join("\n");
}
