import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../base/words/json.ts";
import { hookHttp } from "../../host/daemon/hook-http.ts";
import type { HookAnswer } from "../shared/claude/native.ts";
import type { ClaudeCodeHooks } from "./adapter.ts";
import { claudeCodeRoutes } from "./http-routes.ts";
import type { From } from "./live-session.ts";

const told: From[] = [];
const hooks: ClaudeCodeHooks = {
  async handle(event, from = {}): Promise<HookAnswer> {
    told.push(from);
    return { systemMessage: JSON.stringify(event) };
  },
  callTool: async (name, args, call) => ({ text: JSON.stringify([name, args, call]), isError: name === "bad" }),
  beside: () => undefined,
  restore: () => undefined,
  underWay: () => false,
};
const answer = hookHttp("t", claudeCodeRoutes(hooks));

function post(url: string, body: unknown, more: { readonly [name: string]: string } = {}) {
  const headers = { host: "127.0.0.1", authorization: "Bearer t", "content-type": "application/json", ...more };
  return answer({ method: "POST", url, headers, body: JSON.stringify(body) });
}

describe("hooks", () => {
  it.each([
    { headers: { "x-conduct-entrypoint": "cli", "x-conduct-inside": "" }, interactive: true },
    { headers: { "x-conduct-entrypoint": "cli" }, interactive: true },
    { headers: { "x-conduct-entrypoint": "sdk-cli" }, interactive: false },
    { headers: { "x-conduct-entrypoint": "cli", "x-conduct-inside": "1" }, interactive: false },
    { headers: {}, interactive: false },
  ])("CC-R1 a request with the headers $headers is interactive: $interactive", async ({ headers, interactive }) => {
    expect(await post("/hooks/claude-code", { a: 1 }, headers as Record<string, string>)).toEqual({
      status: 200,
      body: { systemMessage: '{"a":1}' },
    });
    expect(told.at(-1)).toEqual({ interactive });
  });

  it.each([
    { url: "/hooks/claude-code?part=3", part: 3 },
    { url: "/hooks/claude-code?part=1", part: undefined },
    { url: "/hooks/claude-code?part=x", part: undefined },
  ])("CC-R2 a hook request to $url asks for part $part", async ({ url, part }) => {
    await post(url, {});
    expect(told.at(-1)?.part).toBe(part);
  });
});

describe("Conduct's own tools", () => {
  const call = async (method: string, params: JsonObject = {}) =>
    (await post("/mcp/claude-code", { jsonrpc: "2.0", id: 1, method, params })).body;

  it("CC-M1 the MCP route answers initialize, ping and tools/list, and rejects other requests", async () => {
    expect(await call("initialize", { protocolVersion: "2025-11-25" })).toMatchObject({
      id: 1,
      result: { protocolVersion: "2025-11-25", capabilities: { tools: {} } },
    });
    expect(await call("ping")).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
    expect(JSON.stringify(await call("tools/list"))).toContain('"name":"read_result"');
    expect(await call("server/discover")).toMatchObject({ error: { code: -32601 } });
    expect(await post("/mcp/claude-code", { jsonrpc: "2.0", method: "notifications/initialized" })).toEqual({
      status: 202,
    });
    expect((await post("/mcp/claude-code", [])).body).toMatchObject({ error: { code: -32600 } });
  });

  it.each([
    { name: "read_result", isError: false },
    { name: "bad", isError: true },
  ])("CC-M2 $name runs under the id of the decided call", async ({ name, isError }) => {
    const params = { name, arguments: { handle: "r" }, _meta: { "claudecode/toolUseId": "toolu_1" } };
    const text = JSON.stringify([name, { handle: "r" }, "toolu_1"]);
    expect(await call("tools/call", params)).toMatchObject({ result: { content: [{ type: "text", text }], isError } });
  });
});
