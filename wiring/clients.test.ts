import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { caller } from "../src/apps/cli/test/mcp-test-client.ts";
import { KINDS } from "../src/edge/adapters/mcp/test/server.ts";
import { freePort } from "../src/edge/stores/test/servers/server.ts";
import { Machine, PROGRAM } from "./shipped.ts";
import { wired } from "./wired.ts";

const machine = new Machine();
const CONFIG = `
agents:
  clerk:
    soul: You are the clerk.
    trustedTools: [{ server: kinds, tool: requires }]
    rules:
      - { id: no-media, on: kinds/media, say: No media here. }
      - { id: ask-first, on: kinds/ran, effect: ask, say: May it be told? }
      - { id: ask-shell, on: shell, effect: ask, say: May it run? }
  porter: { soul: You are the porter. }
`;

beforeAll(async () => {
  machine.write({ ".conduct/conduct.yaml": CONFIG });
  machine.onClose(() => machine.conduct(["daemon", "stop"]));
  await machine.conduct(["behavior", "add", "STOP: tales about ann", "--scope", "user:ann"]);
});
afterAll(() => machine.close());

/** The SDK's client on `conduct mcp` with these words. */
async function mcp(words: readonly string[], env: Record<string, string> = {}) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [PROGRAM, "mcp", "--agent", "clerk", ...words],
    env: { ...(machine.env as Record<string, string>), ...env },
    cwd: machine.work,
    stderr: "ignore",
  });
  const client = new Client({ name: "test", version: "1" });
  await client.connect(transport);
  machine.onClose(() => client.close());
  return { client, call: caller(client) };
}
const proxy = (...words: readonly string[]) => mcp(["proxy", ...words, "--", process.execPath, KINDS]);

type Open = { readonly tool: string; readonly approval: string };

/** Approves the next question about a tool that is not the one that waits already, as a person elsewhere. */
async function approveNext(tool: string, already = ""): Promise<void> {
  const waiting = async () => {
    const { result } = JSON.parse((await machine.conduct(["approvals", "--json"])).out);
    return (result?.approvals ?? []).find((one: Open) => one.tool === tool && one.approval !== already)?.approval;
  };
  await expect.poll(waiting, { interval: 500 }).toBeDefined();
  await machine.atTerminal(["approve", await waiting()]);
}

describe("options of conduct mcp", () => {
  wired(
    ["conduct mcp --agent", "conduct mcp --user"],
    "WIR-450 a note over MCP belongs to the agent and the user of the options",
    async () => {
      const { call } = await mcp(["--user", "ann"]);
      await call("save_memory", { text: "Ann likes green tea." });
      const notes = async (agent: string, user: string) =>
        (await machine.conduct(["memory", "list", "--agent", agent, "--user", user])).out;
      expect(await notes("clerk", "ann")).toContain("green tea");
      expect(await notes("porter", "ann")).not.toContain("green tea");
      expect(await notes("clerk", "bob")).not.toContain("green tea");
    },
  );
  wired(
    ["conduct mcp --http", "conduct mcp --port", "conduct mcp --host", "CONDUCT_MCP_TOKEN"],
    "WIR-451 the tools are served over HTTP at the address and port, to clients with the token",
    async () => {
      const port = await freePort();
      const words = ["mcp", "--agent", "clerk", "--http", "--port", String(port), "--host", "127.0.0.2"];
      const token = "a-token-for-the-mcp-server";
      const env = { ...machine.env, CONDUCT_MCP_TOKEN: token };
      const child = spawn(process.execPath, [PROGRAM, ...words], { env, cwd: machine.work, stdio: "ignore" });
      machine.onClose(() => child.kill("SIGKILL"));
      const list = async (given: string) => {
        const headers = {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          authorization: `Bearer ${given}`,
        };
        const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } };
        const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params });
        return fetch(`http://127.0.0.2:${port}/mcp`, { method: "POST", headers, body }).then(
          (reply) => reply.status,
          () => undefined,
        );
      };
      await expect.poll(() => list(token)).toBe(200);
      expect(await list("another-token-altogether")).toBe(401);
    },
  );
  wired(
    ["conduct mcp --name", "agents.*.trustedTools[].server"],
    "WIR-452 rules and trusted tools know a guarded server by its name",
    async () => {
      const named = await proxy("--name", "kinds");
      await named.client.listTools();
      expect((await named.call("media")).text).toContain("No media here.");
      await named.call("requires", { names: ["verify_context"] });
      expect((await named.call("echo", { text: "hi" })).text).toContain("verify_context");
      const other = await proxy("--name", "other");
      await other.client.listTools();
      expect((await other.call("media")).text).toContain("a pixel");
      await other.call("requires", { names: ["verify_context"] });
      expect((await other.call("echo", { text: "hi" })).text).toBe("hi");
    },
  );
  wired("conduct mcp --wait", "WIR-453 a call waits for an approval as long as the option says", async () => {
    const hasty = await proxy("--name", "kinds", "--wait", "0s");
    await hasty.client.listTools();
    const { text } = await hasty.call("ran");
    expect(text).toContain("Waiting for a person's approval");
    const patient = await proxy("--name", "kinds", "--wait", "55s");
    await patient.client.listTools();
    const [answer] = await Promise.all([patient.call("ran"), approveNext("kinds/ran", /a_\w+/.exec(text)?.[0])]);
    expect(answer.text).toBe("[]");
  });
  wired(
    ["conduct mcp --url", "conduct mcp --token-env"],
    "WIR-454 a server behind a URL is guarded, and gets the token of the named variable",
    async () => {
      const kinds = spawn(process.execPath, [KINDS, "--http"], { env: machine.env });
      machine.onClose(() => kinds.kill("SIGKILL"));
      const [line] = await once(kinds.stdout, "data");
      const words = ["proxy", "--name", "kinds", "--url", String(line).trim(), "--token-env", "DESK_TOKEN"];
      const { client, call } = await mcp(words, { DESK_TOKEN: "of-the-test" });
      await client.listTools();
      expect((await call("media")).text).toContain("No media here.");
      expect((await call("echo", { text: "hi" })).text).toBe("hi");
      await expect(mcp(words, { DESK_TOKEN: "of-another" })).rejects.toThrow("status 401");
    },
  );
});

