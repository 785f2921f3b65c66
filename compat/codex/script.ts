import {
  type KitCall,
  type KitMcpCall,
  type KitReply,
  type KitRequest,
  type KitRun,
  type KitTask,
  type OwnTool,
  playKitScript,
} from "../../src/testing/kit/driver.ts";
import type { ModelRequest, ScriptedCall, ScriptedMessage } from "../../src/testing/test/model-server/index.ts";

/** The kit's script as Codex' model plays it: plain calls, or scripts for the models in code mode. */
export type NativeScript = {
  reply(request: ModelRequest): ScriptedMessage;
  unplayed(): number;
  /** The ids of the calls that were made so far, in order. */
  readonly said: readonly string[];
};

export function nativeScript(script: KitRun["script"], codeMode: boolean): NativeScript {
  const player = playKitScript(script);
  const said: string[] = [];
  /** Replies that the subagent owes, and how often the agent has waited for it. */
  let below = 0;
  let waited = 0;
  const say = (call: KitCall): ScriptedCall => inMode(plainCall(call), codeMode);
  const native = ({ text, calls = [], mcpCalls = [], task }: KitReply): ScriptedMessage => {
    said.push(...[...calls, ...mcpCalls].map(({ id }) => id));
    const all = [
      ...calls.map(say),
      ...mcpCalls.map((call) => inMode(mcpCall(call), codeMode)),
      ...(task === undefined ? [] : [codeMode ? spawnNamed(task) : spawn(task)]),
    ];
    return { text, ...(all.length === 0 ? {} : { calls: all }) };
  };
  return {
    said,
    unplayed: () => player.unplayed(),
    reply(request) {
      const isBelow = request.kind === "subagent";
      if (isBelow) below -= 1;
      else if (below > 0) {
        waited += 1;
        return { calls: [codeMode ? waitForAny(waited) : waitFor(waited, request)] };
      }
      const reply = player.next(kitRequest(request)) ?? { text: "script exhausted" };
      below += reply.task?.replies.length ?? 0;
      return native(reply);
    },
  };
}

export function kitRequest({ raw, system, lastUserText, thinking, results, kind }: ModelRequest): KitRequest {
  return {
    raw,
    system,
    lastUserText,
    thinking,
    ...(kind === "subagent" ? { subagent: true } : {}),
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
    default:
      return mcpCall({ id, server: "conduct", tool: tool satisfies OwnTool, args });
  }
}

function mcpCall({ id, server, tool, args }: KitMcpCall): ScriptedCall {
  return { id, name: tool, namespace: `mcp__${server}`, input: { ...args } };
}

/** In code mode the model writes a script; its calls have ids of their own, but the answer comes under this one. */
function inMode(call: ScriptedCall, codeMode: boolean): ScriptedCall {
  if (!codeMode) return call;
  const { name, namespace, input, ...named } = call;
  const nested = namespace === undefined ? name : `${namespace}__${name}`;
  const shown = "typeof r === 'string' ? r : r.output ?? r";
  const script = `const r = await tools.${nested}(${JSON.stringify(input)}); text(${shown});`;
  return { ...named, name: "exec", input: script };
}

const AGENTS = "multi_agent_v1";
/** Codex takes no less than ten seconds. */
const WAIT = { timeout_ms: 60_000 };

function spawn({ id, prompt }: KitTask): ScriptedCall {
  return { id, name: "spawn_agent", namespace: AGENTS, input: { message: prompt, fork_context: false } };
}

function waitFor(time: number, { results }: ModelRequest): ScriptedCall {
  const agent = results.map(({ text }) => /agent_id":"([0-9a-f-]+)/.exec(text)?.[1]).findLast((id) => id !== undefined);
  const input = { targets: [agent ?? "nobody"], ...WAIT };
  return { id: `wait_${time}`, name: "wait_agent", namespace: AGENTS, input };
}

/** The models in code mode name those they start, and call these tools outside of their scripts. */
function spawnNamed({ id, prompt }: KitTask): ScriptedCall {
  return { id, name: "spawn_agent", input: { task_name: id, message: prompt, fork_turns: "none" } };
}

function waitForAny(time: number): ScriptedCall {
  return { id: `wait_${time}`, name: "wait_agent", input: WAIT };
}

export function addFile(path: string, content: string): string {
  const lines = content.replace(/\n$/, "").split("\n");
  return `*** Begin Patch\n*** Add File: ${path}\n${lines.map((line) => `+${line}`).join("\n")}\n*** End Patch\n`;
}
