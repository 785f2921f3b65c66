import type { JsonObject } from "../../../base/words/json.ts";

export type WireName = "anthropic-messages" | "openai-responses" | "openai-chat" | "gemini";

/**
 * Purpose of a request: a `turn` of the agent or of a `subagent`; all others are side requests. `background` is Codex'
 * own work (memory, prewarming); `probe` requests one token to test the key.
 */
export type RequestKind = "turn" | "subagent" | "compaction" | "title" | "hook-prompt" | "probe" | "background";

export type DeclaredTool = {
  name: string;
  description: string;
  /** True if the tool takes plain text instead of JSON (OpenAI `custom` tools, such as Codex' `apply_patch`). */
  freeform: boolean;
  /** The group in which a Responses tool was declared; Codex uses this for MCP servers. */
  namespace?: string;
};

/** A tool's result in a request; `isError` only if the wire format has such a flag. */
export type SentResult = { callId: string; text: string; isError?: boolean };

/** One block of the conversation; `message` is the index of its message (or Responses item). */
export type HistoryItem =
  | { kind: "text"; message: number; role: "system" | "user" | "assistant"; text: string }
  | { kind: "call"; message: number; callId: string; name: string; input: JsonObject | string }
  | ({ kind: "result"; message: number } & SentResult);

export type RequestContent = {
  /** System prompt blocks outside the conversation. */
  system: readonly string[];
  history: readonly HistoryItem[];
  tools: readonly DeclaredTool[];
};

/** One request to the model: the exact text, its parsed body and derived fields. */
export type ModelRequest = {
  /** Index in `requests`, or in `sideRequests` if it was answered there. */
  index: number;
  wire: WireName;
  /** Purpose of the request, detected by its markers. */
  kind: RequestKind;
  path: string;
  headers: Readonly<Record<string, string>>;
  /** Text of the body, byte for byte as sent (after decompression). */
  raw: string;
  body: JsonObject;
  model: string;
  stream: boolean;
  /** Requested thinking: an effort, a budget in tokens, or `off`; absent if not specified. */
  thinking?: string;
  /** The whole system prompt, including developer and system messages; blocks are joined by a blank line. */
  system: string;
  history: readonly HistoryItem[];
  /** All tool results in the request, oldest first. */
  results: readonly SentResult[];
  tools: readonly DeclaredTool[];
  toolNames: readonly string[];
  /** Text of the last user message that has any, including a runtime's reminders in it. */
  lastUserText: string;
};

/** The fields derived from a request's content, the same for every wire format. */
export function describeContent(
  content: RequestContent,
): Pick<ModelRequest, "system" | "history" | "results" | "tools" | "toolNames" | "lastUserText"> {
  const texts = content.history.filter((item) => item.kind === "text");
  const ofSystem = texts.filter((item) => item.role === "system").map((item) => item.text);
  const ofUser = texts.filter((item) => item.role === "user");
  const last = ofUser.at(-1)?.message;
  return {
    system: [...content.system, ...ofSystem].join("\n\n"),
    history: content.history,
    results: content.history.flatMap((item) =>
      item.kind === "result" ? [{ callId: item.callId, text: item.text, isError: item.isError }] : [],
    ),
    tools: content.tools,
    toolNames: content.tools.map((tool) => tool.name),
    lastUserText: ofUser.flatMap((item) => (item.message === last ? [item.text] : [])).join("\n"),
  };
}
