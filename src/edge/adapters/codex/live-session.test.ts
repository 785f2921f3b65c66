import { describe, expect, it } from "vitest";
import type { ToolPolicy } from "../../../base/words/policy.ts";
import { memoryStores } from "../../stores/home-stores.ts";
import type { LiveSession } from "./live-session.ts";
import { readState, writeState } from "./live-session.ts";
import { useHooks } from "./test/hooks.ts";
import type { CodexAnswer } from "./translate.ts";

const once: ToolPolicy<number> = {
  name: "once",
  initial: 0,
  check: (_call, { state }) => (state > 0 ? { kind: "deny", reason: "One is enough." } : { kind: "allow" }),
  onDecided: (_call, _decided, { state }) => state + 1,
};
const codex = useHooks({
  name: "clerk",
  policies: [once],
  sections: [{ heading: "Task", content: "Marker TOLD-1." }],
});
const { hook, say } = codex;

/** A turn with a call that is allowed, one that is not, and a second message. */
const TURN: readonly (() => Promise<CodexAnswer>)[] = [
  () => hook("SessionStart-startup"),
  () => say("one"),
  () => hook("PreModelRequest-main"),
  () => hook("PreToolUse-exec"),
  () => hook("PostToolUse-exec-ok"),
  () => hook("PreModelRequest-main"),
  () => hook("PreToolUse-exec", { tool_use_id: "call_2" }),
  () => hook("Stop-first"),
  () => say("two"),
  () => hook("PreModelRequest-main"),
  () => hook("PreToolUse-exec", { tool_use_id: "call_3" }),
  () => say("part of it", { agent_id: "child" }),
  () => hook("PreToolUse-exec", { tool_use_id: "call_4", agent_id: "child" }),
];

describe("a session of Codex that is kept", () => {
  it("CX-K1 a stored session gives the same answers if the daemon is restarted before every hook", async () => {
    const play = async (restarts: boolean): Promise<readonly CodexAnswer[]> => {
      const store = memoryStores().sessions;
      const answers: CodexAnswer[] = [];
      for (const [at, event] of TURN.entries()) {
        if (at === 0 || restarts) codex.open({}, {}, { saves: { store, now: () => 0, onFailure: "reject" } });
        answers.push(await event());
      }
      return answers;
    };
    const straight = await play(false);
    expect(await play(true)).toEqual(straight);
    expect(straight[6]?.hookSpecificOutput?.permissionDecision).toBe("deny");
    expect(straight[8]).toEqual({});
  });

  it("CX-K2 a decision that could not be saved is not sent: the call is blocked", async () => {
    const store = { ...memoryStores().sessions, save: async () => Promise.reject(new Error("the disk is full")) };
    codex.open({}, {}, { saves: { store, now: () => 0, onFailure: "reject" } });
    const answer = await hook("PreToolUse-exec");
    expect(answer.hookSpecificOutput).toMatchObject({
      permissionDecision: "deny",
      permissionDecisionReason: expect.stringContaining("the disk is full"),
    });
  });

  it("CX-K3 the adapter's saved state is restored unchanged", () => {
    const live: Omit<LiveSession, "session"> = {
      root: "/w",
      calls: new Map([
        ["c1", { use: { id: "c1", name: "Bash", input: { command: "ls" } }, tool: "shell", folder: "/w" }],
      ]),
      step: 7,
      prompt: { had: { prefix: "a", rest: [] }, given: { prefix: "b", rest: [{ contributor: "time", hash: "h" }] } },
      owed: ["one", "two"],
      endedTurn: "t1",
      interactive: true,
      transcript: "/r.jsonl",
    };
    expect(readState(writeState(live as LiveSession))).toEqual(live);
    expect(readState({})).toEqual({ root: "", interactive: false, calls: new Map(), step: 0, prompt: {}, owed: [] });
  });
});
