import type { AgentMessage } from "@earendil-works/pi-agent-core";
import type { AssistantMessage, SystemMessage } from "@earendil-works/pi-ai";
import { isObject } from "../../../base/kernel/json.ts";
import type { IncomingMessage } from "../../../engine/session/session-options.ts";
import type { CallContext } from "../shared/pi/translate.ts";
import type { PiBeforeSettle, PiBeforeSettleAnswer, PiEntry, PiInput, PiToolCall } from "./native.ts";

/** Conduct's section of Pi's system prompt, and its messages in Pi's transcript. */
const NAME = "conduct";

/** The typed message. A message of another extension is never the operator's. */
export function messageOf({ text, source }: PiInput): IncomingMessage {
  return { text, sender: source === "extension" ? { role: "user" } : undefined };
}

/** The call in its model response, as pi-agent-core's own hooks get it. */
export function callContextOf({ toolCallId, toolName, input }: PiToolCall, message: AssistantMessage): CallContext {
  const made = message.content.find((block) => block.type === "toolCall" && block.id === toolCallId);
  const arguments_ = isObject(input) ? JSON.parse(JSON.stringify(input)) : {};
  const toolCall =
    made?.type === "toolCall"
      ? made
      : { type: "toolCall" as const, id: toolCallId, name: toolName, arguments: arguments_ };
  return { assistantMessage: message, toolCall, args: input };
}

/** The transcript with Conduct's prompt as the last section of its head, so that Pi's own part stays cached. */
export function withPromptSection(messages: readonly AgentMessage[], prompt: string): AgentMessage[] {
  if (prompt === "") return [...messages];
  const [head, ...rest] = messages;
  if (head?.role !== "system") {
    const made: SystemMessage = { role: "system", content: "", sections: { [NAME]: prompt }, timestamp: 0 };
    return [made, ...messages];
  }
  const { [NAME]: _old, ...sections } = head.sections ?? {};
  return [{ ...head, sections: { ...sections, [NAME]: prompt } }, ...rest];
}

/** Another extension's system prompt, with Conduct's prompt after it. */
export function withPromptAfter(forced: string, prompt: string): string {
  return prompt === "" ? forced : `${forced}\n\n${prompt}`;
}

/** Does the request contain the text byte for byte, anywhere in the payload? */
export function carries(payload: unknown, text: string): boolean {
  if (typeof payload === "string") return payload.includes(text);
  if (Array.isArray(payload)) return payload.some((item) => carries(item, text));
  return isObject(payload) && Object.values(payload).some((value) => carries(value, text));
}

/** Would Pi end the turn now? Not when it was interrupted, nor when another extension continues it. */
export function isStopping({ outcome, continue: goesOn }: PiBeforeSettle): boolean {
  return outcome === "completed" && !goesOn;
}

/** Refuses the stop: the model reads the reason as the next message, and the person sees it. */
export function goOn<E>(entries: readonly E[], refusal: string): PiBeforeSettleAnswer<E> {
  const entry: PiEntry = { type: "custom_message", customType: NAME, content: refusal, display: true };
  return { continue: true, entries: [...entries, entry] };
}
