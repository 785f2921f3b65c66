import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentMessage } from "@earendil-works/pi-agent-core";
import type { AssistantMessage } from "@earendil-works/pi-ai";
import type { PiBeforeSettle, PiInput, PiToolCall, PiToolResult } from "../native.ts";

type Recorded = {
  input: PiInput;
  before_agent_start: { readonly systemPromptOptions: object };
  context_with_system: { readonly messages: AgentMessage[] };
  before_provider_request: { readonly payload: unknown };
  message_end: { readonly message: AgentMessage };
  tool_call: PiToolCall;
  tool_result: PiToolResult;
  agent_before_settle: PiBeforeSettle;
  session_shutdown: { readonly reason: string };
};

export type RecordedEvent = { [T in keyof Recorded]: { readonly type: T } & Recorded[T] }[keyof Recorded];

export const APIS = ["anthropic-messages", "openai-responses"] as const;

/** One run of the real Pi, in order: `compat/pi-extension/record.ts`. */
export function recorded(api: (typeof APIS)[number]): readonly RecordedEvent[] {
  return JSON.parse(readFileSync(join(import.meta.dirname, "../recorded", `${api}.json`), "utf8")) as RecordedEvent[];
}

export function recordedOf<T extends keyof Recorded>(api: (typeof APIS)[number], type: T): readonly Recorded[T][] {
  return recorded(api).filter((event) => event.type === type) as unknown as readonly Recorded[T][];
}

/** The response with all calls of the recording. */
export function response(api: (typeof APIS)[number]): AssistantMessage {
  const messages = recordedOf(api, "message_end").map(({ message }) => message);
  const found = messages.find((message): message is AssistantMessage => message.role === "assistant");
  if (found === undefined) throw new Error("the recording has no response");
  return found;
}
