import type { KitCall, KitReply, KitRequest, KitRun } from "../../src/testing/kit/driver.ts";
import type { ModelRequest, ScriptedCall, ScriptedReply } from "../../src/testing/model-server/index.ts";

/** Says the kit's script in Codex' words: plain calls, or scripts for the models in code mode. */
export function nativeScript(script: KitRun["script"], codeMode: boolean) {
  const say = codeMode ? scriptedCall : plainCall;
  const reply = ({ text, calls }: KitReply): ScriptedReply => ({
    ...(text === undefined ? {} : { text }),
    ...(calls === undefined ? {} : { calls: calls.map(say) }),
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

function plainCall({ id, tool, args }: KitCall): ScriptedCall {
  switch (tool) {
    case "read_file":
      return { id, name: "exec_command", input: { cmd: `cat '${args.path}'` } };
    case "write_file":
      return { id, name: "apply_patch", input: addFile(String(args.path), String(args.content)) };
    case "shell":
      return { id, name: "exec_command", input: { cmd: String(args.command) } };
    case "read_result":
    case "read_memory":
    case "save_memory":
    case "update_instructions":
      return { id, name: tool, namespace: "mcp__conduct", input: { ...args } };
  }
}

/** In code mode the model writes a script; its calls have ids of their own, but the answer comes under this one. */
function scriptedCall(call: KitCall): ScriptedCall {
  const { name, namespace, input } = plainCall(call);
  const nested = namespace === undefined ? name : `${namespace}__${name}`;
  const shown = "typeof r === 'string' ? r : r.output ?? r";
  return {
    id: call.id,
    name: "exec",
    input: `const r = await tools.${nested}(${JSON.stringify(input)}); text(${shown});`,
  };
}

export function addFile(path: string, content: string): string {
  const lines = content.replace(/\n$/, "").split("\n");
  return `*** Begin Patch\n*** Add File: ${path}\n${lines.map((line) => `+${line}`).join("\n")}\n*** End Patch\n`;
}
