import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { Fault } from "../../../base/words/event.ts";
import type { McpServer } from "../../../base/words/hosting/agent.ts";
import type { Role } from "../../../base/words/hosting/user.ts";
import { KINDS } from "../../../edge/adapters/mcp/test/server.ts";
import type { McpTool } from "../../../edge/adapters/shared/mcp/client.ts";
import { HostedServers } from "./hosted-servers.ts";
import { describeChange, KnownTools } from "./known-tools.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const kinds: McpServer = { command: process.execPath, args: [KINDS] };

/** Servers without a sandbox, of an operator, on a clock that the test moves. */
function world(
  given: {
    readonly role?: Role;
    readonly servers?: { readonly [name: string]: McpServer };
    readonly known?: object;
  } = {},
) {
  const root = mkdtempSync(join(tmpdir(), "conduct-mcp-test-"));
  mkdirSync(join(root, "work"));
  closing.push(() => rmSync(root, { recursive: true, force: true }));
  if (given.known !== undefined) writeFileSync(join(root, "mcp-tools.json"), JSON.stringify(given.known));
  const state = { now: 0, servers: given.servers ?? { kinds } };
  const [lines, faults]: [string[], Fault[]] = [[], []];
  const hosted = new HostedServers({
    sandbox: { kind: "none", why: "it is a test", fix: "nothing to do" },
    env: process.env,
    clock: { monotonic: () => state.now },
    known: new KnownTools(join(root, "mcp-tools.json"), (line) => lines.push(line)),
    serversOf: () => state.servers,
    roleOf: async () => given.role ?? "operator",
    record: (fault) => faults.push(fault),
    report: (line) => lines.push(line),
  });
  closing.push(() => hosted.close());
  const tools = () => hosted.of("clerk", "ann", join(root, "work")).tools();
  const call = async (name: string, args = {}) =>
    (await tools()).tools.find(({ tool }) => tool.name === name)?.call(args);
  return { root, state, hosted, lines, faults, tools, call };
}

describe("MCP servers in the gateway", () => {
  it("MCS-1 a server keeps its process between turns, and is ended after ten minutes without a call", async () => {
    const { state, hosted, call } = world();
    await call("echo", { text: "one" });
    state.now = 9 * 60_000;
    await hosted.sweep();
    expect(JSON.stringify((await call("ran"))?.body)).toContain("one");
    state.now = 20 * 60_000;
    await hosted.sweep();
    expect(JSON.stringify((await call("ran"))?.body)).not.toContain("one");
  });

  it("MCS-2 a changed definition ends the old process", async () => {
    const { state, call } = world();
    await call("echo", { text: "one" });
    state.servers = { kinds: { ...kinds, env: { MODE: "other" } } };
    expect(JSON.stringify((await call("ran"))?.body)).not.toContain("one");
  });

  it("MCS-3 without a sandbox, a user who is no operator any more gets no process", async () => {
    const { tools } = world({ role: "user" });
    expect(await tools()).toEqual({ tools: [], missing: ["kinds"] });
  });

  it("MCS-4 a server that cannot be started is missing, is recorded once, and waits before it is tried again", async () => {
    const { state, tools, faults, lines } = world({ servers: { gone: { command: "/no/such/program" } } });
    expect(await tools()).toEqual({ tools: [], missing: ["gone"] });
    await tools();
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatchObject({ where: "mcp gone", code: "server-lost" });
    expect(lines[0]).toContain("'/no/such/program' cannot be started");
    state.now = 1_000;
    await tools();
    expect(faults).toHaveLength(2);
    state.now = 2_500;
    await tools();
    expect(faults).toHaveLength(2);
  });

  it("MCS-5 a call that is cancelled is cancelled at the server", async () => {
    const { tools } = world();
    const forever = (await tools()).tools.find(({ tool }) => tool.name === "forever");
    const abort = new AbortController();
    const calling = forever?.call({}, abort.signal);
    abort.abort();
    await expect(calling).rejects.toThrow("kinds/forever failed: the call was cancelled");
  });

  it("MCS-6 a trial says which servers work, and its changes are recorded in the next turn", async () => {
    const { hosted, tools, faults, lines } = world({ known: { "clerk/kinds": {} } });
    const [status] = await hosted.trial(["clerk"]);
    expect(status).toMatchObject({ agent: "clerk", server: "kinds", tools: expect.any(Number) });
    expect(lines.join("\n")).toContain("The MCP server kinds of clerk has added");
    expect(faults).toEqual([]);
    await tools();
    expect(faults).toMatchObject([{ code: "tools-changed" }]);
  });

  it("MCS-7 lists of tools outlive the process, and a change names every tool", () => {
    const { root } = world();
    const file = join(root, "lists.json");
    const tool = (name: string, digest: string): McpTool => ({ name, digest, description: "", inputSchema: {} });
    const first = new KnownTools(file, () => undefined);
    expect(first.update("clerk", "desk", [tool("a", "1"), tool("b", "1")])).toBeUndefined();
    expect(first.update("clerk", "desk", [tool("b", "1"), tool("a", "1")])).toBeUndefined();
    const change = new KnownTools(file, () => undefined).update("clerk", "desk", [tool("a", "2"), tool("c", "1")]);
    expect(change).toEqual({ agent: "clerk", server: "desk", added: ["c"], removed: ["b"], changed: ["a"] });
    expect(change && describeChange(change)).toContain("has changed a; added c; removed b.");
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ "clerk/desk": { a: "2", c: "1" } });
  });
});
