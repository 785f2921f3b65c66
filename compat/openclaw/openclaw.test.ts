import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { SequentialDependencyPolicy } from "../../src/behavior/policy/builtin/sequential-dependency-policy.ts";
import { addConduct } from "../../src/edge/adapters/openclaw/install.ts";
import { defineAgent } from "../../src/engine/agent/define-agent.ts";
import {
  type ModelServer,
  type ScriptedCall,
  type ScriptedReply,
  startModelServer,
} from "../../src/testing/test/model-server/index.ts";
import { type Daemon, type DaemonOptions, startDaemon } from "./daemon.ts";
import { type Gateway, startGateway } from "./gateway.ts";
import { type ClawPlace, newPlace, readFiles, writeFiles } from "./place.ts";
import { answerSummary } from "./script.ts";

const agent = defineAgent({
  name: "release",
  sections: [{ heading: "Task", content: "MARKER-OC" }],
  actions: { test: { tool: "shell", command: "sh test.sh" }, deploy: { tool: "shell", command: "sh deploy.sh" } },
  policies: [new SequentialDependencyPolicy({ dependencies: { deploy: ["test"] } })],
});
const files = { "deploy.sh": "touch deployed.txt", "test.sh": "echo green" };
const shell = (id: string, command: string): ScriptedCall => ({ id, name: "exec", input: { command } });
const done = { text: "Done." };

/** One gateway for the tests of a group; a session, and its folder, for each test. */
function useClaw(config: (place: ClawPlace) => Partial<Parameters<typeof startGateway>[1]>) {
  const place = newPlace();
  let server: ModelServer;
  let gateway: Gateway;
  let daemon: Daemon | undefined;
  beforeAll(async () => {
    server = await startModelServer({ script: [], ignore: answerSummary });
    gateway = await startGateway(place, { modelUrl: server.url, ...config(place) });
  });
  afterEach(async () => {
    await daemon?.close();
    daemon = undefined;
  });
  afterAll(async () => {
    await gateway?.stop();
    await server?.close();
    place.remove();
  });
  return {
    async session(script: readonly ScriptedReply[], options: Partial<DaemonOptions> | "no daemon" = {}) {
      const at = place.newRun();
      writeFiles(at.workspace, files);
      if (options !== "no daemon") daemon = await startDaemon(agent, { socket: place.socket, ...at, ...options });
      const first = server.requests.length;
      server.setScript(script);
      const key = `agent:main:${at.name}`;
      await gateway.request("sessions.create", { key, cwd: at.workspace });
      return {
        key,
        gateway,
        requests: () => server.requests.slice(first),
        files: () => readFiles(at.workspace),
        events: () => daemon?.events ?? [],
        result: (id: string) => resultIn(server, first, id),
      };
    },
  };
}

function resultIn(server: ModelServer, first: number, id: string): string {
  const results = server.requests.slice(first).flatMap((request) => request.results);
  return results.find(({ callId }) => callId === id)?.text ?? "(no result)";
}

