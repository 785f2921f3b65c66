import { isObject } from "../../../base/kernel/json.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import type * as hook from "../shared/claude/native.ts";
import type { HookEvent } from "../shared/claude/native.ts";

/** Fields of every event. `prompt_id` is the same for all events of one message. */
export type Origin = HookEvent & { readonly session_id: string; readonly prompt_id?: string };

type Events = {
  readonly SessionStart: HookEvent & { readonly source: string };
  readonly UserPromptSubmit: hook.UserPromptSubmit;
  readonly PreToolUse: hook.PreToolUse;
  readonly PostToolUse: hook.PostToolUse;
  readonly PostToolUseFailure: hook.PostToolUseFailure;
  readonly PostToolBatch: hook.PostToolBatch;
  readonly PermissionDenied: hook.PermissionDenied;
  readonly PreCompact: HookEvent;
  readonly PostCompact: HookEvent;
  readonly SubagentStart: HookEvent & { readonly agent_id: string };
  readonly SubagentStop: HookEvent;
  readonly Stop: hook.Stop;
  readonly SessionEnd: HookEvent;
};
export type EventName = keyof Events;
export type EventOf<E extends EventName> = Origin & Events[E];
export type Named = { readonly [E in EventName]: { readonly name: E; readonly event: EventOf<E> } }[EventName];

type Kind = "string" | "boolean" | "list" | "any";

/** Required fields besides `session_id` and `cwd`. */
const FIELDS: { readonly [E in EventName]: { readonly [field: string]: Kind } } = {
  SessionStart: { source: "string" },
  UserPromptSubmit: { prompt: "string" },
  PreToolUse: { tool_name: "string", tool_use_id: "string", tool_input: "any" },
  PostToolUse: { tool_name: "string", tool_use_id: "string", tool_input: "any", tool_response: "any" },
  PostToolUseFailure: { tool_name: "string", tool_use_id: "string", tool_input: "any", error: "string" },
  PostToolBatch: { tool_calls: "list" },
  PermissionDenied: { tool_name: "string", tool_use_id: "string", reason: "string" },
  PreCompact: {},
  PostCompact: {},
  SubagentStart: { agent_id: "string" },
  SubagentStop: {},
  Stop: { stop_hook_active: "boolean" },
  SessionEnd: {},
};

/** Every event that Conduct takes. */
export const EVENTS = Object.keys(FIELDS) as readonly EventName[];

/** The event, what is wrong with it, or `other` for one that Conduct does not take. */
export function readEvent(given: unknown): Named | { readonly fault: string } | "other" {
  if (!isObject(given)) return { fault: "the event is not a JSON object" };
  const { hook_event_name: name } = given;
  if (typeof name !== "string") return { fault: "the event has no hook_event_name" };
  if (!Object.hasOwn(FIELDS, name)) return "other";
  const wanted = { session_id: "string", cwd: "string", ...FIELDS[name as EventName] } as const;
  const missing = Object.entries(wanted).flatMap(([field, kind]) => (has(given, field, kind) ? [] : [field]));
  if (missing.length > 0) return { fault: `the ${name} event has no readable ${missing.join(", ")}` };
  const { agent_id } = given;
  if (agent_id !== undefined && typeof agent_id !== "string") return { fault: "the agent_id is not a string" };
  // Each field that the hooks read has just been looked at.
  return { name, event: given } as unknown as Named;
}

/** The event's own name, for an answer to one that could not be read; a call when in doubt. */
export function nameOf(given: unknown): string {
  return isObject(given) && typeof given.hook_event_name === "string" ? given.hook_event_name : "PreToolUse";
}

function has(given: JsonObject, field: string, kind: Kind): boolean {
  const value = given[field];
  if (kind === "any") return value !== undefined;
  if (kind === "list") return Array.isArray(value) && value.every((one) => isObject(one) && "tool_use_id" in one);
  return kind === "string" ? typeof value === "string" && (field === "prompt" || value !== "") : typeof value === kind;
}
