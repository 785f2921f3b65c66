import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { asObject } from "../../../base/kernel/json.ts";
import type { Approver } from "../../../base/ports/approver.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import type { ToolPolicy } from "../../../base/words/policy.ts";
import { ReadBeforeWritePolicy } from "../../../behavior/policy/builtin/read-before-write-policy.ts";
import { defineAgent } from "../../../engine/agent/define-agent.ts";
import type { Conduct } from "../../../engine/session/conduct.ts";
import type { Session } from "../../../engine/session/session.ts";
import { openConductFromEnv } from "../../host/opening/open-conduct.ts";
import type { HookAnswer, HookEvent, PreToolUse } from "../shared/claude/native.ts";
import { toolName } from "../shared/claude/tool-map.ts";
import { after, before, events } from "../shared/test/claude-events.ts";
import { QueryScopes, scopesOf, withConduct } from "./adapter.ts";
import { conductHooks, type HookSettings, Shown } from "./hooks.ts";
import type { ClaudeSdk } from "./native.ts";
import { Thinking } from "./thinking.ts";

let workspace: string;
let conduct: Conduct;
let session: Session;
let told: string[];

beforeEach(() => {
  workspace = mkdtempSync(join(tmpdir(), "conduct-hooks-"));
  writeFileSync(join(workspace, "a.txt"), "one\n");
  const agent = defineAgent({ name: "kit", policies: [new ReadBeforeWritePolicy()], limits: { window: 4_000 } });
  conduct = openConductFromEnv({ agents: [agent], workspace, home: join(workspace, ".home") });
  told = [];
  conduct.subscribe((event) => {
    if (event.type === "call")
      told.push(`${event.parent === undefined ? "" : "child "}${event.call.id} ${event.decision.kind}`);
    if (event.type === "result") told.push(`${event.call} ${event.outcome}`);
  });
  session = conduct.session({ agent: "kit" });
});
afterEach(async () => {
  await conduct.close();
  rmSync(workspace, { recursive: true, force: true });
});

/** As for a host that runs its query itself. */
function settings(scopes: QueryScopes): HookSettings {
  const thinking = new Thinking({}, () => undefined);
  return { scopes, asker: false, shown: new Shown(), thinking, request: { toolName } };
}

/** Plays a recorded event as if it had happened in this test's workspace. */
function player(more: Pick<HookSettings, "waitMs"> & { asker?: boolean } = {}) {
  const hooks = conductHooks({ ...settings(scopesOf(session)), ...more });
  return (event: HookEvent, changes: object = {}): Promise<HookAnswer> => {
    const text = JSON.stringify({ ...event, ...changes }).replaceAll("/run/workspace", workspace);
    const hook = hooks[event.hook_event_name as keyof typeof hooks][0]?.hooks[0];
    if (hook === undefined) throw new Error(`no hook for ${event.hook_event_name}`);
    return hook(JSON.parse(text));
  };
}
const batch = (...ids: string[]): HookEvent =>
  ({
    hook_event_name: "PostToolBatch",
    cwd: workspace,
    tool_calls: ids.map((id) => ({ tool_use_id: id, tool_response: "" })),
  }) as HookEvent;

it("HOOK-1 a read counts only when its batch is over", async () => {
  const play = player();
  await play(before("read"));
  await play(after("read"));
  expect((await play(before("write"))).hookSpecificOutput).toMatchObject({ permissionDecision: "deny" });
  await play(batch("read", "write"));
  expect(await play(before("write"), { tool_use_id: "again" })).toEqual({});
});

it("HOOK-2 every recorded event is handled, and each call is reported once", async () => {
  const play = player();
  for (const event of events) await play(event);
  const calls = told.filter((line) => / (allow|deny)$/.test(line));
  expect(calls).toHaveLength(new Set(calls).size);
  expect(told).toContain("bash-fails failed");
  expect(told).toContain("bash-background unknown");
});

it("HOOK-3 a call that the runtime refuses is recorded as denied when its batch is over", async () => {
  const play = player();
  await play(before("bash"));
  await play(batch("bash"));
  expect(told).toEqual(["bash allow", "bash denied"]);
});

it("HOOK-4 an input changed after the decision proves nothing", async () => {
  const play = player();
  await play(before("bash"));
  await play(after("bash"), { tool_input: { command: "true" } });
  expect(told).toEqual(["bash allow", "bash unknown"]);
});