describe("as people have it", () => {
  const rival = new URL("rival", import.meta.url).pathname;
  const claw = useClaw(() => ({
    // OpenClaw's default: most tools are behind a search.
    more: {
      tools: { profile: "coding", exec: { host: "gateway", mode: "full" } },
      plugins: { allow: ["rival"], load: { paths: [rival] }, entries: { rival: { enabled: true } } },
    },
  }));

  it("OCL-X1 if Conduct is unreachable, no message is sent, and the person sees why", async () => {
    const { gateway, key, requests } = await claw.session([done], "no daemon");
    const { said } = await gateway.chat(key, "go");
    expect(said.join()).toContain("Conduct could not take this message");
    expect(said.join()).toContain("no socket at");
    expect(requests()).toEqual([]);
  });

  it("OCL-X2 a tool called through tool_call is decided like any other", async () => {
    const through = (id: string, command: string) => ({
      calls: [{ id, name: "tool_call", input: { id: "exec", args: { command } } }],
    });
    const played = await claw.session([through("c1", "sh deploy.sh"), done]);
    await played.gateway.chat(played.key, "go");
    const calls = played.events().flatMap((event) => (event.type === "call" ? [event] : []));
    expect(calls.map(({ call, decision }) => [call.tool, decision.kind])).toContainEqual(["shell", "deny"]);
    expect(played.result("c1")).toContain("requires: test");
    expect(played.files().has("deployed.txt")).toBe(false);
  });

  it("OCL-X3 Conduct's own tools are available without a search", async () => {
    const { gateway, key, requests } = await claw.session([done]);
    await gateway.chat(key, "go");
    const [request] = requests();
    expect(request?.toolNames).toContain("tool_search");
    expect(request?.toolNames).toContain("read_result");
  });

  it("OCL-X4 the decided call runs, not the version that another plugin rewrote", async () => {
    const played = await claw.session([{ calls: [shell("c1", "echo plain")] }, done]);
    await played.gateway.chat(played.key, "go");
    expect(played.result("c1")).toContain("plain");
    expect(played.files().has("rewritten.txt")).toBe(false);
  });

  it("OCL-X5 messages over HTTP, as with `openclaw agent`, have the same modes, prompt and rules", async () => {
    const played = await claw.session([{ calls: [shell("c1", "sh deploy.sh")] }, { text: "No." }]);
    expect(await played.gateway.post(played.key, "/verbose on")).toContain("verbose: on");
    expect(played.requests()).toEqual([]);
    expect(await played.gateway.post(played.key, "/think go on")).toBe("No.");
    expect(played.requests()).toHaveLength(2);
    for (const { raw } of played.requests()) {
      expect(raw).toContain("MARKER-OC");
      expect(raw).not.toContain("/think go on");
      expect(raw).not.toContain("/verbose on");
    }
    expect(played.result("c1")).toContain("requires: test");
  });

  it("OCL-X6 /new begins another Conduct session under the same key", async () => {
    const { gateway, key, events } = await claw.session([done, done, done]);
    await gateway.chat(key, "one");
    await gateway.chat(key, "/new");
    await gateway.chat(key, "two");
    const sessions = new Set(events().flatMap(({ type, session }) => (type === "message" ? [session] : [])));
    expect(sessions.size).toBe(2);
    expect([...sessions].every((session) => session.startsWith(`${key}@`))).toBe(true);
  });

  it("OCL-X7 a message whose channel is only set by an HTTP header has a viewer's rights", async () => {
    const sender = { id: "olga", role: "operator" } as const;
    const { gateway, key, events } = await claw.session([done], { session: { sender } });
    await gateway.post(key, "KEEP: short notes\n\ngo", { "x-openclaw-message-channel": "telegram" });
    const [message] = events().filter(({ type }) => type === "message");
    expect(message).toMatchObject({ sender: { role: "viewer" } });
    expect(events().find(({ type }) => type === "directive")).toMatchObject({ outcome: "not-operator" });
  });
});

describe("without the right to conversations", () => {
  const claw = useClaw((place) => ({
    conducted: false,
    more: { plugins: withoutAccess({ socket: place.socket }) },
  }));

  it("OCL-X8 without access to conversations no call runs, and the model learns which permission is missing", async () => {
    const played = await claw.session([{ calls: [shell("c1", "sh test.sh")] }, done]);
    await played.gateway.chat(played.key, "go");
    expect(played.result("c1")).toContain("allowConversationAccess");
    expect(played.result("c1")).not.toContain("green");
  });
});

/** As somebody might write it who did not use `conduct init`. */
function withoutAccess(config: { readonly socket: string }) {
  const added = addConduct({ plugins: { allow: ["conduct"] } }, { config });
  if ("refused" in added) throw new Error(added.refused);
  const plugins = structuredClone(added.config.plugins) as { entries: { conduct: { hooks?: object } } };
  delete plugins.entries.conduct.hooks;
  return JSON.parse(JSON.stringify(plugins));
}
