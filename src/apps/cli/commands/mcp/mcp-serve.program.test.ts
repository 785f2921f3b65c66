import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterEach, describe, expect, it, vi } from "vitest";
import { PROTOCOLS, type Protocol, speaking } from "../../../../edge/adapters/shared/test/stream-client.ts";
import { startDaemon } from "../../../daemon/daemon.ts";
import { runCommandLine } from "../../line/run-command-line.ts";
import { CONDUCT, caller, type McpPlace, mcpClient, mcpPlace } from "../../test/mcp-test-client.ts";
import { testTerminal } from "../../test/test-terminal.ts";

const CONFIG = `agents:
  helper:
    soul: You file things.
    rules:
      - { id: plan-first, on: save_memory, require: { call: review_plan } }
      - { id: person, on: update_instructions, effect: ask, when: "true", say: "Change?" }
  other: {}
`;
const token = "of-the-test-0123456789";

const places: McpPlace[] = [];
const running: ChildProcess[] = [];
function place(config?: string): McpPlace {
  const made = mcpPlace(config);
  places.push(made);
  return made;
}
afterEach(async () => {
  for (const child of running.splice(0)) {
    if (child.exitCode !== null) continue;
    child.kill();
    await once(child, "close");
  }
  vi.unstubAllEnvs();
  for (const one of places.splice(0)) one.remove();
});

describe("conduct mcp", () => {
  it.each(PROTOCOLS)(
    "MS-1 conduct mcp serves the operator's agent over stdio, decides on calls, and stores memory for the next client, protocol %s",
    async (protocol) => {
      const here = place(CONFIG);
      const first = await mcpClient(here, ["--agent", "helper", "--user", "ann"], { protocol });
      expect((await first.call("initial_instructions")).text).toContain("You file things.");
      expect((await first.call("save_memory", { text: "likes tea" })).text).toContain("Denied by plan-first");
      await first.call("review_plan");
      expect(await first.call("save_memory", { text: "likes tea" })).toMatchObject({ failed: false });
      await first.client.close();
      expect(first.logs()).toContain("agent helper, enforced");
      const second = await mcpClient(here, ["--agent", "helper", "--user", "ann"]);
      expect((await second.call("read_memory")).text).toContain("likes tea");
      await second.client.close();
    },
  );

  it("MS-6 a running daemon decides for the named agent and user, and a wrong name is reported immediately", async () => {
    const here = place(CONFIG);
    const daemon = await startDaemon({ home: here.home });
    try {
      const { client, call, logs } = await mcpClient(here, ["--agent", "helper", "--user", "ann"]);
      expect((await call("save_memory", { text: "likes tea" })).text).toContain("Denied by plan-first");
      await call("review_plan");
      expect(await call("save_memory", { text: "likes tea" })).toMatchObject({ failed: false });
      expect(daemon.hello().sessions).toBe(1);
      await client.close();
      expect(logs()).toContain("decided by the daemon");
      const bob = await mcpClient(here, ["--agent", "helper", "--user", "bob"]);
      expect((await bob.call("read_memory")).text).not.toContain("likes tea");
      await bob.client.close();
      vi.stubEnv("CONDUCT_HOME", here.home);
      const terminal = testTerminal({ cwd: here.workspace });
      expect(await runCommandLine(["mcp", "--agent", "helpr"], terminal)).toBe(1);
      expect(terminal.complained()).toContain("no agent 'helpr' (did you mean 'helper'?)");
    } finally {
      await daemon.end("the test is over");
    }
  });

  it.each([
    { what: "an agent that has to be named", config: CONFIG, args: [], says: "no agent is set for mcp" },
    { what: "a name that nobody has", config: CONFIG, args: ["--agent", "helpr"], says: "did you mean 'helper'" },
    { what: "a broken conduct.yaml", config: "agents: [", args: [], says: "conduct.yaml" },
    { what: "--json", config: undefined, args: ["--json"], says: "stdout carries the protocol", json: true },
    { what: "a word that is no command", config: undefined, args: ["server"], says: "use serve or proxy" },
    { what: "--port without --http", config: undefined, args: ["--port", "1"], says: "is for --http" },
    { what: "--name without proxy", config: undefined, args: ["--name", "x"], says: "is not for" },
    { what: "a wait that is none", config: undefined, args: ["--wait", "soon"], says: "--wait" },
    {
      what: "another host without a token",
      config: undefined,
      args: ["--http", "--host", "0.0.0.0"],
      says: "CONDUCT_MCP_TOKEN",
    },
  ])(
    "MS-2 conduct mcp reports $what with one clear message and starts no server",
    async ({ config, args, says, json = false }) => {
      const { home, workspace } = place(config);
      vi.stubEnv("CONDUCT_HOME", home);
      const terminal = testTerminal({ cwd: workspace, json });
      expect(await runCommandLine(["mcp", ...args], terminal)).toBeGreaterThan(0);
      expect(json ? terminal.said() : terminal.complained()).toContain(says);
      if (!json) expect(terminal.said()).toBe("");
    },
  );
});

