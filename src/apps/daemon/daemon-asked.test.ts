import { describe, expect, it } from "vitest";
import { daemonPlace } from "../../edge/host/daemon/daemon-place.ts";
import { remoteHost } from "../../edge/host/daemon/remote-session.ts";
import { writeRuntime } from "../../edge/host/opening/runtime-settings.ts";
import { storePlace } from "../../edge/host/workspace/store-place.ts";
import { openCallStores } from "../../edge/stores/call-stores.ts";
import { useDaemons } from "./test/test-daemon.ts";

const daemons = useDaemons();
const { place, start, send } = daemons;

describe("what a daemon says to those who ask", () => {
  it("DMN-45 every answer of the daemon names its port, even the first one", async () => {
    const starting = start();
    const ask = async (): Promise<unknown> =>
      send({ daemon: "hello" }).catch(() => new Promise(setImmediate).then(ask));
    expect(await ask()).toMatchObject({ port: (await starting).hello().port });
  });

  it("DMN-46 an origin may name an existing agent and a user, but never override the operator's settings or a role", async () => {
    daemons.configure("agents:\n  strict: { tools: [] }\n  lax: { tools: [] }\n");
    await start();
    const remote = remoteHost({ socket: daemonPlace(place.home).socket });
    const origin = { runtime: "mcp", id: "m1", cwd: place.workspace, interactive: true };
    await expect(remote.open(origin)).rejects.toThrow("no agent is set for mcp");
    await expect(remote.open({ ...origin, agent: "lux" })).rejects.toThrow("no agent 'lux' (did you mean 'lax'?)");
    const claims = { ...origin, agent: "lax", user: "bob", role: "operator", sender: { role: "operator" } };
    const session = await remote.open(claims);
    expect((await session.onMessage({ text: "/elevated on" })).modes.elevated).toBe(false);
    await writeRuntime(place.home, "mcp", { agent: "strict", enforcement: "enforce", operator: false, since: "" });
    await expect(remote.open({ ...origin, id: "m2", agent: "lax" })).rejects.toThrow("it cannot be 'lax'");
    await remote.open({ ...origin, id: "m3", agent: "strict" });
    const stores = await openCallStores(storePlace({}, place.home));
    expect((await stores.sessions.load("m1"))?.beside).toMatchObject({
      agent: "lax",
      own: { origin: { user: "bob" } },
    });
    expect((await stores.sessions.load("m1"))?.snapshot).toContain('"user":"bob"');
    await stores.close();
  });

  it("DMN-57 a person's tags replace those of the agent in an open session, and rules read them", async () => {
    const rule = `{ id: no-drill, on: shell, when: '"drilling" in session.custom', say: No drills now. }`;
    daemons.configure(`agents:\n  coder: { custom: [night], rules: [${rule}] }\n`);
    await start();
    expect(await daemons.codex({ tool_use_id: "c1" })).toBe("allow");
    const session = "s";
    expect(await send({ tags: { session, custom: ["drilling"] } })).toEqual({ kind: "tagged" });
    expect(await daemons.codex({ tool_use_id: "c2" })).toContain("No drills now.");
    expect(await send({ tags: { session: "nobody", custom: [] } })).toEqual({ kind: "not-here" });
    await expect(send({ tags: { session, custom: "drilling" } })).rejects.toThrow("must name its session and the tags");
  });

  it.each([
    ["codex", { hook_event_name: "SessionStart", source: "startup" }, { agent_id: "below" }],
    ["copilot", { conduct_event: "userPromptSubmitted", prompt: "go" }, { agentId: "below", parentAgentId: "s" }],
  ])(
    "DMN-62 a new subagent of %s in another folder belongs to its session's workspace",
    async (runtime, event, below) => {
      await start();
      const name = (id: string) =>
        runtime === "codex" ? { session_id: "s" } : { conduct_hook: runtime, sessionId: id };
      await send({ ...event, ...name("s"), cwd: place.workspace });
      await send({ ...event, ...name("below"), ...below, cwd: place.home });
      const stores = await openCallStores(storePlace({}, place.home));
      expect((await stores.sessions.load("below"))?.beside).toMatchObject({ workspace: place.workspace });
      await stores.close();
    },
  );
});
