import { describe, expect, it } from "vitest";
import { isCodeMode, readCodexEvent } from "./events.ts";
import { recorded, recordedEvent } from "./test/recorded.ts";

describe("readCodexEvent", () => {
  it("a subagent's events belong to a session of their own, under the root's", () => {
    const { session, root, use } = recordedEvent("PreToolUse", "PreToolUse-exec-subagent");
    expect(session).not.toBe(root);
    expect(use).toMatchObject({ id: "call_child", name: "Bash", input: { command: "echo child" } });
    expect(recordedEvent("PreToolUse", "PreToolUse-exec")).toMatchObject({ cwd: "/workspace", use: { id: "call_A" } });
  });

  it("at SubagentStop the rollout is the subagent's, not its parent's", () => {
    const { session, transcript, output } = recordedEvent("SubagentStop", "SubagentStop-default");
    expect(transcript).toContain(session);
    expect(output).toBe("child done");
  });

  it("an ephemeral session has no rollout", () => {
    expect(recordedEvent("PostToolUse", "PostToolUse-exec-ephemeral").transcript).toBeUndefined();
  });

  it("usage is what the request took", () => {
    expect(recordedEvent("PostModelRequest", "PostModelRequest-main").usage).toEqual({
      inputTokens: 100,
      outputTokens: 10,
    });
  });

  it("calls made in a script are told by their ids", () => {
    expect(isCodeMode(recordedEvent("PreToolUse", "PreToolUse-exec-codemode").use)).toBe(true);
    expect(isCodeMode(recordedEvent("PreToolUse", "PreToolUse-exec").use)).toBe(false);
    expect(isCodeMode({ id: "exec-me" })).toBe(false);
  });

  it.each([
    [null, "not a JSON object"],
    [[], "not a JSON object"],
    [{}, "no hook_event_name"],
    [{ hook_event_name: "Stop" }, "no session_id"],
    [{ hook_event_name: "Stop", session_id: "s" }, "no cwd"],
    [{ ...recorded("PreToolUse-exec"), tool_use_id: 7 }, "no tool_use_id"],
    [{ ...recorded("UserPromptSubmit-main"), prompt: null }, "no prompt"],
  ])("%j is a fault", (given, fault) => {
    expect(readCodexEvent(given)).toEqual({ fault: expect.stringContaining(fault) });
  });

  it("an event that Conduct does not act on is read all the same", () => {
    expect(recordedEvent("other", "PreCompact-auto").kind).toBe("other");
  });
});
