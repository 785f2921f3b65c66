import { asList, asObject, asString, isObject } from "../../../base/kernel/json.ts";
import type { CallInput } from "../../../base/words/call.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";
import type { Part, ToolResult } from "../../../base/words/result.ts";
import { renderDenial } from "../../../behavior/policy/render-denial.ts";
import { exitResult, feedbackOf } from "../shared/content.ts";
import { tellFault } from "../shared/refusals.ts";
import { handledKey, type LiveSession, settle } from "./live-session.ts";
import { type Around, endTurn, show } from "./permissions.ts";
import { mapTool } from "./tool-map.ts";
import { isUnasking, mergeSeen, refusalText, type ToolSeen, textIn } from "./translate.ts";

/** Handles an update of the agent that was already passed on to the client. */
export function onUpdate(live: LiveSession, update: JsonObject, around: Around): void {
  switch (update.sessionUpdate) {
    case "agent_message_chunk":
      live.text += textIn(update.content);
      break;
    case "tool_call":
    case "tool_call_update":
      onToolCall(live, update, around);
      break;
    case "available_commands_update":
      live.commands.clear();
      for (const command of asList(update.availableCommands)) live.commands.add(asString(asObject(command).name));
      break;
    case "usage_update":
      onUsage(live, update);
      break;
    case "current_mode_update":
      if (isUnasking(asString(update.currentModeId))) tellUnasking(live, asString(update.currentModeId), around);
  }
}

function onToolCall(live: LiveSession, update: JsonObject, around: Around): void {
  const before = live.seen.get(asString(update.toolCallId));
  const seen = mergeSeen(before, update);
  live.seen.set(seen.id, seen);
  // The agent's answer is the text after its last call.
  if (update.sessionUpdate === "tool_call") live.text = "";
  for (const look of live.waiting) look();
  if (seen.status !== "completed" && seen.status !== "failed") return;
  if (live.done.has(seen.id)) return;
  live.done.add(seen.id);
  const granted = live.granted.get(seen.id);
  live.granted.delete(seen.id);
  if (granted !== undefined) void settle(live, () => settleAll(live, granted, seen, around));
  else if (seen.status === "completed") void settle(live, () => settleUnasked(live, seen, around));
}

async function settleAll(
  live: LiveSession,
  calls: readonly CallInput[],
  seen: ToolSeen,
  around: Around,
): Promise<void> {
  const session = await live.moments();
  for (const call of calls) {
    live.advice.push(...feedbackOf(await session.onResult(call, resultOf(seen, call.tool), { replaceable: false })));
  }
  show(live, around, session.takeDebug());
}

/** Settles a call made without asking. The call counts; a broken rule is reported to the person and the model. */
async function settleUnasked(live: LiveSession, seen: ToolSeen, around: Around): Promise<void> {
  const mapped = mapTool(seen, live);
  if (mapped.kind !== "call" || live.handled.has(handledKey(mapped.call))) return;
  const session = await live.moments();
  const call = { id: seen.id, ...mapped.call };
  const decision = await session.decide(call, { waitMs: 0 });
  if (decision.kind === "allow") return settleAll(live, [call], seen, around);
  const message = `${call.tool} ran without a permission request: ${seen.title}`;
  tellFault(session, "acp", "not-asked", message);
  if (decision.kind === "ask") {
    await session.onResult(call, resultOf(seen, call.tool), { replaceable: false });
    return show(live, around, `Conduct was not asked: ${message}`);
  }
  const text = refusalText(seen.title, `It ran because you did not ask for permission. ${renderDenial(decision)}`);
  live.denials.push(text);
  show(live, around, `Conduct was not asked: ${text}`);
  if (decision.endTurn) endTurn(live, around);
}

/** A sharp drop in size means a compaction: ACP has no event for it. */
function onUsage(live: LiveSession, { used, size }: JsonObject): void {
  if (typeof size === "number" && size > 0 && size !== live.window) {
    live.window = size;
    void settle(live, async () => (await live.moments()).notice({ kind: "started", adapter: "acp", window: size }));
  }
  if (typeof used !== "number") return;
  if (live.used !== undefined && used < live.used / 2) tellCompacted(live);
  live.used = used;
}

export function tellCompacted(live: LiveSession): void {
  live.sent = undefined;
  void settle(live, async () => (await live.moments()).notice({ kind: "compacted" }));
}

export function tellUnasking(live: LiveSession, mode: string, around: Around): void {
  const message = `the agent is in mode '${mode}', which asks for no permission, so Conduct cannot refuse its calls`;
  show(live, around, `Conduct: ${message}.`);
  void settle(live, async () => tellFault(await live.moments(), "acp", "unasking-mode", message));
}

/** The result that the agent reports. A `completed` command may have failed; only its exit code shows it. */
export function resultOf(seen: ToolSeen, tool: string): ToolResult {
  const parts = partsOf(seen);
  if (seen.status === "failed") return { outcome: refused(seen) ? "denied" : "failed", parts };
  if (tool !== "shell") return { outcome: "ok", parts };
  return { ...exitResult(exitOf(asObject(seen.output))), parts };
}

const EXIT_KEYS = ["exitCode", "exit_code", "exit", "returnCode", "returncode"];

/** Agents report the exit code under different names. */
function exitOf(output: JsonObject): number | null | undefined {
  for (const place of [output, asObject(output.metadata)]) {
    const value = EXIT_KEYS.flatMap((key) => (Object.hasOwn(place, key) ? [place[key]] : []))[0];
    if (typeof value === "number" || value === null) return value;
  }
  return undefined;
}

/** Refused by the agent's own configuration or by the person. */
function refused({ output, content }: ToolSeen): boolean {
  const text = [asString(asObject(output).error), ...content.map(contentText)].join("\n");
  return /\buser (?:has )?(?:rejected|denied|declined)\b|\brejected permission\b|rule which prevents you/i.test(text);
}

function partsOf({ content, output }: ToolSeen): readonly Part[] {
  const texts = content.map(contentText).filter((text) => text !== "");
  if (texts.length > 0) return texts.map((text) => ({ kind: "text", text }));
  if (typeof output === "string") return [{ kind: "text", text: output }];
  if (!isObject(output)) return [];
  const text = output.output ?? output.error;
  return typeof text === "string" ? [{ kind: "text", text }] : [{ kind: "json", value: output }];
}

function contentText(content: Json): string {
  const { type, content: block } = asObject(content);
  return type === "content" ? textIn(block) : "";
}
