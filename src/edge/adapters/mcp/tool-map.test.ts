import { describe, expect, it } from "vitest";
import { asObject } from "../../../base/kernel/json.ts";
import { mapOwnCall, readCall } from "../shared/own-tools.ts";
import { cleanName, mapCall, serverName } from "./tool-map.ts";

describe("tool map", () => {
  it.each([
    { command: ["npx", "-y", "@modelcontextprotocol/server-filesystem@2026.8.31", "/tmp"], name: "server-filesystem" },
    { command: ["uvx", "mcp-server-git", "--repository", "."], name: "mcp-server-git" },
    { command: ["/usr/bin/node", "--no-warnings", "./build/weather.mjs"], name: "weather" },
    { command: ["docker", "run", "-i", "--rm", "mcp/postgres"], name: "postgres" },
    { command: ["env", "KEY=1", "python3.12", "-m", "desk_server"], name: "desk_server" },
    { command: ["/opt/desk"], name: "desk" },
    { command: ["node"], name: "node" },
  ])("MT-1 the server started by $command is named $name", ({ command, name }) => {
    expect(serverName({ command })).toBe(name);
  });

  it("MT-2 a server behind a URL is named after its host", () => {
    expect(serverName({ url: new URL("https://mcp.example.com:8443/v1/mcp") })).toBe("mcp.example.com");
    expect(cleanName("a/b c")).toBe("a-b-c");
  });

  it("MT-3 a server's tools are server/name, with the operator's name for the server; Conduct's own have plain names", () => {
    const call = { name: "lookup", arguments: { id: 1 } };
    expect(mapCall("desk", call, "c1")).toEqual({
      id: "c1",
      tool: "desk/lookup",
      args: { id: 1 },
      native: { runtime: "mcp", server: "desk", name: "lookup", input: { id: 1 } },
    });
    expect(mapOwnCall({ name: "read_result", arguments: {} }, "c2")).toMatchObject({
      tool: "read_result",
      native: { server: "conduct" },
    });
  });

  it.each([
    { params: { name: "a" }, read: { name: "a", arguments: {} } },
    { params: { name: "a", arguments: null }, read: { name: "a", arguments: {} } },
    { params: { name: "" }, read: { fault: expect.stringContaining("name") } },
    { params: { name: "a", arguments: "x" }, read: { fault: expect.stringContaining("'a'") } },
  ])("MT-4 the call parameters $params are read or rejected", ({ params, read }) => {
    expect(readCall(asObject(params))).toEqual(read);
  });
});
