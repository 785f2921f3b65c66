import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { afterEach, describe, expect, it, vi } from "vitest";
import { runCommandLine } from "../../line/run-command-line.ts";
import { CONDUCT, type McpPlace, mcpPlace } from "../../test/mcp-test-client.ts";
import { testTerminal } from "../../test/test-terminal.ts";

let here: McpPlace | undefined;
const running: ChildProcess[] = [];
afterEach(async () => {
  for (const child of running.splice(0)) {
    if (child.exitCode === null) child.kill("SIGKILL");
    if (child.exitCode === null && child.signalCode === null) await once(child, "close");
  }
  vi.unstubAllEnvs();
  here?.remove();
});

function place(config?: string): McpPlace {
  here = mcpPlace(config);
  return here;
}

/** `conduct acp` on an agent that is a script for Node. */
function start(script: string, config?: string) {
  const { env, workspace } = place(config);
  const child = spawn(process.execPath, [CONDUCT, "acp", "--", process.execPath, "-e", script], {
    env,
    cwd: workspace,
  });
  running.push(child);
  let logs = "";
  child.stderr.on("data", (text) => {
    logs += text;
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    child,
    logs: () => logs,
    say: (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`),
    next: async () => JSON.parse((await lines.next()).value ?? "null"),
  };
}

/** Answers every request with what it was asked. */
const ECHO = `process.stderr.write("agent logs\\n");
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === "die") process.exit(7);
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result: { method, params, pid: process.pid, sessionId: "s" } }));
});`;

describe("conduct acp", () => {
  it("AX-1 conduct acp passes on the agent's answers and logs, ends with the client, and exits with 0", async () => {
    const { child, say, next, logs } = start(ECHO);
    say({ id: 1, method: "_any", params: { a: 1 } });
    const answer = await next();
    expect(answer).toMatchObject({ id: 1, result: { method: "_any", params: { a: 1 } } });
    child.stdin.end();
    expect(await once(child, "close")).toEqual([0, null]);
    expect(logs()).toContain("agent logs");
    expect(() => process.kill(answer.result.pid, 0)).toThrow();
  });

  it("AX-2 if the agent crashes, conduct acp answers open requests and exits with the agent's exit code", async () => {
    const { child, say, next, logs } = start(ECHO);
    say({ id: 1, method: "session/new", params: { cwd: here?.workspace, mcpServers: [] } });
    await next();
    say({ id: 2, method: "session/new", params: { cwd: here?.workspace, mcpServers: [] } });
    say({ method: "die" });
    await next();
    expect(await once(child, "close")).toEqual([7, null]);
    expect(logs()).toContain("the agent exited: it ended with code 7");
  });

  it("AX-3 the operator's conduct.yaml applies: the first prompt contains the instructions of its agent", async () => {
    const { child, say, next } = start(ECHO, "agents:\n  helper:\n    soul: Count twice.\n");
    say({ id: 1, method: "session/new", params: { cwd: here?.workspace, mcpServers: [] } });
    await next();
    say({ id: 2, method: "session/prompt", params: { sessionId: "s", prompt: [{ type: "text", text: "go" }] } });
    const { result } = await next();
    expect(result.params.prompt[0].text).toContain("Count twice.");
    expect(result.params.prompt[1]).toEqual({ type: "text", text: "go" });
    child.stdin.end();
    await once(child, "close");
  });

  it.each([
    { what: "no command", args: [], says: "no agent given" },
    { what: "a command that is not there", args: ["--", "/nowhere/agent"], says: "'/nowhere/agent' cannot be started" },
    { what: "a wrong time", args: ["--wait", "soon", "--", "x"], says: "--wait takes a duration" },
    { what: "json", args: ["--json", "--", "x"], says: "stdout carries the protocol" },
    { what: "an agent that is not configured", args: ["--agent", "nobody", "--", "x"], says: "no agent 'nobody'" },
  ])("AX-4 conduct acp reports $what with one clear message", async ({ args, says }) => {
    const { home, workspace } = place();
    vi.stubEnv("CONDUCT_HOME", home);
    const terminal = testTerminal({ cwd: workspace });
    expect(await runCommandLine(["acp", ...args], terminal)).toBeGreaterThan(0);
    expect(`${terminal.complained()}${terminal.said()}`).toContain(says);
  });
});
