import type { HookJSONOutput, Options } from "@anthropic-ai/claude-agent-sdk";
import { describe, expect, it } from "vitest";
import type { Session } from "../../src/engine/session/session.ts";
import { decisionsOn, resultOf } from "../../src/testing/kit/expect.ts";
import { asking, outcomes, play, release, scripts, shell } from "./play.ts";

describe("fails closed", () => {
  it("a session that throws on a call blocks it, and says why", async () => {
    const outcome = await play(
      {},
      { script: [{ calls: [shell("call_1", "touch ran.txt")] }, { text: "Blocked." }] },
      { prepare: (session) => Object.assign(session, { onCall: () => Promise.reject(new Error("store is gone")) }) },
    );
    expect(resultOf(outcome, "call_1")).toContain("could not be checked (store is gone)");
    expect(outcome.file("ran.txt")).toBeUndefined();
  });

  it("a session that throws on a result withholds it", async () => {
    const outcome = await play(
      {},
      { script: [{ calls: [shell("call_1", "echo SECRET")] }, { text: "Nothing." }] },
      { prepare: (session) => Object.assign(session, { onResult: () => Promise.reject(new Error("no disk")) }) },
    );
    expect(resultOf(outcome, "call_1")).toContain("Conduct withheld this result");
    expect(resultOf(outcome, "call_1")).not.toContain("SECRET");
  });

  it("a session that throws on the first message begins no query", async () => {
    const gone = play(
      {},
      { script: [{ text: "Never said." }] },
      { prepare: (session) => Object.assign(session, { onMessage: () => Promise.reject(new Error("gone")) }) },
    );
    await expect(gone).rejects.toThrow("gone");
  });

  it.each([
    { how: "a later one", more: { streamed: ["one", "two"] }, requests: 1 },
    { how: "one of a host's own query", more: { withConductAlone: true }, requests: 0 },
  ])("a session that throws on $how stops the turn before the model is asked", async ({ more, requests }) => {
    const failsOn = (session: Session) => {
      const { onMessage } = session;
      let left = requests;
      const fails: Session["onMessage"] = (message) =>
        left-- > 0 ? onMessage.call(session, message) : Promise.reject(new Error("gone"));
      Object.assign(session, { onMessage: fails });
    };
    const outcome = await play(
      {},
      { script: [{ text: "One." }, { text: "Never said." }] },
      { ...more, prepare: failsOn },
    );
    expect(outcome.requests).toHaveLength(requests);
  });

  it("a stop that cannot be checked is refused once", async () => {
    const outcome = await play(
      {},
      { script: [{ text: "Done." }, { text: "Done again." }] },
      { prepare: (session) => Object.assign(session, { onStop: () => Promise.reject(new Error("gone")) }) },
    );
    expect(outcome.requests).toHaveLength(2);
    expect(outcome.requests[1]?.raw).toContain("could not check whether the work is complete");
  });

  it("project settings cannot switch the hooks off", async () => {
    const settings = JSON.stringify({ disableAllHooks: true, hooks: {} });
    const outcome = await play(
      release,
      {
        files: { ...scripts, ".claude/settings.json": settings, ".claude/settings.local.json": settings },
        script: [{ calls: [shell("call_1", "sh deploy.sh")] }, { text: "No." }],
      },
      { options: { settingSources: ["user", "project", "local"] } },
    );
    expect(resultOf(outcome, "call_1")).toContain("requires: test");
    expect(outcome.file("deployed.txt")).toBeUndefined();
  });
});

