import type { KitCall, KitMcpCall, KitPlayer, KitRequest, KitTask } from "../../src/testing/kit/driver.ts";
import type { ModelRequest, ReplyTo, ScriptedCall, ScriptedReply } from "../../src/testing/test/model-server/index.ts";

/** Says the kit's script in OpenCode's words. `answering` hears before each answer how many are left after it. */
export function nativeScript(player: KitPlayer, answering: (left: number) => Promise<void>): ReplyTo {
  return async (request) => {
    const {
      text,
      calls = [],
      mcpCalls = [],
      task,
    } = player.next(kitRequest(request)) ?? { text: "(script exhausted)" };
    await answering(player.unplayed());
    const native = [
      ...calls.map(nativeCall),
      ...mcpCalls.map(serverCall),
      ...(task === undefined ? [] : [taskCall(task)]),
    ];
    return { text, ...(native.length === 0 ? {} : { calls: native }) };
  };
}

export function kitRequest({ raw, system, lastUserText, thinking, results, headers }: ModelRequest): KitRequest {
  return {
    raw,
    system,
    lastUserText,
    thinking,
    results: results.map(({ callId, text }) => ({ callId, text })),
    subagent: headers["x-parent-session-id"] === undefined ? undefined : true,
  };
}

function nativeCall({ id, tool, args }: KitCall): ScriptedCall {
  switch (tool) {
    case "read_file":
      return { id, name: "read", input: { filePath: String(args.path) } };
    case "write_file":
      return { id, name: "write", input: { filePath: String(args.path), content: String(args.content) } };
    case "shell":
      return { id, name: "bash", input: { command: String(args.command) } };
    case "read_result":
    case "read_memory":
    case "save_memory":
    case "update_instructions":
      return { id, name: tool, input: { ...args } };
  }
}

function serverCall({ id, server, tool, args }: KitMcpCall): ScriptedCall {
  return { id, name: `${server}_${tool}`, input: { ...args } };
}

function taskCall({ id, prompt }: KitTask): ScriptedCall {
  return { id, name: "task", input: { description: "work", prompt, subagent_type: "general" } };
}

/** OpenCode's own requests, which have no tools and a prompt of their own. */
export function sideReply({ system }: ModelRequest): ScriptedReply | undefined {
  if (system.startsWith("You are a title generator")) return { text: "A title" };
  return system.startsWith("You are a context summarization agent") ? { text: "SUMMARY-OF-ALL" } : undefined;
}
