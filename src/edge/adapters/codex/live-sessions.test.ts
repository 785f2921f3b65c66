import { describe, expect, it } from "vitest";
import type { ToolPolicy } from "../../../base/words/policy.ts";
import { useHooks } from "./test/hooks.ts";

const asking: ToolPolicy = { name: "asking", check: () => ({ kind: "ask", question: "Really?" }) };
const codex = useHooks({ name: "clerk", sections: [{ heading: "Task", content: "Marker TOLD-1." }] });
const { hook, say } = codex;

function endings(): readonly string[] {
  return codex.events.flatMap((event) =>
    event.type === "notice" && event.notice.kind === "ended" ? [event.session] : [],
  );
}

describe("a session that has ended in Codex", () => {
  it.each(["SessionStart-resume", "UserPromptSubmit-main", "PreToolUse-exec"])(
    "CX-S1 a session that has ended in Codex continues at %s",
    async (first) => {
      codex.open({}, {}, { sessionOptions: () => ({ budget: { calls: 1 } }) });
      await say("/think:high one");
      await hook("PreModelRequest-main");
      await hook("PreToolUse-exec");
      await hook("PostToolUse-exec-ok");
      await hook("SessionEnd-exec");
      expect(endings()).toEqual([]);
      await hook(first);
      const changes = codex.events.flatMap((event) => (event.type === "session" ? [event.change] : []));
      expect(changes).toEqual(["opened", "resumed"]);
      const view = codex.conduct.find("s")?.view;
      expect(view?.modes).toMatchObject({ think: true, thinkLevel: "high" });
      await say("two");
      expect(view?.usage.calls).toBe(1);
      const { hookSpecificOutput: answer } = await hook("PreToolUse-exec", { tool_use_id: "call_2" });
      expect(answer?.permissionDecision).toBe("deny");
    },
  );

  it("CX-S2 sections that a resumed conversation still has are not sent again", async () => {
    await say("one");
    await hook("PreModelRequest-main");
    await hook("SessionEnd-exec");
    await hook("SessionStart-resume");
    expect(await say("two")).toEqual({});
  });

  it("CX-S3 an ended session can still get the approval that it waits for", async () => {
    codex.open({ policies: [asking] });
    await say("one");
    await hook("PreModelRequest-main");
    const asked = await hook("PreToolUse-exec");
    const approval = /\ba_\w+/.exec(asked.hookSpecificOutput?.permissionDecisionReason ?? "")?.[0] ?? "";
    await hook("SessionEnd-exec");
    codex.conduct.find("s")?.resolve(approval, "yes", "olga");
    await hook("SessionStart-resume");
    await say("go on");
    await hook("PreModelRequest-main");
    expect(await hook("PreToolUse-exec", { tool_use_id: "call_2" })).toEqual({});
  });

  it("CX-S4 a subagent is a child session, and is stored with its root", async () => {
    await say("one");
    await say("a part of it", { agent_id: "child" });
    codex.conduct.find("child")?.setModes({ think: true });
    await hook("SessionEnd-exec");
    await hook("SessionStart-resume");
    await say("go on", { agent_id: "child" });
    expect(codex.events.filter(({ session }) => session === "child")[0]).toMatchObject({ parent: "s" });
    expect(codex.conduct.find("child")?.view).toMatchObject({ turn: 2, modes: { think: true } });
  });

  it("CX-S5 an ended session and its subagents are dropped after too many later sessions have ended", async () => {
    codex.open({}, {}, { keep: 2 });
    const end = async (session_id: string) => {
      await say("one", { session_id });
      await hook("SessionEnd-exec", { session_id });
    };
    await say("a part of it", { agent_id: "child" });
    for (const session of ["s", "t", "u"]) await end(session);
    expect(endings()).toEqual(["s", "child"]);
    await say("again", { session_id: "t" });
    await end("v");
    expect(endings()).toEqual(["s", "child"]);
    await end("w");
    expect(endings()).toEqual(["s", "child", "u"]);
    await say("anew");
    expect(codex.conduct.find("s")?.view.turn).toBe(1);
  });

  it("CX-S7 a late Stop of an ended session is not checked, and resumes nothing", async () => {
    await say("one");
    await hook("SessionEnd-exec");
    expect(await hook("Stop-first")).toEqual({});
    const changes = codex.events.flatMap((event) => (event.type === "session" ? [event.change] : []));
    expect(changes).toEqual(["opened"]);
  });

  it("CX-S6 the end of an unknown session opens none", async () => {
    expect(await hook("SessionEnd-exec")).toEqual({});
    expect(codex.events).toEqual([]);
  });
});
