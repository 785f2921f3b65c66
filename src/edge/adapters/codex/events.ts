import { isObject } from "../../../base/kernel/json.ts";
import type { JsonObject } from "../../../base/words/json.ts";

/** Where an event came from. A subagent's own id is its session; `root` is the session that the person talks to. */
export type CodexOrigin = {
  readonly session: string;
  readonly root: string;
  readonly cwd: string;
  readonly turn?: string;
  readonly model?: string;
  /** The rollout: a JSON line for everything that happened. Absent in ephemeral sessions. */
  readonly transcript?: string;
};

export type CodexToolUse = { readonly id: string; readonly name: string; readonly input: JsonObject };

export type CodexUsage = { readonly inputTokens?: number; readonly outputTokens?: number };

/** What Codex tells a command hook, as far as Conduct acts on it. */
export type CodexEvent = CodexOrigin &
  (
    | { readonly kind: "SessionStart"; readonly source: string }
    | { readonly kind: "UserPromptSubmit"; readonly prompt: string }
    | { readonly kind: "PreModelRequest" }
    | { readonly kind: "PostCompact" }
    | { readonly kind: "SubagentStart" }
    | { readonly kind: "other" }
    | { readonly kind: "PostModelRequest"; readonly usage: CodexUsage }
    | { readonly kind: "PreToolUse"; readonly use: CodexToolUse }
    | { readonly kind: "PostToolUse"; readonly use: CodexToolUse; readonly response: unknown }
    | { readonly kind: "Stop"; readonly output?: string }
    | { readonly kind: "SubagentStop"; readonly output?: string }
    | { readonly kind: "SessionEnd"; readonly reason?: string }
  );

export type CodexEventOf<K extends CodexEvent["kind"]> = Extract<CodexEvent, { kind: K }>;

/** The event, or why it cannot be read. */
export function readCodexEvent(given: unknown): CodexEvent | { readonly fault: string } {
  if (!isObject(given)) return { fault: "the hook's input is not a JSON object" };
  const kind = given.hook_event_name;
  const root = given.session_id;
  const cwd = given.cwd;
  if (!isText(kind)) return { fault: "the hook's input names no hook_event_name" };
  if (!isText(root)) return { fault: `${kind} has no session_id` };
  if (!isText(cwd)) return { fault: `${kind} has no cwd` };
  const origin: CodexOrigin = {
    session: isText(given.agent_id) ? given.agent_id : root,
    root,
    cwd,
    ...(isText(given.turn_id) ? { turn: given.turn_id } : {}),
    ...(isText(given.model) ? { model: given.model } : {}),
    ...transcriptOf(given),
  };
  switch (kind) {
    case "SessionStart":
      return { ...origin, kind, source: isText(given.source) ? given.source : "startup" };
    case "UserPromptSubmit":
      if (typeof given.prompt !== "string") return { fault: "UserPromptSubmit has no prompt" };
      return { ...origin, kind, prompt: given.prompt };
    case "PostModelRequest":
      return { ...origin, kind, usage: usageOf(given.token_usage) };
    case "PreToolUse":
    case "PostToolUse": {
      const { tool_use_id: id, tool_name: name, tool_input: input } = given;
      if (!isText(id) || !isText(name)) return { fault: `${kind} has no tool_use_id or no tool_name` };
      const use = { id, name, input: isObject(input) ? input : { input: input ?? null } };
      return kind === "PreToolUse" ? { ...origin, kind, use } : { ...origin, kind, use, response: given.tool_response };
    }
    case "Stop":
    case "SubagentStop": {
      const output = given.last_assistant_message;
      return { ...origin, kind, ...(isText(output) ? { output } : {}) };
    }
    case "SessionEnd":
      return { ...origin, kind, ...(isText(given.reason) ? { reason: given.reason } : {}) };
    case "PreModelRequest":
    case "PostCompact":
    case "SubagentStart":
      return { ...origin, kind };
    default:
      return { ...origin, kind: "other" };
  }
}

/** Calls that a script makes (models in code mode) have ids of their own and run inside one `exec` call of the model. */
export function isCodeMode({ id }: Pick<CodexToolUse, "id">): boolean {
  return /^exec-[0-9a-f]{8}-[0-9a-f-]{27}$/.test(id);
}

/** At SubagentStop `transcript_path` is the parent's. */
function transcriptOf({ agent_transcript_path: own, transcript_path: path }: JsonObject): { transcript?: string } {
  if (isText(own)) return { transcript: own };
  return isText(path) ? { transcript: path } : {};
}

function usageOf(usage: unknown): CodexUsage {
  if (!isObject(usage)) return {};
  const { input_tokens: input, output_tokens: output } = usage;
  return {
    ...(typeof input === "number" ? { inputTokens: input } : {}),
    ...(typeof output === "number" ? { outputTokens: output } : {}),
  };
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