describe("denials and questions", () => {
  it("the denial that ends the turn does: the model is not asked again", async () => {
    const again = Array.from({ length: 12 }, (_, i) => ({ calls: [shell(`call_${i + 1}`, "sh deploy.sh")] }));
    const outcome = await play(release, { files: scripts, script: again });
    const denials = outcome.events.flatMap((event) =>
      event.type === "call" && event.decision.kind === "deny" ? [event.decision.endTurn] : [],
    );
    expect(denials.at(-1)).toBe(true);
    expect(denials.filter((ends) => ends)).toHaveLength(1);
    expect(outcome.requests).toHaveLength(denials.length);
    expect(outcome.messages.at(-1)).toMatchObject({ type: "result", stop_reason: "tool_use" });
  });

  it("with nobody to ask a question denies, and stays open", async () => {
    const outcome = await play(
      { policies: [asking] },
      {
        script: [
          { calls: [shell("call_1", "touch ran.txt")] },
          { calls: [shell("call_2", "touch ran.txt")] },
          { text: "No." },
        ],
      },
    );
    expect(resultOf(outcome, "call_1")).toContain("Waiting for a person's approval");
    expect(decisionsOn(outcome, "call_2")).toEqual(["ask"]);
    expect(outcome.file("ran.txt")).toBeUndefined();
  });

  it("a person's yes runs the call once, a no holds for the session", async () => {
    const asked: string[] = [];
    const canUseTool: NonNullable<Options["canUseTool"]> = async (_tool, input, { decisionReason }) => {
      asked.push(decisionReason ?? "");
      return input.command === "touch no.txt" ? { behavior: "deny", message: "not today" } : { behavior: "allow" };
    };
    const calls = ["touch yes.txt", "touch no.txt", "touch no.txt"].map((command, i) => ({
      calls: [shell(`call_${i}`, command)],
    }));
    const outcome = await play(
      { policies: [asking] },
      { script: [...calls, { text: "Done." }] },
      { options: { canUseTool, allowedTools: [] } },
    );
    expect(asked).toHaveLength(2);
    expect(asked[0]).toContain("May it run this?");
    expect(outcomes(outcome)).toEqual(["call_0 ok", "call_1 denied"]);
    expect(outcome.file("yes.txt")).toBe("");
    expect(resultOf(outcome, "call_2")).toContain("A person denied this");
  });

  it("an allow grants nothing: the runtime's own rules still refuse, and that proves nothing", async () => {
    const outcome = await play(
      release,
      {
        files: scripts,
        script: [
          { calls: [shell("call_1", "sh test.sh")] },
          { calls: [shell("call_2", "sh deploy.sh")] },
          { text: "No." },
        ],
      },
      { options: { allowedTools: ["Read"] } },
    );
    expect(outcomes(outcome)).toEqual(["call_1 denied"]);
    expect(resultOf(outcome, "call_2")).toContain("requires: test");
  });
});

describe("the host's own hooks", () => {
  it("run beside Conduct's", async () => {
    const seen: string[] = [];
    const hook = async (input: { hook_event_name: string }): Promise<HookJSONOutput> => {
      seen.push(input.hook_event_name);
      return {};
    };
    const hooks = { PreToolUse: [{ matcher: "Bash", hooks: [hook] }], Stop: [{ hooks: [hook] }] };
    const outcome = await play(
      release,
      { files: scripts, script: [{ calls: [shell("call_1", "sh deploy.sh")] }, { text: "No." }] },
      { options: { hooks } },
    );
    expect(seen).toEqual(["PreToolUse", "Stop"]);
    expect(resultOf(outcome, "call_1")).toContain("requires: test");
  });

  it("an input that another hook rewrites after the decision proves nothing", async () => {
    const rewrite = async (): Promise<HookJSONOutput> => ({
      hookSpecificOutput: { hookEventName: "PreToolUse", updatedInput: { command: "echo something else" } },
    });
    const outcome = await play(
      release,
      { files: scripts, script: [{ calls: [shell("call_1", "sh test.sh")] }, { text: "Done." }] },
      { options: { hooks: { PreToolUse: [{ hooks: [rewrite] }] } } },
    );
    expect(resultOf(outcome, "call_1")).toBe("something else");
    expect(outcomes(outcome)).toEqual(["call_1 unknown"]);
  });
});
