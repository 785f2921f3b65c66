import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ConductEvent } from "../../../base/words/event.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import type { ToolPolicy } from "../../../base/words/policy.ts";
import { FileOutputChecker } from "../../../behavior/completion/file-output-checker.ts";
import { ReadBeforeWritePolicy } from "../../../behavior/policy/read-before-write-policy.ts";
import { defineAgent } from "../../../engine/agent/define-agent.ts";
import type { ConductPorts } from "../../../engine/moments/conduct.ts";
import { openConduct } from "../../host/open-conduct.ts";
import { type CodexHooks, codexHooks } from "./adapter.ts";
import { recorded } from "./test-recorded.ts";

let cwd: string;
let events: ConductEvent[];
let hooks: CodexHooks;

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "conduct-codex-adapter-"));
  writeFileSync(join(cwd, "a.txt"), "old\n");
  hooks = open();
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

function open(
  agentName = "writer",
  policies: readonly ToolPolicy[] = [new ReadBeforeWritePolicy()],
  ports: Partial<ConductPorts> = {},
): CodexHooks {
  const agent = defineAgent({
    name: "writer",
    sections: [{ heading: "Task", content: "Write." }],
    policies,
    trustedTools: [{ server: "demo", tool: "echo" }],
    completion: new FileOutputChecker({ files: ["out.txt"] }),
  });
  const conduct = openConduct({ agents: [agent], workspace: cwd, home: join(cwd, ".home"), ports });
  events = [];
  conduct.subscribe((event) => {
    events.push(event);
  });
  return codexHooks(conduct, { agent: agentName });
}

/** A recorded event, moved into this test's workspace. */
function hook(name: string, change: JsonObject = {}) {
  return hooks.handle({ ...recorded(name), session_id: "s", cwd, transcript_path: null, ...change });
}
const edit = { tool_input: { command: "*** Begin Patch\n*** Update File: a.txt\n@@\n-old\n+new\n*** End Patch\n" } };

describe("codexHooks", () => {
  it("opens a session at its first hook, tells the prompt once, and again when it was never sent", async () => {
    const told = { hookSpecificOutput: { hookEventName: "UserPromptSubmit", additionalContext: "## Task\n\nWrite." } };
    expect(await hook("UserPromptSubmit-main")).toEqual(told);
    expect(await hook("UserPromptSubmit-main")).toEqual(told);
    await hook("PreModelRequest-main");
    expect(await hook("UserPromptSubmit-main")).toEqual({});
    expect(await hook("SessionStart-compact")).toMatchObject({
      hookSpecificOutput: { hookEventName: "SessionStart", additionalContext: "## Task\n\nWrite." },
    });
    expect(events[0]).toMatchObject({ type: "session", change: "opened", session: "s" });
  });

  it("denies an unread write, and without a rollout believes no command", async () => {
    await hook("UserPromptSubmit-main");
    await hook("PreModelRequest-main");
    expect(await hook("PreToolUse-exec")).toEqual({});
    expect(await hook("PostToolUse-exec-ok")).toEqual({});
    await hook("PreModelRequest-main");
    const denied = await hook("PreToolUse-apply_patch", edit);
    expect(denied.hookSpecificOutput?.permissionDecisionReason).toContain("must be read before overwriting");
    expect(events.find(({ type }) => type === "result")).toMatchObject({ outcome: "unknown" });
  });

  it("counts what PostModelRequest reports, and forgets reads at a compaction", async () => {
    await hook("PostModelRequest-main");
    await hook("PostCompact-auto");
    const notices = events.flatMap((event) => (event.type === "notice" ? [event.notice] : []));
    expect(notices).toMatchObject([{ kind: "started" }, { kind: "usage", inputTokens: 100 }, { kind: "compacted" }]);
  });

  it("refuses a stop and then lets it go", async () => {
    expect(await hook("Stop-first")).toMatchObject({ decision: "block", reason: expect.stringContaining("out.txt") });
    writeFileSync(join(cwd, "out.txt"), "x");
    expect(await hook("Stop-active")).toEqual({});
  });

  it("a subagent is a child, and ends with its root", async () => {
    await hook("SubagentStart-default", { agent_id: "child" });
    await hook("UserPromptSubmit-subagent", { agent_id: "child" });
    await hook("SessionEnd-exec");
    expect(events.find(({ session }) => session === "child")).toMatchObject({ parent: "s" });
    const ended = events.filter((event) => event.type === "notice" && event.notice.kind === "ended");
    expect(ended.map(({ session }) => session)).toEqual(["s", "child"]);
  });

  it("never rejects: what it cannot do is blocked", async () => {
    hooks = open("nobody");
    expect(await hook("PreToolUse-exec")).toMatchObject({ hookSpecificOutput: { permissionDecision: "deny" } });
    expect(await hook("UserPromptSubmit-main")).toMatchObject({ decision: "block" });
    expect(await hook("Stop-first")).toEqual({ systemMessage: expect.stringContaining("no agent 'nobody'") });
    expect(await hooks.handle("nonsense")).toMatchObject({ hookSpecificOutput: { permissionDecision: "deny" } });
    expect(await hooks.handle({ hook_event_name: "PreToolUse" })).toMatchObject({
      hookSpecificOutput: { permissionDecision: "deny" },
    });
  });

  it("runs its own tool only for a call that was allowed", async () => {
    const request = { conduct_tool: "read_result", arguments: { handle: "r_x" }, thread_id: "s" };
    const refused = { text: "Conduct has not allowed this call.", isError: true };
    expect(await hooks.callTool(request)).toEqual(refused);
    await hook("PreToolUse-mcp__demo__echo", { tool_name: "mcp__conduct__read_result", tool_input: { handle: "r_x" } });
    expect(await hooks.callTool(request)).toMatchObject({
      text: expect.stringContaining("There is no result"),
      isError: true,
    });
    expect(await hooks.callTool({ ...request, conduct_tool: "other" })).toEqual(refused);
    expect(await hooks.callTool(null)).toMatchObject({ isError: true });
  });
});

