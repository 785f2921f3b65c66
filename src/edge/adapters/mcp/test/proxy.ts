import type { JsonObject } from "../../../../base/words/json.ts";
import { parseConfig } from "../../../../engine/agent/config/parse-config.ts";
import { replaceMoments, type SessionMoments } from "../../../../engine/session/session-moments.ts";
import type { SessionOptions } from "../../../../engine/session/session-options.ts";
import { testConduct } from "../../../../engine/session/test/test-conduct.ts";
import { side } from "../../shared/test/side.ts";
import type { ProxyOptions } from "../proxy.ts";
import { runProxy } from "../proxy.ts";

export const RULES = `rules:
  - { id: test-first, on: desk/deploy, require: { call: desk/test } }
  - { id: person, on: desk/pay, effect: ask, when: "true", say: "Pay {{args.amount}}?" }
  - { id: short, on: desk/wait, set: { timeout: 60 } }
  - { id: care, on: desk/move, effect: warn, when: "true", say: "Move with care." }
trustedTools: [{ server: desk, tool: lookup }]
limits: { window: 4_000 }`;

type ProxySetup = {
  /** The agent's YAML below its name in conduct.yaml. */
  readonly agent?: string;
  readonly session?: Partial<SessionOptions>;
  readonly options?: Partial<ProxyOptions>;
  readonly replace?: (session: SessionMoments) => SessionMoments;
};

/** A proxy on a real session, between two sides played by the test. The server is called `desk`. */
export function testProxy({ agent = "soul: Be brief.", session, options, replace = (one) => one }: ProxySetup = {}) {
  const parsed = parseConfig(`agents:\n  agent:\n${agent.replace(/^/gm, "    ")}`, "test.yaml");
  if ("faults" in parsed) throw new Error(JSON.stringify(parsed.faults));
  const [definition] = parsed.agents;
  const world = testConduct({ ...definition, name: "agent" });
  const live = world.open({ id: "s", ...session });
  const [client, server] = [side(), side()];
  const logs: string[] = [];
  let ids = 0;
  const ended = runProxy(client.pipe, server.pipe, {
    server: "desk",
    session: replace(live),
    newId: () => `n${++ids}`,
    now: () => world.time.now,
    waitMs: 0,
    log: (line) => logs.push(line),
    ...options,
  });
  let calls = 0;
  const call = (name: string, args: object = {}, id: string | number = ++calls) => {
    client.side.say({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args } });
    return id;
  };
  /** A call from its request to the client's response; the server answers with `result`. */
  const play = (name: string, args: object = {}, result: object = { content: [{ type: "text", text: "ok" }] }) => {
    const id = call(name, args);
    const answer = client.side.hear((one) => one.id === id);
    const asked = server.side.hear((one) => one.id === id);
    void asked.then(() => server.side.say({ jsonrpc: "2.0", id, result }));
    return answer;
  };
  return {
    client: client.side,
    server: server.side,
    closed: () => ({ client: client.closed(), server: server.closed() }),
    call,
    play,
    ended,
    logs,
    live,
    ...world,
  };
}

export function textsOf(response: JsonObject): string {
  const { content = [] } = (response.result ?? {}) as { readonly content?: readonly JsonObject[] };
  return content.map(({ text }) => text).join("\n");
}

/** A session whose moments can be replaced one by one. */
export function bound(session: SessionMoments): SessionMoments {
  return replaceMoments(session, {});
}

export function said(text: string) {
  return { content: [{ type: "text", text }] };
}

/** Exceeds a window of 4,000 tokens. */
export const LONG = said("word ".repeat(20_000));
