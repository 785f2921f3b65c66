import { asList, asObject, asString } from "../../../base/kernel/json.ts";
import type { CallInput } from "../../../base/words/call.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import { renderDenial } from "../../../behavior/policy/render-denial.ts";
import { forget, handledKey, type LiveSession, settle } from "./live-session.ts";
import { mergeSeen, type ToolSeen, textIn } from "./native.ts";
import { resultOf } from "./outcome-map.ts";
import { type Around, endTurn, show } from "./permit.ts";
import { mapTool } from "./tool-map.ts";
import { isUnasking, refusalText } from "./translate.ts";

/** What the agent tells of itself. It has gone on to the client already. */
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
  // The agent's last words are those after its last call.
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
    const { feedback } = await session.onResult(call, resultOf(seen, call.tool), { replaceable: false });
    if (feedback !== undefined) live.advice.push(feedback);
  }
  show(live, around, session.takeDebug());
}

/** The agent has made a call without asking: it counts like any other, and what is against a rule is told to all. */
async function settleUnasked(live: LiveSession, seen: ToolSeen, around: Around): Promise<void> {
  const mapped = mapTool(seen, live);
  if (mapped.kind !== "call" || live.handled.has(handledKey(mapped.call))) return;
  const session = await live.moments();
  const call = { id: seen.id, ...mapped.call };
  const decision = await session.decide(call, { waitMs: 0 });
  if (decision.kind === "allow") return settleAll(live, [call], seen, around);
  const message = `${call.tool} ran without the agent's asking: ${seen.title}`;
  session.notice({ kind: "fault", fault: { where: "acp", code: "not-asked", message } });
  if (decision.kind === "ask") {
    await session.onResult(call, resultOf(seen, call.tool), { replaceable: false });
    return show(live, around, `Conduct was not asked: ${message}`);
  }
  const text = refusalText(seen.title, `It has run, because you did not ask. ${renderDenial(decision)}`);
  live.denials.push(text);
  show(live, around, `Conduct was not asked: ${text}`);
  if (decision.endTurn) endTurn(live, around);
}

/** A conversation that takes much less room than before was shortened by the agent: ACP tells it in no other way. */
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
  forget(live);
  void settle(live, async () => (await live.moments()).notice({ kind: "compacted" }));
}

export function tellUnasking(live: LiveSession, mode: string, around: Around): void {
  const message = `the agent is in mode '${mode}', in which it does not ask before it acts: Conduct cannot refuse what it does`;
  show(live, around, `Conduct: ${message}.`);
  void settle(live, async () =>
    (await live.moments()).notice({ kind: "fault", fault: { where: "acp", code: "unasking-mode", message } }),
  );
}