describe("what rules make of a call in Codex", () => {
  const rewriting = (input: JsonObject): ToolPolicy => ({
    name: "rewriting",
    rewrites: true,
    check: ({ args }) => ({ kind: "rules", findings: [], input: { ...args, ...input } }),
  });

  it("CX-R1 a rewritten command runs with an allow", async () => {
    hooks = open("writer", [rewriting({ command: "echo quiet" })]);
    await hook("PreModelRequest-main");
    expect(await hook("PreToolUse-exec")).toEqual({
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: "allow",
        updatedInput: { command: "echo quiet" },
      },
    });
  });

  it("CX-R2 what Codex cannot carry is denied, and told", async () => {
    hooks = open("writer", [rewriting({ timeout: 60 })]);
    await hook("PreModelRequest-main");
    const { hookSpecificOutput: answer } = await hook("PreToolUse-exec");
    expect(answer).toMatchObject({ permissionDecision: "deny" });
    expect(answer?.permissionDecisionReason).toContain("rules change 'timeout' of this call");
    expect(events).toContainEqual(expect.objectContaining({ type: "result", outcome: "cancelled" }));
    expect(events).toContainEqual(
      expect.objectContaining({ type: "fault", fault: expect.objectContaining({ code: "rewrite" }) }),
    );
  });

  it("CX-R3 a question goes to the approver, and one that nobody answers is no call under way", async () => {
    const asking: ToolPolicy = { name: "asking", check: () => ({ kind: "ask", question: "Really?" }) };
    hooks = open("writer", [asking], { approver: { ask: async () => ({ answer: "yes", by: "ann" }) } });
    await hook("PreModelRequest-main");
    expect(await hook("PreToolUse-exec")).toEqual({});
    hooks = open("writer", [asking], { approver: { ask: async () => undefined } });
    await hook("PreModelRequest-main");
    const { hookSpecificOutput: answer } = await hook("PreToolUse-exec");
    expect(answer?.permissionDecisionReason).toContain("Waiting for a person's approval");
    expect(events).toContainEqual(expect.objectContaining({ type: "result", outcome: "cancelled" }));
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
    expect(answer?.permissionDecisionReason).toContain("requires before the next call: verify_context");
  });
});
