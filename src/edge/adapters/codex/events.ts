import { asObject, isObject } from "../../../base/kernel/json.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import { numberOf } from "../shared/content.ts";

/** The origin of an event. A subagent's own id is its session; `root` is the session with the person. */
export type CodexOrigin = {
  readonly session: string;
  readonly root: string;
  readonly cwd: string;
  readonly turn?: string;
  readonly model?: string;
  /** The rollout: a JSON line for everything that happened. Absent in ephemeral sessions. */
  readonly transcript?: string;
  /** A person types in this Codex, as the hook command saw. */
  readonly interactive?: boolean;
};

export type CodexToolUse = { readonly id: string; readonly name: string; readonly input: JsonObject };

type CodexUsage = { readonly inputTokens?: number; readonly outputTokens?: number };

/** The input of a command hook, as far as Conduct uses it. */
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
    | { readonly kind: "SessionEnd" }
  );

export type CodexEventOf<K extends CodexEvent["kind"]> = Extract<CodexEvent, { kind: K }>;

export function readCodexEvent(given: unknown): CodexEvent | { readonly fault: string } {
  if (!isObject(given)) return { fault: "the hook's input is not a JSON object" };
  const kind = given.hook_event_name;
  const root = given.session_id;
  const cwd = given.cwd;
  if (!isText(kind)) return { fault: "the hook's input has no hook_event_name" };
  if (!isText(root)) return { fault: `${kind} has no session_id` };
  if (!isText(cwd)) return { fault: `${kind} has no cwd` };
  const origin: CodexOrigin = {
    session: textOf(given.agent_id) ?? root,
    root,
    cwd,
    turn: textOf(given.turn_id),
    model: textOf(given.model),
    // At SubagentStop `transcript_path` is the parent's.
    transcript: textOf(given.agent_transcript_path) ?? textOf(given.transcript_path),
    interactive: given.conduct_interactive === true,
  };
  switch (kind) {
    case "SessionStart":
      return { ...origin, kind, source: textOf(given.source) ?? "startup" };
    case "UserPromptSubmit":
      if (typeof given.prompt !== "string") return { fault: "UserPromptSubmit has no prompt" };
      return { ...origin, kind, prompt: given.prompt };
    case "PostModelRequest":
      return { ...origin, kind, usage: usageOf(asObject(given.token_usage)) };
    case "PreToolUse":
    case "PostToolUse": {
      const { tool_use_id: id, tool_name: name, tool_input: input } = given;
      if (!isText(id) || !isText(name)) return { fault: `${kind} has no tool_use_id or no tool_name` };
      const use = { id, name, input: isObject(input) ? input : { input: input ?? null } };
      return kind === "PreToolUse" ? { ...origin, kind, use } : { ...origin, kind, use, response: given.tool_response };
    }
    case "Stop":
    case "SubagentStop":
      return { ...origin, kind, output: textOf(given.last_assistant_message) };
    case "SessionEnd":
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

function usageOf({ input_tokens, output_tokens }: JsonObject): CodexUsage {
  return { inputTokens: numberOf(input_tokens), outputTokens: numberOf(output_tokens) };
}

function textOf(value: unknown): string | undefined {
  return isText(value) ? value : undefined;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
