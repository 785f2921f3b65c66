import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../base/words/json.ts";
import type { ToolPolicy } from "../../../base/words/policy.ts";
import { FileOutputChecker } from "../../../behavior/completion/completion-checkers.ts";
import { ReadBeforeWritePolicy } from "../../../behavior/policy/builtin/read-before-write-policy.ts";
import { useHooks } from "./test/hooks.ts";

const codex = useHooks({
  name: "writer",
  sections: [{ heading: "Task", content: "Write." }],
  policies: [new ReadBeforeWritePolicy()],
  trustedTools: [{ server: "demo", tool: "echo" }],
  completion: new FileOutputChecker({ files: ["out.txt"] }),
});
const { hook } = codex;
const edit = { tool_input: { command: "*** Begin Patch\n*** Update File: a.txt\n@@\n-old\n+new\n*** End Patch\n" } };

describe("codexHooks", () => {
  it("opens a session at its first hook", async () => {
    await hook("UserPromptSubmit-main");
    expect(codex.events[0]).toMatchObject({ type: "session", change: "opened", session: "s" });
  });

  it("denies an unread write, and without a rollout believes no command", async () => {
    await hook("UserPromptSubmit-main");
    await hook("PreModelRequest-main");
    expect(await hook("PreToolUse-exec")).toEqual({});
    expect(await hook("PostToolUse-exec-ok")).toEqual({});
    await hook("PreModelRequest-main");
    const denied = await hook("PreToolUse-apply_patch", edit);
    expect(denied.hookSpecificOutput?.permissionDecisionReason).toContain("must be read before overwriting");
    expect(codex.events.find(({ type }) => type === "result")).toMatchObject({ outcome: "unknown" });
  });

  it("counts what PostModelRequest reports, and forgets reads at a compaction", async () => {
    await hook("PostModelRequest-main");
    await hook("PostCompact-auto");
    const notices = codex.events.flatMap((event) => (event.type === "notice" ? [event.notice] : []));
    expect(notices).toMatchObject([{ kind: "started" }, { kind: "usage", inputTokens: 100 }, { kind: "compacted" }]);
  });

  it("refuses a stop and then lets it go", async () => {
    expect(await hook("Stop-first")).toMatchObject({ decision: "block", reason: expect.stringContaining("out.txt") });
    writeFileSync(join(codex.cwd, "out.txt"), "x");
    expect(await hook("Stop-active")).toEqual({});
  });

  it("never rejects: what it cannot do is blocked", async () => {
    codex.open({}, {}, { agent: "nobody" });
    expect(await hook("PreToolUse-exec")).toMatchObject({ hookSpecificOutput: { permissionDecision: "deny" } });
    expect(await hook("UserPromptSubmit-main")).toMatchObject({ decision: "block" });
    expect(await hook("Stop-first")).toEqual({ systemMessage: expect.stringContaining("no agent 'nobody'") });
    expect(await codex.hooks.handle("nonsense")).toMatchObject({ hookSpecificOutput: { permissionDecision: "deny" } });
    expect(await codex.hooks.handle({ hook_event_name: "PreToolUse" })).toMatchObject({
      hookSpecificOutput: { permissionDecision: "deny" },
    });
  });

  it("runs its own tool only for a call that was allowed", async () => {
    const request = { conduct_tool: "read_result", arguments: { handle: "r_x" }, thread_id: "s" };
    const refused = { text: "Conduct has not allowed this call.", isError: true };
    expect(await codex.hooks.callTool(request)).toEqual(refused);
    await hook("PreToolUse-mcp__demo__echo", { tool_name: "mcp__conduct__read_result", tool_input: { handle: "r_x" } });
    expect(await codex.hooks.callTool(request)).toMatchObject({
      text: expect.stringContaining("There is no result"),
      isError: true,
    });
    expect(await codex.hooks.callTool({ ...request, conduct_tool: "other" })).toEqual(refused);
    expect(await codex.hooks.callTool(null)).toMatchObject({ isError: true });
  });

  it.each([
    { user: undefined, memory: undefined, says: "This session has no user" },
    { user: "ann", memory: "off" as const, says: "turned this tool off" },
    { user: "ann", memory: undefined, says: "Saved as note" },
  ])("CX-U1 save_memory with user $user and memory $memory says: $says", async ({ user, memory, says }) => {
    const sessionOptions = () => (user === undefined ? {} : { user });
    codex.open(memory === undefined ? {} : { memory }, {}, { sessionOptions });
    const input = { text: "The dock is gate 9." };
    await hook("PreToolUse-mcp__demo__echo", { tool_name: "mcp__conduct__save_memory", tool_input: input });
    const request = { conduct_tool: "save_memory", arguments: input, thread_id: "s" };
    expect((await codex.hooks.callTool(request)).text).toContain(says);
  });
});

describe("what rules make of a call in Codex", () => {
  const rewriting = (input: JsonObject): ToolPolicy => ({
    name: "rewriting",
    rewrites: true,
    check: ({ args }) => ({ kind: "rules", findings: [], input: { ...args, ...input } }),
  });

  it("CX-R1 a rewritten command is returned with an explicit allow", async () => {
    codex.open({ policies: [rewriting({ command: "echo quiet" })] });
    await hook("PreModelRequest-main");
    expect(await hook("PreToolUse-exec")).toEqual({
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: "allow",
        updatedInput: { command: "echo quiet" },
      },
    });
  });

  it("CX-R2 a rewrite that Codex cannot run is denied and reported", async () => {
    codex.open({ policies: [rewriting({ timeout: 60 })] });
    await hook("PreModelRequest-main");
    const { hookSpecificOutput: answer } = await hook("PreToolUse-exec");
    expect(answer).toMatchObject({ permissionDecision: "deny" });
    expect(answer?.permissionDecisionReason).toContain("rules change 'timeout' of this call");
    expect(codex.events).toContainEqual(expect.objectContaining({ type: "result", outcome: "cancelled" }));
    expect(codex.events).toContainEqual(
      expect.objectContaining({ type: "fault", fault: expect.objectContaining({ code: "rewrite" }) }),
    );
  });

  it("CX-R3 a question goes to the approver, and a call without an answer is cancelled", async () => {
    const asking: ToolPolicy = { name: "asking", check: () => ({ kind: "ask", question: "Really?" }) };
    codex.open({ policies: [asking] }, { approver: { ask: async () => ({ answer: "yes", by: "ann" }) } });
    await hook("PreModelRequest-main");
    expect(await hook("PreToolUse-exec")).toEqual({});
    codex.open({ policies: [asking] }, { approver: { ask: async () => undefined } });
    await hook("PreModelRequest-main");
    const { hookSpecificOutput: answer } = await hook("PreToolUse-exec");
    expect(answer?.permissionDecisionReason).toContain("Waiting for a person's approval");
    expect(codex.events).toContainEqual(expect.objectContaining({ type: "result", outcome: "cancelled" }));
  });

  it("CX-R4 requirements come from structured content, and the model does not see them", async () => {
    await hook("PreModelRequest-main");
    await hook("PreToolUse-mcp__demo__echo");
    const tool_response = {
      content: [{ type: "text", text: "echo:hi" }],
      structuredContent: { n: 1, __directives: { requireBeforeNext: ["verify_context"] } },
    };
    expect(await hook("PostToolUse-mcp__demo__echo", { tool_response })).toEqual({
      decision: "block",
      reason: '{"n":1}',
    });
    const { hookSpecificOutput: answer } = await hook("PreToolUse-exec");
    expect(answer?.permissionDecisionReason).toContain("requires these calls first: verify_context");
  });
});
