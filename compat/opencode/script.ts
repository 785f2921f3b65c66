import type { KitCall, KitReply, KitRequest, KitRun } from "../../src/testing/kit/driver.ts";
import type { ModelRequest, ReplyTo, ScriptedCall, ScriptedReply } from "../../src/testing/model-server/index.ts";

/** Says the kit's script in OpenCode's words. */
export function nativeScript(script: KitRun["script"]): readonly (ScriptedReply | ReplyTo)[] {
  const reply = ({ text, calls }: KitReply): ScriptedReply => ({
    ...(text === undefined ? {} : { text }),
    ...(calls === undefined ? {} : { calls: calls.map(nativeCall) }),
  });
  return script.map((entry) =>
    typeof entry === "function" ? (request: ModelRequest) => reply(entry(kitRequest(request))) : reply(entry),
  );
}

export function kitRequest({ raw, system, lastUserText, thinking, results }: ModelRequest): KitRequest {
  return {
    raw,
    system,
    lastUserText,
    ...(thinking === undefined ? {} : { thinking }),
    results: results.map(({ callId, text }) => ({ callId, text })),
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

/** OpenCode's own requests, which have no tools and a prompt of their own. */
export function sideReply({ system }: ModelRequest): ScriptedReply | undefined {
  if (system.startsWith("You are a title generator")) return { text: "A title" };
  return system.startsWith("You are a context summarization agent") ? { text: "SUMMARY-OF-ALL" } : undefined;
}