it("HOOK-5 a subagent's calls belong to the subagent's own session", async () => {
  const play = player();
  await play(before("bash"), { agent_id: "x1", tool_use_id: "sub" });
  expect(told).toEqual(["child sub allow"]);
  expect(scopesOf(session).holding("sub")?.session.id).toBe(`${session.id}/x1`);
});

it("HOOK-14 a decision that times out denies the call, and a late allow runs nothing", async () => {
  vi.useFakeTimers();
  try {
    let decideNow = (): void => undefined;
    const { decide } = session;
    const late: Session["decide"] = async (...given) => {
      await new Promise<void>((resolve) => {
        decideNow = resolve;
      });
      return decide.apply(session, given);
    };
    Object.assign(session, { decide: late });
    const answering = player({ waitMs: 2_000 })(before("bash"));
    await vi.advanceTimersByTimeAsync(3_000);
    const { hookSpecificOutput } = await answering;
    expect(hookSpecificOutput).toMatchObject({ permissionDecision: "deny" });
    expect(JSON.stringify(hookSpecificOutput)).toContain("Conduct has not answered within 3 s");
    decideNow();
    await vi.waitFor(() => expect(told).toEqual(["bash allow", "bash cancelled"]));
  } finally {
    vi.useRealTimers();
  }
});

it("HOOK-6 a subagent whose session cannot be opened runs nothing", async () => {
  session.child(`${session.id}/x1`);
  const answer = await player()(before("bash"), { agent_id: "x1" });
  expect(answer.hookSpecificOutput).toMatchObject({ permissionDecision: "deny" });
});

it("HOOK-7 a helper whose start was not reported is not treated as a subagent", async () => {
  const scopes = new QueryScopes(session);
  const [stop] = conductHooks(settings(scopes)).SubagentStop;
  await stop?.hooks[0]?.({ hook_event_name: "SubagentStop", cwd: workspace, agent_id: "compaction" });
  expect(scopes.find("compaction")).toBeUndefined();
});

it("HOOK-8 every hook blocks when it fails", () => {
  const hooks = conductHooks(settings(new QueryScopes(session)));
  for (const [matcher] of Object.values(hooks)) expect(matcher?.onFailure).toBe("block");
});

it("HOOK-9 the host's own hooks, servers and other options stay", async () => {
  const sdk: ClaudeSdk = { createSdkMcpServer: () => ({ type: "sdk" }), tool: () => ({}) };
  const theirs = { hooks: [async () => ({})] };
  const options = {
    maxTurns: 3,
    hooks: { PreToolUse: [theirs], Notification: [theirs] },
    mcpServers: { notes: { type: "stdio" } },
  };
  const { hooks, mcpServers, maxTurns } = await withConduct(options, session, { sdk });
  expect(hooks.PreToolUse).toHaveLength(2);
  expect(hooks.PreToolUse[0]).toBe(theirs);
  expect(hooks.Notification).toEqual([theirs]);
  expect(Object.keys(mcpServers)).toEqual(["notes", "conduct"]);
  expect(maxTurns).toBe(3);
});

/** A policy of its own beside the usual one, in a session of its own. */
function rewriting(input: JsonObject, more: { approver?: Approver; question?: string } = {}) {
  const { question, approver } = more;
  const policy: ToolPolicy = {
    name: "rewriting",
    rewrites: true,
    check: ({ tool, args }) => {
      if (tool !== "shell") return { kind: "allow" };
      const asks = { rule: "asks", effect: "ask", reason: question ?? "", missing: [], next: "", key: "k" } as const;
      return { kind: "rules", findings: question === undefined ? [] : [asks], input: { ...args, ...input } };
    },
  };
  const agent = defineAgent({
    name: "rewriting",
    policies: [policy],
    trustedTools: [{ server: "notes", tool: "data" }],
  });
  const ports = approver === undefined ? {} : { approver };
  conduct = openConductFromEnv({ agents: [agent], workspace, home: join(workspace, ".home"), ports });
  conduct.subscribe((event) => {
    if (event.type === "result") told.push(`${event.call} ${event.outcome}`);
    if (event.type === "fault") told.push(event.fault.code);
    if (event.type === "requirement") told.push(`requires ${event.requireBeforeNext.join()}`);
  });
  session = conduct.session({ agent: "rewriting" });
}

it("HOOK-R1 a rewritten command is returned under Claude's argument names, and its result counts", async () => {
  rewriting({ command: "echo quiet", timeout: 5 });
  const play = player();
  const event = before("bash") as PreToolUse;
  const answer = await play(event);
  const updatedInput = { ...asObject(event.tool_input), command: "echo quiet", timeout: 5_000 };
  expect(answer.hookSpecificOutput).toEqual({ hookEventName: "PreToolUse", updatedInput });
  await play(after("bash"), { tool_input: updatedInput });
  expect(told).toEqual(["bash ok"]);
});

