import { readFileSync } from "node:fs";
import type { HookEvent, PostToolUse, PostToolUseFailure, PreToolUse } from "../claude/native.ts";

type Recorded = HookEvent & { readonly tool_use_id?: string };

/** Hook events of the real SDK, recorded by `compat/claude/record.ts`. */
export const events: readonly Recorded[] = JSON.parse(
  readFileSync(new URL("../../claude/recorded/events.json", import.meta.url), "utf8"),
);

function find(name: string, id: string): Recorded {
  const event = events.find((one) => one.hook_event_name === name && one.tool_use_id === id);
  if (event === undefined) throw new Error(`no recorded ${name} of '${id}'`);
  return event;
}

export const before = (id: string): PreToolUse => find("PreToolUse", id) as PreToolUse;
export const after = (id: string): PostToolUse => find("PostToolUse", id) as PostToolUse;
export const failed = (id: string): PostToolUseFailure => find("PostToolUseFailure", id) as PostToolUseFailure;