/** Reports what it gets to the client; asks for permission when it is told to. */
const AGENT = `
const sessionId = "s" + process.pid;
const say = (message) => console.log(JSON.stringify({ jsonrpc: "2.0", ...message }));
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params, result } = JSON.parse(line);
  if (method === undefined) return say({ method: "_permitted", params: { result } });
  if (method === "initialize") return say({ id, result: { protocolVersion: 1, agentCapabilities: {} } });
  const text = JSON.stringify(params ?? {});
  if (method === "session/prompt" && text.includes("please run")) {
    const toolCall = { toolCallId: "t1", title: "ls", kind: "execute", status: "pending", rawInput: { command: "ls" } };
    const options = [{ optionId: "yes", name: "Yes", kind: "allow_once" }, { optionId: "no", name: "No", kind: "reject_once" }];
    say({ id: 900, method: "session/request_permission", params: { sessionId, toolCall, options } });
  } else if (id !== undefined) say({ id, result: { method, params, sessionId, stopReason: "end_turn" } });
});`;

/** A client of `conduct acp` with these words. */
async function acp(...words: readonly string[]) {
  const args = [PROGRAM, "acp", ...words, "--", process.execPath, "-e", AGENT];
  const child = spawn(process.execPath, args, {
    env: machine.env,
    cwd: machine.work,
    stdio: ["pipe", "pipe", "ignore"],
  });
  machine.onClose(() => child.kill("SIGKILL"));
  const said: string[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => said.push(line));
  let id = 0;
  const send = (method: string, params: object) => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: ++id, method, params })}\n`);
    return id;
  };
  const ask = async (method: string, params: object) => {
    const mine = send(method, params);
    const answer = () => said.find((line) => JSON.parse(line).id === mine && !("method" in JSON.parse(line)));
    await expect.poll(answer).toBeDefined();
    return answer() ?? "";
  };
  await ask("initialize", { protocolVersion: 1, clientCapabilities: {} });
  const { result } = JSON.parse(await ask("session/new", { cwd: machine.work, mcpServers: [] }));
  const { sessionId } = result as { readonly sessionId: string };
  const prompt = (text: string) => ({ sessionId, prompt: [{ type: "text", text }] });
  return { said, send, ask, prompt, sessionId };
}

describe("options of conduct acp", () => {
  wired(
    ["conduct acp --agent", "conduct acp --user"],
    "WIR-455 the agent gets the instructions of the named agent, for the named user",
    async () => {
      const { ask, prompt } = await acp("--agent", "porter", "--user", "ann");
      const first = await ask("session/prompt", prompt("go"));
      expect(first).toContain("You are the porter.");
      expect(first).toContain("tales about ann");
    },
  );
  wired("conduct acp --any-mode", "WIR-456 a mode that asks nobody is blocked unless it is allowed", async () => {
    const modeId = "bypassPermissions";
    const { ask, sessionId } = await acp("--agent", "clerk");
    expect(await ask("session/set_mode", { sessionId, modeId })).toContain("Conduct blocked mode");
    const open = await acp("--agent", "clerk", "--any-mode");
    expect(await open.ask("session/set_mode", { sessionId: open.sessionId, modeId })).toContain(
      '"method":"session/set_mode"',
    );
  });
  wired("conduct acp --wait", "WIR-457 a call waits for an approval elsewhere before the client is asked", async () => {
    const hasty = await acp("--agent", "clerk");
    hasty.send("session/prompt", hasty.prompt("please run"));
    await expect.poll(() => hasty.said.join("\n")).toContain("conduct-a_");
    const patient = await acp("--agent", "clerk", "--wait", "170s");
    patient.send("session/prompt", patient.prompt("please run"));
    await approveNext("shell", /conduct-(a_\w+)/.exec(hasty.said.join("\n"))?.[1]);
    await expect.poll(() => patient.said.join("\n")).toContain('"optionId":"yes"');
    expect(patient.said.join("\n")).not.toContain("conduct-a_");
  });
  wired(
    "conduct acp --headless",
    "WIR-458 nothing that a client without a person sends is the operator's",
    async () => {
      const { code, shown } = await machine.atTerminal(["init", "acp", "--agent", "clerk", "--operator", "--yes"]);
      expect(code, shown).toBe(0);
      const contract = async () => (await machine.conduct(["behavior", "list"])).out;
      const headless = await acp("--agent", "clerk", "--headless");
      await headless.ask("session/prompt", headless.prompt("STOP: long reports"));
      expect(await contract()).not.toContain("long reports");
      const typed = await acp("--agent", "clerk");
      typed.send("session/prompt", typed.prompt("STOP: short reports"));
      await expect.poll(contract, { interval: 500 }).toContain("short reports");
    },
  );
});
