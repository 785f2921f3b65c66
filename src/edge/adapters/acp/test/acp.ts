import type { ConductEvent } from "../../../../base/words/event.ts";
import type { JsonObject } from "../../../../base/words/json.ts";
import { SequentialDependencyPolicy } from "../../../../behavior/policy/builtin/sequential-dependency-policy.ts";
import type { AgentInput } from "../../../../engine/agent/define-agent.ts";
import type { SessionHost, SessionMoments, SessionOrigin } from "../../../../engine/session/session-moments.ts";
import type { SessionOptions } from "../../../../engine/session/session-options.ts";
import { testConduct } from "../../../../engine/session/test/test-conduct.ts";
import { type Side, side } from "../../shared/test/side.ts";
import { type AcpProxyOptions, runAcpProxy } from "../proxy.ts";

type AcpSetup = {
  readonly session?: Partial<SessionOptions>;
  readonly options?: Partial<AcpProxyOptions>;
  readonly replace?: (session: SessionMoments) => SessionMoments;
};

export const SESSION = "s1";

/** A proxy on a real Conduct, between a client and an agent played by the test. Sessions are open in `/w`. */
export function testAcp(agent: Partial<AgentInput> = {}, setup: AcpSetup = {}) {
  const { session, options, replace = (one) => one } = setup;
  const world = testConduct(agent);
  const origins: SessionOrigin[] = [];
  const host: SessionHost = {
    async open(origin) {
      origins.push(origin);
      const known = world.conduct.find(origin.id);
      const parent = origin.parent === undefined ? undefined : world.conduct.find(origin.parent);
      return replace(known ?? parent?.child(origin.id, session) ?? world.open({ id: origin.id, ...session }));
    },
  };
  const [client, played] = [side(), side()];
  const logs: string[] = [];
  let ids = 0;
  const ended = runAcpProxy(client.pipe, played.pipe, {
    host,
    cwd: "/w",
    interactive: true,
    waitMs: 0,
    modes: "asking",
    newId: () => `n${++ids}`,
    version: "test",
    log: (line) => logs.push(line),
    ...options,
  });
  let asked = 0;
  const ask = (from: Side, method: string, params: object, id = `${++asked}`) => {
    from.say({ jsonrpc: "2.0", id, method, params });
    return from.hear((one) => one.id === id && one.method === undefined);
  };
  const toAgent = played.side;
  const answer = (request: JsonObject, result: object) => toAgent.say({ jsonrpc: "2.0", id: request.id, result });
  return {
    ...world,
    origins,
    logs,
    ended,
    client: client.side,
    agent: toAgent,
    closed: () => ({ client: client.closed(), agent: played.closed() }),
    /** Sends a request of the client; resolves with the response. */
    clientAsks: (method: string, params: object, id?: string) => ask(client.side, method, params, id),
    agentAsks: (method: string, params: object) => ask(toAgent, method, { sessionId: SESSION, ...params }),
    answer,
    /** The next request that the agent receives. */
    asked: (method: string) => toAgent.hear((one) => one.method === method),
    /** The next request that the client receives. */
    put: (method: string) => client.side.hear((one) => one.method === method),
    reply: (request: JsonObject, result: object) => client.side.say({ jsonrpc: "2.0", id: request.id, result }),
    tells: (update: object) =>
      toAgent.say({ jsonrpc: "2.0", method: "session/update", params: { sessionId: SESSION, update } }),
    async open() {
      const opened = ask(client.side, "session/new", { cwd: "/w", mcpServers: [] });
      answer(await toAgent.hear((one) => one.method === "session/new"), { sessionId: SESSION });
      return opened;
    },
    /** Sends a person's message; resolves with the response when the turn is over. */
    say: (text: string) => ask(client.side, "session/prompt", { sessionId: SESSION, prompt: [{ type: "text", text }] }),
    /** The texts of the next prompt that the agent receives, and a function to end it. */
    async prompted() {
      const request = await toAgent.hear((one) => one.method === "session/prompt");
      const { prompt } = request.params as { readonly prompt: readonly { readonly text: string }[] };
      return {
        texts: prompt.map(({ text }) => text),
        request,
        end: (stopReason = "end_turn") => answer(request, { stopReason }),
      };
    },
    shown: () => client.side.heard.flatMap((line) => (line.includes('"conduct":true') ? [line] : [])).join("\n"),
  };
}

export const OPTIONS = [
  { optionId: "once", name: "Allow", kind: "allow_once" },
  { optionId: "always", name: "Always", kind: "allow_always" },
  { optionId: "no", name: "Reject", kind: "reject_once" },
];

export const selected = (optionId: string) => ({ outcome: { outcome: "selected", optionId } });

/** An agent's permission request for a command. */
export function forCommand(command: string, toolCallId = "c1") {
  return { toolCall: { toolCallId, title: command, kind: "execute", rawInput: { command } }, options: OPTIONS };
}

/** Requires tests before a deploy. */
export const RELEASE = {
  actions: { test: { tool: "shell", command: "npm test" }, deploy: { tool: "shell", command: "npm run deploy" } },
  policies: [new SequentialDependencyPolicy({ dependencies: { deploy: ["test"] } })],
};

export const outcomes = (events: readonly ConductEvent[]) =>
  events.flatMap((event) => (event.type === "result" ? [event.outcome] : []));

export const kinds = (events: readonly ConductEvent[]) =>
  events.flatMap((event) => (event.type === "call" ? [event.decision.kind] : []));

export const statuses = (events: readonly ConductEvent[]) =>
  events.flatMap((event) => (event.type === "stop" ? [event.status] : []));

export const completed = (toolCallId: string, rawOutput: object = {}) => ({
  sessionUpdate: "tool_call_update",
  toolCallId,
  status: "completed",
  rawOutput,
});
