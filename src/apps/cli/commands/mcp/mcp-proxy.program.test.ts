import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Client } from "@modelcontextprotocol/client";
import { afterEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { KINDS } from "../../../../edge/adapters/mcp/test/server.ts";
import { PROTOCOLS } from "../../../../edge/adapters/shared/test/stream-client.ts";
import { type HookServer, listenForHooks } from "../../../../edge/host/daemon/hook-socket.ts";
import { serveMoments } from "../../../../edge/host/daemon/serve-sessions.ts";
import { localHost } from "../../../../edge/host/opening/local-host.ts";
import { testConduct } from "../../../../engine/session/test/test-conduct.ts";
import { runCommandLine } from "../../line/run-command-line.ts";
import { CONDUCT, type McpPlace, mcpClient, mcpPlace } from "../../test/mcp-test-client.ts";
import { testTerminal } from "../../test/test-terminal.ts";

const CONFIG = `agents:
  helper:
    rules:
      - { id: echo-first, on: kinds/media, require: { call: kinds/echo } }
      - { id: once, on: kinds/form, atMost: { count: 1 } }
      - { id: person, on: kinds/grow, effect: ask, require: { call: kinds/never }, say: "Grow?" }
    limits: { window: 8_000 }
`;
const KINDS_SERVER = ["--", process.execPath, KINDS];

let here: McpPlace;
let socket: HookServer | undefined;
const running: ChildProcess[] = [];
function place(config = CONFIG): McpPlace {
  here = mcpPlace(config);
  return here;
}
afterEach(async () => {
  for (const child of running.splice(0)) {
    if (child.exitCode === null) child.kill();
    if (child.exitCode === null && child.signalCode === null) await once(child, "close");
  }
  await socket?.close();
  socket = undefined;
  vi.unstubAllEnvs();
  here.remove();
});

describe("conduct mcp proxy", () => {
  it("MX-1 through the proxy the SDK's client and server use every server feature as they would directly", async () => {
    const heard: string[] = [];
    const { client, call } = await mcpClient(place(), ["proxy", "--name", "kinds", ...KINDS_SERVER], {
      capabilities: { roots: {}, sampling: {}, elicitation: {} },
      prepare(client) {
        client.setRequestHandler("roots/list", () => ({ roots: [{ uri: "file:///r" }] }));
        client.setRequestHandler("sampling/createMessage", () => ({
          role: "assistant",
          model: "m",
          content: { type: "text", text: "sampled" },
        }));
        answerForms(client);
        client.setNotificationHandler("notifications/message", ({ params }) => void heard.push(String(params.data)));
        client.setNotificationHandler("notifications/tools/list_changed", () => void heard.push("list changed"));
      },
    });
    expect(client.getServerVersion()).toEqual({ name: "kinds", version: "1.0.0" });
    expect(client.getInstructions()).toBe("A server for tests.");
    const { tools } = await client.listTools();
    expect(tools.at(-1)?.name).toBe("read_result");
    expect(tools.find(({ name }) => name === "table")?.outputSchema).toBeDefined();

    const asked = JSON.parse((await call("asks_client")).text);
    expect(asked).toEqual({
      roots: [{ uri: "file:///r" }],
      sampled: { type: "text", text: "sampled" },
      form: { name: "Ann" },
    });
    expect((await call("grow")).text).toBe("grown");
    await expect.poll(() => heard, { timeout: 20_000 }).toEqual(["asked", "list changed"]);

    expect((await client.readResource({ uri: "kinds://readme" })).contents[0]).toMatchObject({ text: "read me" });
    expect((await client.listResourceTemplates()).resourceTemplates[0]?.uriTemplate).toBe("kinds://note/{id}");
    expect((await client.getPrompt({ name: "greet", arguments: { who: "Bo" } })).messages[0]?.content).toMatchObject({
      text: "Greet Bo.",
    });
    const ref = { type: "ref/resource", uri: "kinds://note/{id}" } as const;
    const completed = await client.complete({ ref, argument: { name: "id", value: "x" } });
    expect(completed.completion.values).toEqual(["x1", "x2"]);
    await client.setLoggingLevel("error");

    const steps: number[] = [];
    const slow = await client.callTool(
      { name: "slow", arguments: { steps: 3 } },
      {
        onprogress: ({ progress }) => void steps.push(progress),
      },
    );
    expect(slow.content).toEqual([{ type: "text", text: "done" }]);
    await expect.poll(() => steps, { timeout: 20_000 }).toEqual([1, 2, 3]);
    const cancelled = new AbortController();
    const forever = client.callTool({ name: "forever", arguments: {} }, { signal: cancelled.signal });
    await expect.poll(() => heard.at(-1), { timeout: 20_000 }).toBe("forever began");
    cancelled.abort();
    await expect(forever).rejects.toThrow();
    await expect.poll(() => heard.at(-1), { timeout: 20_000 }).toBe("forever was cancelled");
    await client.close();
  });

  it("MX-2 the proxy decides on calls and truncates text, structured and task results", async () => {
    const { client, call } = await mcpClient(place(), ["proxy", "--name", "kinds", "--wait", "0s", ...KINDS_SERVER]);
    await client.listTools();
    expect(await call("media")).toMatchObject({ failed: true, text: expect.stringContaining("Denied by echo-first") });
    expect((await call("grow")).text).toMatch(/Waiting for a person's approval a_\w+/);
    expect((await call("echo", { text: "hi" })).text).toBe("hi");
    expect((await call("media")).result.content).toHaveLength(6);
    expect(await call("fail")).toMatchObject({ failed: true, text: "it failed" });
    expect(await call("throw")).toMatchObject({ failed: true, text: expect.stringContaining("thrown by the tool") });
    // The SDK's client holds structured content against the tool's schema: cut, it still fits.
    const table = await call("table", { rows: 3_000 });
    expect(table.text).toContain("Output truncated");
    const lines = await call("lines", { count: 5_000 });
    const [, handle, offset] = /"handle":"([^"]+)","offset":(\d+)/.exec(lines.text) ?? [];
    expect((await call("read_result", { handle, offset: Number(offset) })).text).toContain("lorem ipsum");
    const made = await client.request(
      { method: "tools/call", params: { name: "task", arguments: { count: 50_000 }, task: {} } },
      z.object({ task: z.object({ taskId: z.string() }) }),
    );
    const task = await client.request({ method: "tasks/result", params: made.task }, z.looseObject({}));
    expect(JSON.stringify(task)).toContain("Output truncated");
    await client.close();
  });

  it("MX-3 if the server crashes, the proxy reports the interrupted call and exits with the server's code", async () => {
    const { client, call, logs } = await mcpClient(place(), ["proxy", "--name", "kinds", ...KINDS_SERVER]);
    const closed = new Promise<void>((resolve) => {
      client.onclose = () => resolve();
    });
    await expect(call("crash")).rejects.toThrow(/the outcome of this call is unknown.*code 3/);
    await closed;
    expect(logs()).toContain("it ended with code 3");
  });

  it("MX-4 if the client disconnects, the proxy ends the server and all of its child processes", async () => {
    const { env, workspace } = place();
    // A launcher that does not pass on what happens to it, as npx and shells do.
    const server = `echo "pid $$" >&2; sleep 600 & echo "pid $!" >&2; wait`;
    const proxy = spawn(process.execPath, [CONDUCT, "mcp", "proxy", "--name", "sh", "--", "sh", "-c", server], {
      env,
      cwd: workspace,
    });
    running.push(proxy);
    let said = "";
    proxy.stderr.on("data", (chunk) => {
      said += chunk;
    });
    await expect.poll(() => said.match(/pid \d+/g), { timeout: 30_000 }).toHaveLength(2);
    const pids = [...said.matchAll(/pid (\d+)/g)].map(([, pid]) => Number(pid));
    expect(pids.map(isRunning)).toEqual([true, true]);
    proxy.stdin.end();
    expect((await once(proxy, "close"))[0]).toBe(0);
    await expect.poll(() => pids.map(isRunning), { timeout: 10_000 }).toEqual([false, false]);
  });

  it.each([
    { what: "a program that is not there", args: ["--", "/no/such/program"], says: "cannot be started" },
    { what: "no server", args: [], says: "no server given" },
    { what: "Conduct's own name", args: ["--name", "conduct", ...KINDS_SERVER], says: "not conduct" },
    { what: "a URL that is none", args: ["--url", "ftp://x"], says: "http address" },
    { what: "a token that is not there", args: ["--url", "http://127.0.0.1:1", "--token-env", "NOPE"], says: "NOPE" },
  ])("MX-5 the proxy reports $what with one clear message", async ({ args, says }) => {
    vi.stubEnv("CONDUCT_HOME", place().home);
    const terminal = testTerminal({ cwd: here.workspace });
    expect(await runCommandLine(["mcp", "proxy", ...args], terminal)).toBeGreaterThan(0);
    expect(terminal.complained()).toContain(says);
    expect(terminal.said()).toBe("");
  });

  it.each(PROTOCOLS)("MX-6 the proxy works with a server behind a URL, protocol %s", async (protocol) => {
    const started = place();
    const server = spawn(process.execPath, [KINDS, "--http"], { env: started.env });
    running.push(server);
    const [line] = await once(server.stdout, "data");
    const env = { ...started.env, DESK_TOKEN: "of-the-test" };
    const args = ["proxy", "--url", String(line).trim(), "--name", "kinds", "--token-env", "DESK_TOKEN"];
    const { client, call } = await mcpClient({ ...started, env }, args, {
      capabilities: { elicitation: {} },
      prepare: answerForms,
      protocol,
    });
    expect((await client.listTools()).tools.at(-1)?.name).toBe("read_result");
    expect((await call("grow")).text).toBe("grown");
    expect((await call("form")).text).toBe("Ann");
    expect((await call("routed", { region: "Zürich" })).text).toBe("Zürich");
    expect((await call("media")).text).toContain("Denied by echo-first");
    expect((await call("echo", { text: "hi" })).text).toBe("hi");
    expect((await call("lines", { count: 5_000 })).text).toContain("Output truncated");
    server.kill();
    await expect(call("echo", { text: "again" })).rejects.toThrow(/cannot reach/);
    await client.close();
  });

  it("MX-8 without a handshake (2026-07-28) the proxy decides, asks and shortens as with one", async () => {
    const heard: string[] = [];
    const { client, call } = await mcpClient(place(), ["proxy", "--name", "kinds", ...KINDS_SERVER], {
      protocol: "2026-07-28",
      capabilities: { elicitation: {} },
      prepare(one) {
        answerForms(one);
        one.setNotificationHandler("notifications/message", ({ params }) => void heard.push(String(params.data)));
      },
    });
    expect(client.getServerVersion()).toEqual({ name: "kinds", version: "1.0.0" });
    const { tools } = await client.listTools();
    expect(tools.at(-1)?.name).toBe("read_result");
    expect(await call("media")).toMatchObject({ failed: true, text: expect.stringContaining("Denied by echo-first") });
    expect((await call("echo", { text: "hi" })).text).toBe("hi");
    expect((await call("media")).result.content).toHaveLength(6);
    expect((await call("grow")).text).toBe("grown");
    // The server asks, and the client repeats the call: the rule counts one call.
    expect((await call("form")).text).toBe("Ann");
    expect(await call("form")).toMatchObject({ failed: true, text: expect.stringContaining("Denied by once") });
    expect(JSON.parse((await call("ran")).text)).toEqual(["hi", "Ann"]);
    expect(await call("throw")).toMatchObject({ failed: true, text: expect.stringContaining("thrown by the tool") });
    expect((await call("table", { rows: 3_000 })).text).toContain("Output truncated");
    const lines = await call("lines", { count: 5_000 });
    const [, handle, offset] = /"handle":"([^"]+)","offset":(\d+)/.exec(lines.text) ?? [];
    expect((await call("read_result", { handle, offset: Number(offset) })).text).toContain("lorem ipsum");
    expect((await client.readResource({ uri: "kinds://readme" })).contents[0]).toMatchObject({ text: "read me" });
    const steps: number[] = [];
    const onprogress = ({ progress }: { readonly progress: number }) => void steps.push(progress);
    await client.callTool({ name: "slow", arguments: { steps: 3 } }, { onprogress });
    await expect.poll(() => steps, { timeout: 20_000 }).toEqual([1, 2, 3]);
    const cancelled = new AbortController();
    const forever = client.callTool({ name: "forever", arguments: {} }, { signal: cancelled.signal });
    cancelled.abort();
    await expect(forever).rejects.toThrow();
    await expect(call("crash")).rejects.toThrow(/the outcome of this call is unknown.*code 3/);
  });

  it("MX-9 without a handshake the result of a task is shortened when it is polled", async () => {
    const { env, workspace } = place();
    const proxy = spawn(process.execPath, [CONDUCT, "mcp", "proxy", "--name", "kinds", ...KINDS_SERVER], {
      env,
      cwd: workspace,
    });
    running.push(proxy);
    const answers = createInterface(proxy.stdout)[Symbol.asyncIterator]();
    const extensions = { "io.modelcontextprotocol/tasks": {} };
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": { extensions },
    };
    const ask = async (method: string, params: object) => {
      proxy.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: method, method, params: { _meta, ...params } })}\n`);
      return JSON.parse((await answers.next()).value ?? "").result;
    };
    const made = await ask("tools/call", { name: "task", arguments: { count: 50_000 } });
    expect(made).toMatchObject({ resultType: "task", status: "working" });
    const { status, result } = await ask("tasks/get", { taskId: made.taskId });
    expect(status).toBe("completed");
    expect(JSON.stringify(result)).toContain("Output truncated");
    proxy.stdin.end();
    await once(proxy, "close");
  });

  it("MX-7 with a daemon the decisions are the same; if the daemon goes away, no call runs and all else passes", async () => {
    const started = place();
    const { conduct } = testConduct({ limits: { window: 4_000 } });
    const host = localHost(conduct, { agent: "agent" });
    const path = join(started.home, "run", "d.sock");
    socket = await listenForHooks(path, (request) => serveMoments(request, host));
    const env = { ...started.env, CONDUCT_SOCKET: path };
    const { client, call, logs } = await mcpClient({ ...started, env }, ["proxy", "--name", "kinds", ...KINDS_SERVER]);
    expect((await call("echo", { text: "hi" })).text).toBe("hi");
    const lines = await call("lines", { count: 5_000 });
    const [, handle, offset] = /"handle":"([^"]+)","offset":(\d+)/.exec(lines.text) ?? [];
    expect((await call("read_result", { handle, offset: Number(offset) })).text).toContain("lorem ipsum");
    expect(logs()).toContain("the daemon");
    await socket.close();
    const blocked = await call("echo", { text: "unseen" });
    expect(blocked).toMatchObject({
      failed: true,
      text: expect.stringContaining("Conduct cannot be asked, so nothing runs"),
    });
    expect((await client.listPrompts()).prompts).toHaveLength(1);
    await client.close();
  });
});

/** A person says yes to Conduct, and gives a name to the server. */
function answerForms(client: Client): void {
  client.setRequestHandler("elicitation/create", ({ params }) => {
    const content: Record<string, string> = params.message.includes("Grow?") ? { answer: "yes" } : { name: "Ann" };
    return { action: "accept", content };
  });
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
