import type { JsonObject } from "../../src/base/words/json.ts";
import {
  type KitCall,
  type KitMcpCall,
  type KitReply,
  type KitRequest,
  type KitRun,
  playKitScript,
} from "../../src/testing/kit/driver.ts";
import type {
  ModelRequest,
  ReplyTo,
  ScriptedCall,
  ScriptedMessage,
} from "../../src/testing/test/model-server/index.ts";

const NATIVE_NAMES: { readonly [tool: string]: string } = { read_file: "read", write_file: "write", shell: "exec" };
const INTERNAL = "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>";

/** The kit's script in OpenClaw's words. */
export type ClawScript = {
  readonly reply: ReplyTo;
  unplayed(): number;
  request(request: ModelRequest): KitRequest;
};

/** `before` runs before each answer of the model, counted from 1. */
export function clawScript(script: KitRun["script"], before: (request: number) => Promise<void>): ClawScript {
  const player = playKitScript(script);
  const ids = new Map<string, string>();
  let requests = 0;
  /** A subagent that the agent has to wait for. */
  let waiting: string | undefined;
  const request = (given: ModelRequest): KitRequest => kitRequest(given, ids);

  function inOpenClaw({ text, calls = [], mcpCalls = [], task }: KitReply): ScriptedMessage {
    const native = [...calls.map(plainCall), ...mcpCalls.map(mcpCall)];
    if (task !== undefined) {
      waiting = task.id;
      native.push({ id: task.id, name: "sessions_spawn", input: { task: task.prompt, collect: true } });
    }
    for (const { id = "" } of native) ids.set(written(id), id);
    return { text, ...(native.length === 0 ? {} : { calls: native }) };
  }

  return {
    request,
    unplayed: player.unplayed,
    async reply(given) {
      requests += 1;
      await before(requests);
      const asked = request(given);
      if (waiting !== undefined && asked.subagent !== true) {
        const run = /"runId": "([^"]+)"/.exec(asked.results.find(({ callId }) => callId === waiting)?.text ?? "")?.[1];
        waiting = undefined;
        return { calls: [{ id: "wait", name: "agents_wait", input: { ids: [run ?? "none"], timeoutSeconds: 60 } }] };
      }
      const reply = player.next(asked);
      if (reply === undefined) throw new Error("script exhausted");
      return inOpenClaw(reply);
    },
  };
}

function plainCall({ id, tool, args }: KitCall): ScriptedCall {
  return { id, name: NATIVE_NAMES[tool] ?? tool, input: args as JsonObject };
}

function mcpCall({ id, server, tool, args }: KitMcpCall): ScriptedCall {
  return { id, name: `${server}__${tool}`, input: args as JsonObject };
}

/** OpenClaw sends ids of calls back without their signs. */
function written(id: string): string {
  return id.replace(/[^A-Za-z0-9]/g, "");
}

function kitRequest(
  { raw, system, history, thinking, results }: ModelRequest,
  ids: ReadonlyMap<string, string>,
): KitRequest {
  const users = history.filter(
    (item) => item.kind === "text" && item.role === "user" && !item.text.startsWith(INTERNAL),
  );
  const last = users.at(-1);
  const first = users[0];
  return {
    raw,
    system,
    lastUserText: last?.kind === "text" ? last.text : "",
    thinking,
    results: results.map(({ callId, text }) => ({ callId: ids.get(written(callId)) ?? callId, text })),
    ...(first?.kind === "text" && first.text.includes("[Subagent Context]") ? { subagent: true as const } : {}),
  };
}

/** OpenClaw asks a model for the summary of a conversation without any of the agent's tools. */
export function answerSummary({ tools }: ModelRequest): ScriptedMessage | undefined {
  return tools.length === 0 ? { text: "## Summary\nThey talked." } : undefined;
}
