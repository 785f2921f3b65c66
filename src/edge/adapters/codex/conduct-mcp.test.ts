import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { type CallConductTool, serveConductTools } from "./conduct-mcp.ts";

async function talk(messages: readonly (object | string)[], call: CallConductTool = async () => ({ text: "page" })) {
  const input = new PassThrough();
  const output = new PassThrough();
  for (const message of messages) input.write(`${typeof message === "string" ? message : JSON.stringify(message)}\n`);
  input.end();
  await serveConductTools(input, output, call);
  output.end();
  return (await text(output))
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

const call = {
  id: 3,
  method: "tools/call",
  params: { name: "read_result", arguments: { handle: "r" }, _meta: { threadId: "t" } },
};

describe("serveConductTools", () => {
  it("introduces itself, lists its tools, and passes over what is no request", async () => {
    const replies = await talk([
      { id: 0, method: "initialize", params: { protocolVersion: "2025-06-18" } },
      { method: "notifications/initialized" },
      "not json",
      { id: 1, method: "tools/list" },
      { id: 2, method: "ping" },
      { id: 4, method: "odd" },
    ]);
    expect(replies.map(({ id }) => id)).toEqual([0, 1, 2, 4]);
    expect(replies[0].result.protocolVersion).toBe("2025-06-18");
    expect(replies[0].result.instructions).toContain("save_memory");
    const listed = replies[1].result.tools.map(
      ({ name, annotations }: { name: string; annotations: { readOnlyHint: boolean } }) =>
        `${name} ${annotations.readOnlyHint ? "reads" : "writes"}`,
    );
    expect(listed).toEqual([
      "read_result reads",
      "verify_context reads",
      "review_plan reads",
      "update_instructions writes",
      "read_memory reads",
      "save_memory writes",
    ]);
    expect(replies[3].error.code).toBe(-32601);
  });

  it("calls the daemon in the name of Codex' thread", async () => {
    const seen: object[] = [];
    const [reply] = await talk([call], async (request) => {
      seen.push(request);
      return { text: "page", isError: false };
    });
    expect(seen).toEqual([{ conduct_tool: "read_result", arguments: { handle: "r" }, thread_id: "t" }]);
    expect(reply.result).toEqual({ content: [{ type: "text", text: "page" }], isError: false });
  });

  it("a daemon that cannot be reached is an error of the tool", async () => {
    const [reply] = await talk([call], async () => {
      throw new Error("no socket");
    });
    expect(reply.result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("no socket") }] });
    const [odd] = await talk([call], async () => 7);
    expect(odd.result.isError).toBe(true);
  });
});
