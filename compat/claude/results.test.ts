import { createSdkMcpServer, type HookJSONOutput, tool as mcpTool } from "@anthropic-ai/claude-agent-sdk";
import { describe, expect, it } from "vitest";
import { resultOf } from "../../src/testing/kit/expect.ts";
import { outcomes, play, scripts, shell } from "./play.ts";

describe("outcomes that the runtime reports as success", () => {
  it.each([
    { command: "sh test.sh", background: true, ends: "unknown" },
    { command: "grep nothing test.sh", background: false, ends: "failed" },
    { command: "sh test.sh", background: false, ends: "ok" },
  ])("$command (background: $background) is $ends", async ({ command, background, ends }) => {
    const input = { command, ...(background ? { run_in_background: true } : {}) };
    const outcome = await play(
      {},
      { files: scripts },
      {
        script: () => (request) =>
          request.results.length === 0 ? { calls: [{ id: "call_1", name: "Bash", input }] } : { text: "Done." },
      },
    );
    expect(outcomes(outcome)).toEqual([`call_1 ${ends}`]);
    // The notice that a background task has ended comes as a prompt, and is nobody's message.
    expect(outcome.events.filter(({ type }) => type === "message")).toHaveLength(1);
  });
});

describe("results are shortened in the shape that the runtime accepts", () => {
  const long = Array.from({ length: 900 }, (_, i) => `line ${i + 1}: fox ${i * 7919}`).join("\n");
  const server = () =>
    createSdkMcpServer({
      name: "notes",
      tools: [
        mcpTool("text", "d", {}, async () => ({ content: [{ type: "text", text: long }] })),
        mcpTool("data", "d", {}, async () => ({ content: [{ type: "text", text: "x" }], structuredContent: { long } })),
      ],
      alwaysLoad: true,
    });
  const files = {
    "big.txt": long,
    ...Object.fromEntries(Array.from({ length: 99 }, (_, i) => [`${"n".repeat(90)}${i}.txt`, "x"])),
  };
  it.each([
    { name: "Read", input: (at: string) => ({ file_path: `${at}/big.txt` }) },
    { name: "Grep", input: () => ({ pattern: "fox", output_mode: "content", head_limit: 0 }) },
    { name: "Glob", input: () => ({ pattern: "*" }) },
    { name: "Bash", input: () => ({ command: "cat big.txt" }) },
    { name: "Bash", input: () => ({ command: "cat big.txt big.txt big.txt" }) },
    { name: "mcp__notes__text", input: () => ({}) },
    { name: "mcp__notes__data", input: () => ({}) },
  ])("$name", async ({ name, input }) => {
    const outcome = await play(
      { limits: { window: 4_000 } },
      { files },
      {
        options: { mcpServers: { notes: server() }, allowedTools: ["Read", "Grep", "Glob", "Bash", "mcp__notes"] },
        script: (at) => [{ calls: [{ id: "call_1", name, input: input(at) }] }, { text: "Long." }],
      },
    );
    const text = resultOf(outcome, "call_1");
    expect(text).toContain("⚠️ [Output truncated: ");
    expect(text).not.toContain("persisted-output");
    expect(text.length).toBeLessThan(5_000);
  });

  it("a replacement of another shape is silently ignored: why each tool has its own", async () => {
    const wrong = async (): Promise<HookJSONOutput> => ({
      hookSpecificOutput: { hookEventName: "PostToolUse", updatedToolOutput: "short" },
    });
    const outcome = await play(
      {},
      { script: [{ calls: [shell("call_1", "echo original")] }, { text: "Done." }] },
      { options: { hooks: { PostToolUse: [{ hooks: [wrong] }] } } },
    );
    expect(resultOf(outcome, "call_1")).toBe("original");
  });

  it("a failing command's output cannot be replaced; the runtime cuts it at 10,000 characters", async () => {
    const outcome = await play(
      { limits: { window: 4_000 } },
      { files, script: [{ calls: [shell("call_1", "cat big.txt; exit 1")] }, { text: "Failed." }] },
    );
    expect(resultOf(outcome, "call_1")).not.toContain("⚠️ [Output truncated: ");
    expect(resultOf(outcome, "call_1").length).toBeLessThan(10_100);
  });
});

describe("requirements of a trusted MCP tool", () => {
  it("RQ-20 requirements of a trusted MCP tool apply to the next call, and the model does not see them", async () => {
    const demand = { requireBeforeNext: ["verify_context"] };
    const desk = createSdkMcpServer({
      name: "desk",
      tools: [
        mcpTool("lookup", "d", {}, async () => ({
          content: [{ type: "text", text: "found" }],
          structuredContent: { found: 1, __directives: demand },
        })),
      ],
      alwaysLoad: true,
    });
    const outcome = await play(
      { trustedTools: [{ server: "desk", tool: "lookup" }] },
      { files: scripts },
      {
        options: { mcpServers: { desk }, allowedTools: ["Bash", "mcp__desk"] },
        script: () => [
          { calls: [{ id: "call_1", name: "mcp__desk__lookup", input: {} }] },
          { calls: [{ id: "call_2", name: "Bash", input: { command: "sh test.sh" } }] },
          { calls: [{ id: "call_3", name: "mcp__conduct__verify_context", input: {} }] },
          { calls: [{ id: "call_4", name: "Bash", input: { command: "sh test.sh" } }] },
          { text: "Done." },
        ],
      },
    );
    expect(resultOf(outcome, "call_1")).toContain('{"found":1}');
    expect(outcome.requests.map(({ raw }) => raw).join()).not.toContain("__directives");
    expect(resultOf(outcome, "call_2")).toContain("requires these calls first: verify_context");
    expect(resultOf(outcome, "call_3")).toContain("Before you continue");
    expect(outcomes(outcome)).toEqual(["call_1 ok", "call_3 ok", "call_4 ok"]);
  });
});
