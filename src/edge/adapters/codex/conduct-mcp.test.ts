import { describe, expect, it } from "vitest";
import type { CallConductTool } from "../shared/mcp/serve-own-tools.ts";
import { streamClient } from "../shared/test/stream-client.ts";
import { serveConductTools } from "./conduct-mcp.ts";

const connected = (call: CallConductTool) => streamClient((input, output) => serveConductTools(input, output, call));

const READ = { name: "read_result", arguments: { handle: "r" }, _meta: { threadId: "t" } };

describe("serveConductTools", () => {
  it("MCP-1 the server introduces itself, lists its tools, and ends with its input", async () => {
    const { client, end } = await connected(async () => ({ text: "page" }));
    expect(client.getServerVersion()?.name).toBe("conduct");
    expect(client.getInstructions()).toContain("save_memory");
    const { tools } = await client.listTools();
    expect(tools.map(({ name, annotations }) => `${name} ${annotations?.readOnlyHint ? "reads" : "writes"}`)).toEqual([
      "read_result reads",
      "verify_context reads",
      "review_plan reads",
      "update_instructions writes",
      "read_memory reads",
      "save_memory writes",
    ]);
    // Codex would refuse, or ask a person about, a tool that may destroy something.
    expect(tools.every(({ annotations }) => annotations?.destructiveHint === false)).toBe(true);
    await end();
  });

  it("MCP-2 the server calls the daemon on behalf of Codex' thread", async () => {
    const seen: object[] = [];
    const { client, end } = await connected(async (request) => {
      seen.push(request);
      return { text: "page", isError: false };
    });
    expect(await client.callTool(READ)).toMatchObject({ content: [{ type: "text", text: "page" }], isError: false });
    expect(seen).toEqual([{ conduct_tool: "read_result", arguments: { handle: "r" }, thread_id: "t" }]);
    await end();
  });

  it.each([
    { what: "cannot be reached", call: async () => Promise.reject(new Error("no socket")), says: "no socket" },
    { what: "answers nonsense", call: async () => 7, says: "cannot be read" },
  ])("MCP-3 a daemon that $what causes a tool error", async ({ call, says }) => {
    const { client, end } = await connected(call);
    expect(await client.callTool(READ)).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining(says) }],
    });
    await end();
  });
});