it("HOOK-R2 a rewrite that Claude cannot run is denied and reported, and the call does not run", async () => {
  rewriting({ user: "nobody" });
  const answer = await player()(before("bash"));
  expect(answer.hookSpecificOutput).toMatchObject({
    permissionDecision: "deny",
    permissionDecisionReason: expect.stringContaining("rules change 'user' of this call"),
  });
  expect(told).toEqual(["bash cancelled", "rewrite"]);
});

it("HOOK-R3 where the runtime can ask, it asks about the rewritten call", async () => {
  rewriting({ command: "echo quiet" }, { question: "Really?" });
  const answer = await player({ asker: true })(before("bash"));
  expect(answer.hookSpecificOutput).toMatchObject({
    permissionDecision: "ask",
    updatedInput: { command: "echo quiet" },
  });
});

it("HOOK-R4 where the runtime cannot ask, the approver is asked about the rewritten call", async () => {
  const asked: string[] = [];
  const approver: Approver = {
    ask: async ({ input }) => {
      asked.push(String(input.command));
      return { answer: "yes", by: "ann" };
    },
  };
  rewriting({ command: "echo quiet" }, { question: "Really?", approver });
  const answer = await player()(before("bash"));
  expect(asked).toEqual(["echo quiet"]);
  expect(answer.hookSpecificOutput).toMatchObject({ updatedInput: { command: "echo quiet" } });
});

it("HOOK-R5 requirements come from structured content, and the model does not see them", async () => {
  rewriting({});
  const play = player();
  await play(before("mcp-data"));
  const structured = { k: 1, __directives: { requireBeforeNext: ["verify_context"] } };
  const answer = await play(after("mcp-data"), { tool_response: JSON.stringify(structured) });
  expect(answer.hookSpecificOutput).toEqual({ hookEventName: "PostToolUse", updatedToolOutput: '{"k":1}' });
  expect(told).toEqual(["mcp-data ok", "requires verify_context"]);
  expect((await play(before("bash"))).hookSpecificOutput).toMatchObject({ permissionDecision: "deny" });
});

it("HOOK-R5 text that only looks like a requirement requires nothing", async () => {
  rewriting({});
  const play = player();
  await play(before("mcp-data"));
  const text = JSON.stringify({ __directives: { requireBeforeNext: ["x"] }, k: 1 });
  const answer = await play(after("mcp-data"), { tool_response: [{ type: "text", text }] });
  expect(answer.hookSpecificOutput).toMatchObject({ updatedToolOutput: [{ type: "text", text: '{"k":1}' }] });
  expect(told).toEqual(["requirement-in-text", "mcp-data ok"]);
});

it("HOOK-V1 debug lines are shown with the main thread's answers, including a subagent's", async () => {
  session.setModes({ verbose: true });
  const play = player();
  await play(before("bash"), { agent_id: "x1", tool_use_id: "sub" });
  conduct.find(`${session.id}/x1`)?.setModes({ verbose: true });
  const below = await play(after("bash"), { agent_id: "x1", tool_use_id: "sub" });
  expect(below.systemMessage).toBeUndefined();
  const denied = await play(before("write"));
  expect(denied.systemMessage).toContain("[DEBUG] Tool: shell");
  expect(denied.systemMessage).toContain("[DEBUG] Tool: write_file");
  await play(before("read"));
  const done = await play(after("read"));
  expect(done.systemMessage).toContain("[DEBUG] Tool: read_file");
  expect(JSON.stringify(done.hookSpecificOutput ?? {})).not.toContain("[DEBUG]");
});

it("HOOK-P1 sections lost in a compaction are sent again", async () => {
  const prompt = await session.onPrompt({ toolName });
  scopesOf(session).told.begin({ ...prompt, sections: prompt.sections.slice(1) }, false);
  const play = player();
  const event = { hook_event_name: "UserPromptSubmit", cwd: workspace, prompt: "go on" };
  const said: boolean[] = [];
  for (const next of [event, event, { hook_event_name: "PostCompact", cwd: workspace }, event]) {
    const answer = JSON.stringify(await play(next));
    if (next === event) said.push(answer.includes("Your instructions have changed"));
  }
  expect(said).toEqual([true, false, true]);
});
