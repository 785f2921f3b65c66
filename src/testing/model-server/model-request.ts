import type { JsonObject } from "../../base/words/json.ts";

/** The wire formats that the server speaks. */
export type WireName = "anthropic-messages" | "openai-responses" | "openai-chat";

/**
 * What a runtime wants with a request: a `turn` of the agent or of a `subagent`; everything else is a side request.
 * `background` is Codex' own work (memory, prewarming); `probe` asks for one token to see whether the key works.
 */
export type RequestKind = "turn" | "subagent" | "compaction" | "title" | "hook-prompt" | "probe" | "background";

/** A tool that a request offers to the model. */
export type DeclaredTool = {
  name: string;
  description: string;
  /** True when the tool takes plain text instead of JSON (OpenAI `custom` tools, such as Codex' `apply_patch`). */
  freeform: boolean;
  /** The group that a Responses tool was declared in; Codex does this for MCP servers. */
  namespace?: string;
};

/** A tool's result as a request carries it; `isError` only where the wire has such a flag. */
export type SentResult = { callId: string; text: string; isError?: boolean };

/** One block of the conversation so far; `message` counts the message (or Responses item) that it came in. */
export type HistoryItem =
  | { kind: "text"; message: number; role: "system" | "user" | "assistant"; text: string }
  | { kind: "call"; message: number; callId: string; name: string; input: JsonObject | string }
  | ({ kind: "result"; message: number } & SentResult);

/** What one wire format reads out of a request's body. */
export type RequestContent = {
  /** The blocks of the system prompt that stand outside the conversation. */
  system: readonly string[];
  history: readonly HistoryItem[];
  tools: readonly DeclaredTool[];
};

/** One request as the model would have received it: the exact text, its parsed body and views of it. */
export type ModelRequest = {
  /** Position among `requests`, or among `sideRequests` when it was answered there. */
  index: number;
  wire: WireName;
  /** What the runtime wants with it, as far as its marks tell. */
  kind: RequestKind;
  path: string;
  headers: Readonly<Record<string, string>>;
  /** The body's text, byte for byte as sent (decompressed when it was sent compressed). */
  raw: string;
  body: JsonObject;
  model: string;
  stream: boolean;
  /** How much the model is asked to think: an effort, a budget in tokens, `off`; absent when nothing is said of it. */
  thinking?: string;
  /** The whole system prompt, developer and system messages included, blocks joined by a blank line. */
  system: string;
  history: readonly HistoryItem[];
  /** All tool results in the request, oldest first. */
  results: readonly SentResult[];
  tools: readonly DeclaredTool[];
  toolNames: readonly string[];
  /** The text of the last user message that has any; a runtime's reminders in the same message are part of it. */
  lastUserText: string;
};

/** The views of a request that follow from its content, the same for every wire. */
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
