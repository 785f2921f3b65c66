import { describe, expect, it } from "vitest";
import type { ToolPolicy } from "../../base/words/policy.ts";
import { FileOutputChecker } from "../../behavior/completion/completion-checkers.ts";
import { StaticFeedbackProvider } from "../../behavior/feedback/feedback-providers.ts";
import { ask } from "../../behavior/policy/policy-decision.ts";
import { testConduct } from "../session/test/test-conduct.ts";
import { orderPolicy as order, play } from "../session/test/test-play.ts";

const strict = {
  policies: [order()],
  feedback: [{ provider: new StaticFeedbackProvider({ feedback: "Slow down." }), trigger: { everyNCalls: 1 } }],
  completion: new FileOutputChecker({ files: ["report.md"] }),
  limits: { window: 1_000 },
};
const long = { outcome: "ok", parts: [{ kind: "text", text: "word ".repeat(4_000) }] } as const;

describe("a session in shadow", () => {
  it("SH-1 a session in shadow mode decides and records everything, and the agent notices nothing", async () => {
    const { open, events } = testConduct(strict);
    const session = open({ enforcement: "shadow" });
    expect(await session.onMessage({ text: "/think high ship it" })).toEqual(
      expect.objectContaining({ text: "/think high ship it", notes: [] }),
    );
    expect(session.view.modes.think).toBe(false);
    expect(await session.onPrompt()).toMatchObject({ text: "", sections: [], tokens: 0 });
    const call = { id: "1", tool: "deploy", args: {} };
    expect(await session.onCall(call)).toMatchObject({ kind: "allow", because: "shadow", advice: [] });
    expect(await session.onResult(call, long)).toEqual({ result: long, changed: false });
    expect(await session.onStop()).toEqual({ done: true, status: "incomplete" });
    expect(events.every(({ observing }) => observing === "shadow")).toBe(true);
    const [decided] = events.filter((event) => event.type === "call");
    expect(decided).toMatchObject({ shadows: [{ code: "missing-prerequisite", reason: expect.any(String) }] });
    expect(events.filter((event) => event.type === "prompt")[0]).toMatchObject({ tokens: expect.any(Number) });
    expect(events.filter((event) => event.type === "stop")[0]).toMatchObject({ status: "refused", refusals: 0 });
    expect(Object.values(session.shadowCounts())).toEqual([1]);
  });

  it("SH-2 a call that passed in shadow mode is evidence, so later calls are judged by real events", async () => {
    const { open, events } = testConduct(strict);
    const session = open({ enforcement: "shadow" });
    await play(session, "deploy");
    await play(session, "test");
    await play(session, "deploy");
    const objections = events.flatMap((event) => (event.type === "call" ? [event.shadows?.length ?? 0] : []));
    expect(objections).toEqual([1, 0, 0]);
  });

  it("SH-3 a subagent runs in shadow mode if its parent does, and is enforced if its parent is", async () => {
    const { open } = testConduct(strict);
    expect(await play(open({ enforcement: "shadow" }).child("below"), "deploy")).toBe("allow");
    expect(await play(open().child("below2"), "deploy")).toBe("deny");
  });

  it("SH-4 a pause lets every call pass while it lasts, and no longer", async () => {
    let paused = false;
    const { open, events } = testConduct(strict, { paused: () => paused });
    const session = open();
    expect(await play(session, "deploy")).toBe("deny");
    paused = true;
    expect(await play(session, "deploy")).toBe("allow");
    expect(events.filter((event) => event.type === "call").at(-1)).toMatchObject({
      observing: "paused",
      decision: { because: "paused" },
    });
    paused = false;
    expect(await play(session, "deploy")).toBe("deny");
  });

  it("SH-8 in shadow mode the record tells a rule that would have asked from one that would have denied", async () => {
    const asks: ToolPolicy = { name: "asks", check: () => ask("Deploy it?") };
    const { open, events } = testConduct({ policies: [asks] });
    expect(await play(open({ enforcement: "shadow" }), "deploy")).toBe("allow");
    const [decided] = events.filter((event) => event.type === "call");
    expect(decided).toMatchObject({ shadows: [{ rule: "asks", reason: "Deploy it?", asks: true }] });
  });

  it("SH-5 in shadow mode an unreadable result is passed on unchanged", async () => {
    const { open } = testConduct(strict);
    const session = open({ enforcement: "shadow" });
    const call = { id: "1", tool: "cat", args: {} };
    await session.onCall(call);
    const broken = { outcome: "ok" } as never;
    expect(await session.onResult(call, broken)).toEqual({ result: broken, changed: false });
  });
});
