import { resolve } from "node:path";
import { toolName } from "../../src/edge/adapters/shared/claude/tool-map.ts";
import type { KitCall, KitMcpCall, KitReply, KitRequest, KitTask } from "../../src/testing/kit/driver.ts";
import type { ModelRequest, ScriptedCall, ScriptedMessage } from "../../src/testing/test/model-server/index.ts";

/** A reply of the kit's script as Claude's model would give it. */
export function nativeMessage(reply: KitReply, workspace: string): ScriptedMessage {
  const { text, calls = [], mcpCalls = [], task } = reply;
  const all = [
    ...calls.map((call) => nativeCall(call, workspace)),
    ...mcpCalls.map(nativeMcpCall),
    ...(task === undefined ? [] : [nativeTask(task)]),
  ];
  return { text, ...(all.length === 0 ? {} : { calls: all }) };
}

/** Files by their absolute path. */
function nativeCall({ id, tool, args }: KitCall, workspace: string): ScriptedCall {
  const file_path = resolve(workspace, String(args.path ?? ""));
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

function nativeTask({ id, prompt }: KitTask): ScriptedCall {
  const input = { description: "work", prompt, subagent_type: "general-purpose", run_in_background: false };
  return { id, name: "Agent", input };
}

/** What stood beside older messages is no longer told: it is the conversation. */
export function kitRequest({ raw, body, history, lastUserText, thinking, results, kind }: ModelRequest): KitRequest {
  const texts = history.flatMap((item) => (item.kind === "text" ? [item] : []));
  const newest = texts.findLast(({ role }) => role === "user")?.message ?? 0;
  const beside = texts.filter(({ role, message }) => role === "system" && message > newest).map(({ text }) => text);
  return {
    raw,
    system: [...systemPrompt(body), ...beside].join("\n\n"),
    lastUserText,
    thinking,
    ...(kind === "subagent" ? { subagent: true } : {}),
    results: results.map(({ callId, text }) => ({ callId, text })),
  };
}

/** The blocks of the system prompt. */
function systemPrompt({ system }: ModelRequest["body"]): readonly string[] {
  return [system].flat().flatMap((block) => {
    if (typeof block === "string") return [block];
    return typeof block === "object" && block !== null && "text" in block ? [String(block.text)] : [];
  });
}