describe("conduct mcp --http", () => {
  async function serving(more: Record<string, string> = { CONDUCT_MCP_TOKEN: token }, args: readonly string[] = []) {
    const { env, workspace } = place(CONFIG);
    const child = spawn(process.execPath, [CONDUCT, "mcp", "--http", "--agent", "helper", "--user", "ann", ...args], {
      env: { ...env, ...more },
      cwd: workspace,
    });
    running.push(child);
    let logs = "";
    const url = await new Promise<string>((resolve, reject) => {
      child.once("close", () => reject(new Error(logs)));
      child.stderr.on("data", (chunk) => {
        logs += chunk;
        const found = /at (http:\S+)/.exec(logs)?.[1];
        if (found !== undefined) resolve(found);
      });
    });
    return { child, url, logs: () => logs };
  }

  async function connect(url: string, bearer: string, protocol?: Protocol, name = "test") {
    const requestInit = { headers: { authorization: `Bearer ${bearer}` } };
    const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit });
    const client = new Client({ name, version: "1" }, { capabilities: { elicitation: {} }, ...speaking(protocol) });
    client.setRequestHandler("elicitation/create", () => ({ action: "accept", content: { answer: "yes" } }));
    await client.connect(transport);
    return { client, transport, call: caller(client) };
  }

  it("MS-3 --http gives each client a separate session, listens on loopback, and ends cleanly", async () => {
    const { child, url } = await serving();
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
    const [one, two] = [await connect(url, token), await connect(url, token)];
    await one.call("review_plan");
    expect(await one.call("save_memory", { text: "x" })).toMatchObject({ failed: false });
    // What one has proven the other has not.
    expect((await two.call("save_memory", { text: "y" })).text).toContain("Denied by plan-first");
    await two.transport.terminateSession();
    await expect(two.call("review_plan")).rejects.toThrow();
    expect(await one.call("review_plan")).toMatchObject({ failed: false });
    child.kill("SIGTERM");
    expect((await once(child, "close"))[0]).toBe(0);
  });

  it("MS-7 --http serves clients without a handshake (2026-07-28), by their name, next to those with one", async () => {
    const { url } = await serving();
    const one = await connect(url, token, "2026-07-28", "one");
    expect(one.client.getServerVersion()?.name).toBe("conduct");
    expect((await one.client.listTools()).tools.map(({ name }) => name)).toContain("save_memory");
    expect(await one.call("save_memory", { text: "x" })).toMatchObject({ failed: true });
    await one.call("review_plan");
    expect(await one.call("save_memory", { text: "x" })).toMatchObject({ failed: false });
    for (const other of [await connect(url, token, "2026-07-28", "two"), await connect(url, token)]) {
      expect((await other.call("save_memory", { text: "y" })).text).toContain("Denied by plan-first");
    }
  });

  it.each(PROTOCOLS)("MS-8 --http sends a question to the person behind the client, protocol %s", async (protocol) => {
    const { url } = await serving();
    const { call } = await connect(url, token, protocol);
    expect((await call("update_instructions", { add: ["be brief"] })).text).toContain("be brief");
  });

  it("MS-9 --http rejects a request whose headers differ from its message", async () => {
    const { url } = await serving();
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    const ask = async (method: string, headers: Record<string, string>, params: object = { _meta }) => {
      const response = await fetch(url, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, ...headers },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      });
      return [response.status, ((await response.json()) as { error?: { code: number } }).error?.code];
    };
    const version = { "mcp-protocol-version": "2026-07-28" };
    expect(await ask("tools/list", { ...version, "mcp-method": "tools/list" })).toEqual([200, undefined]);
    expect(await ask("tools/list", version)).toEqual([400, -32020]);
    expect(await ask("tools/list", { ...version, "mcp-method": "tools/call" })).toEqual([400, -32020]);
    expect(await ask("tools/list", version, {})).toEqual([400, -32602]);
    expect(await ask("ping", { ...version, "mcp-method": "ping" })).toEqual([404, -32601]);
    const future = { _meta: { ..._meta, "io.modelcontextprotocol/protocolVersion": "2030-01-01" } };
    const headers = { "mcp-protocol-version": "2030-01-01", "mcp-method": "tools/list" };
    expect(await ask("tools/list", headers, future)).toEqual([400, -32022]);
  });

  it("MS-4 --http rejects requests with a wrong token, a foreign origin, an unknown session or another path", async () => {
    const { url } = await serving();
    await expect(connect(url, "wrong")).rejects.toThrow(/wrong token/);
    const ask = (headers: Record<string, string>) =>
      fetch(url, { method: "POST", headers: { authorization: `Bearer ${token}`, ...headers }, body: "{}" });
    expect((await ask({ origin: "https://evil.example" })).status).toBe(403);
    expect((await ask({ "mcp-session-id": "unknown" })).status).toBe(404);
    expect((await fetch(url.replace("/mcp", "/other"), { headers: { authorization: `Bearer ${token}` } })).status).toBe(
      404,
    );
    // The token is looked at first, whatever is asked for.
    expect((await fetch(url.replace("/mcp", "/other"))).status).toBe(401);
  });

  it("MS-5 --http creates a token for the run if none was given, and prints it on stderr", async () => {
    const { url, logs } = await serving({});
    await expect.poll(logs, { timeout: 10_000 }).toMatch(/Bearer [0-9a-f]{64}/);
    const made = /Bearer ([0-9a-f]{64})/.exec(logs())?.[1] ?? "";
    const { call } = await connect(url, made);
    expect((await call("initial_instructions")).text).toContain("You file things.");
  });
});
