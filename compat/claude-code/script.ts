import { toolName } from "../../src/edge/adapters/shared/claude/tool-map.ts";
import type { KitCall, KitMcpCall, KitReply, KitRequest } from "../../src/testing/kit/driver.ts";
import type { ModelRequest, ScriptedCall, ScriptedMessage } from "../../src/testing/test/model-server/index.ts";

/** The kit's reply as Claude's model gives it. */
export function nativeMessage({ text, calls = [], mcpCalls = [], task }: KitReply, workspace: string): ScriptedMessage {
  const below = task === undefined ? [] : [nativeTask(task.id, task.prompt)];
  const all = [...calls.map((call) => nativeCall(call, workspace)), ...mcpCalls.map(nativeMcpCall), ...below];
  return { text, ...(all.length === 0 ? {} : { calls: all }) };
}

/** The call as Claude's model would make it: files by their absolute path. */
function nativeCall({ id, tool, args }: KitCall, workspace: string): ScriptedCall {
  const path = String(args.path ?? "");
  const file_path = path.startsWith("/") ? path : `${workspace}/${path}`;
  switch (tool) {
    case "read_file":
      return { id, name: "Read", input: { file_path } };
    case "write_file":
      return { id, name: "Write", input: { file_path, content: String(args.content ?? "") } };
    case "shell":
      return { id, name: "Bash", input: { command: String(args.command ?? "") } };
    default:
      return { id, name: toolName(tool), input: { ...args } };
  }
}

function nativeMcpCall({ id, server, tool, args }: KitMcpCall): ScriptedCall {
  return { id, name: `mcp__${server}__${tool}`, input: { ...args } };
}

function nativeTask(id: string, prompt: string): ScriptedCall {
  const input = { description: "work", prompt, subagent_type: "general-purpose", run_in_background: false };
  return { id, name: "Agent", input };
}

/** What stands beside messages is the conversation's: the newest prompt, and what changed of it since. */
export function kitRequest({ raw, history, lastUserText, thinking, results, kind }: ModelRequest): KitRequest {
  const told = history.flatMap((item) => (item.kind === "text" && item.role === "system" ? [item.text] : []));
  return {
    raw,
    system: told.join("\n\n"),
    lastUserText,
    thinking,
    ...(kind === "subagent" ? { subagent: true } : {}),
    results: results.map(({ callId, text }) => ({ callId, text })),
  };
}
