import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AnyPolicy } from "../../base/words/hosting/agent.ts";
import { ReadBeforeWritePolicy } from "../../behavior/policy/builtin/read-before-write-policy.ts";
import { testConduct } from "./test/test-conduct.ts";

import { ok, orderPolicy as order, play } from "./test/test-play.ts";

/** All of a snapshot but where it was taken: a session that goes on has told so since. */
function stateIn(snapshot: string): unknown {
  const { point, checksum, ...state } = JSON.parse(snapshot);
  expect(point.seq).toBeGreaterThan(0);
  expect(checksum).toMatch(/^[0-9a-f]{20}$/);
  return state;
}

describe("snapshots", () => {
  it("SS-1 restore rolls evidence back, but not the call log or the spent budget", async () => {
    const { open } = testConduct({ policies: [order()] });
    const session = open();
    const before = session.snapshot();
    await play(session, "test");
    session.notice({ kind: "usage", inputTokens: 7 });
    expect(await play(session, "deploy")).toBe("allow");
    session.restore(before);
    expect(await play(session, "deploy")).toBe("deny");
    expect(session.view.callCount).toBe(3);
    expect(session.view.usage.inputTokens).toBe(7);
  });

  it("SS-2 a session resumed from a snapshot in a new process decides as the old one would have", async () => {
    const policies = () => [order(), new ReadBeforeWritePolicy()];
    const first = testConduct({ policies: policies() });
    first.files.set("/w/a", "one");
    const session = first.open({ id: "s" });
    await session.onMessage({ text: "go" });
    await play(session, "test");
    await play(session, "read_file", ok, { path: "a" });
    const text = session.serialise();

    const second = testConduct({ policies: policies() });
    second.files.set("/w/a", "one");
    const resumed = second.open({ snapshot: text });
    expect(resumed.id).toBe("s");
    expect(stateIn(resumed.serialise())).toEqual(stateIn(text));
    expect(await play(resumed, "deploy")).toBe("allow");
    expect(await play(resumed, "write_file", ok, { path: "a" })).toBe("allow");
    expect(resumed.view.turn).toBe(1);
    expect(second.events[0]).toMatchObject({ type: "session", change: "resumed" });
  });

  it("SS-3 a snapshot of any history round-trips exactly, even in the middle of a step", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            tool: fc.constantFrom("test", "deploy", "read_file", "write_file"),
            path: fc.constantFrom("a", "b", "../x"),
            outcome: fc.constantFrom("ok", "failed", "unknown", "none" as const),
            step: fc.constantFrom("1", "2", undefined),
          }),
          { maxLength: 20 },
        ),
        async (history) => {
          const setup = { policies: [order(), new ReadBeforeWritePolicy()] };
          const { open, files } = testConduct(setup);
          files.set("/w/a", "one");
          const session = open({ id: "s" });
          for (const [i, { tool, path, outcome, step }] of history.entries()) {
            const call = { id: `h${i}`, tool, args: { path }, ...(step === undefined ? {} : { step }) };
            const { kind } = await session.onCall(call);
            if (kind === "allow" && outcome !== "none") await session.onResult(call, { ...ok, outcome });
          }
          const text = session.serialise();
          const other = testConduct(setup);
          other.files.set("/w/a", "one");
          const resumed = other.open({ snapshot: text });
          expect(stateIn(resumed.serialise())).toEqual(stateIn(text));
          for (const tool of ["deploy", "write_file"]) {
            const call = { id: `after ${tool}`, tool, args: { path: "a" }, step: "9" };
            expect((await resumed.onCall(call)).kind).toBe((await session.onCall(call)).kind);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it.each([
    ["damaged", (text: string) => text.replace('"inputTokens":7', '"inputTokens":0'), "snapshot-checksum"],
    ["cut off", (text: string) => text.slice(0, 40), "snapshot-not-json"],
  ])("SS-4 a %s snapshot is rejected with a fix", (_what, damage, code) => {
    const { open, conduct } = testConduct();
    const session = open({ id: "s" });
    session.notice({ kind: "usage", inputTokens: 7 });
    const text = damage(session.serialise());
    session.notice({ kind: "ended" });
    expect(() => open({ id: "s", snapshot: text })).toThrow(expect.objectContaining({ code }));
    expect(() => open({ id: "s", snapshot: text })).toThrow("restore the snapshot from a copy");
    expect(conduct.find("s")).toBeUndefined();
  });

  it("SS-5 a snapshot of another session or agent is rejected", () => {
    const { open } = testConduct();
    const [a, b] = [open({ id: "a" }), open({ id: "b" })];
    expect(() => a.restore(b.snapshot())).toThrow("session 'b'");
    const text = b.serialise();
    b.notice({ kind: "ended" });
    expect(() => open({ id: "c", snapshot: text })).toThrow("session 'b'");
    expect(() => open({ agent: "other", snapshot: text })).toThrow("agent 'agent'");
    expect(() => open({ id: "a" })).toThrow("already open");
    expect(() => open({ agent: "agnet" })).toThrow("did you mean 'agent'");
  });

  it("SS-6 reset clears both evidence and log", async () => {
    const session = testConduct({ policies: [order()] }).open();
    await play(session, "test");
    session.reset();
    expect(session.view.callCount).toBe(0);
    expect(await play(session, "deploy")).toBe("deny");
  });

  it.each<[string, () => unknown]>([
    [
      "throws",
      () => {
        throw new Error("boom");
      },
    ],
    ["answers with a promise", async () => 1],
    ["answers nothing", () => undefined],
    ["answers with a function", () => () => 1],
  ])(
    "SS-7 a policy that %s in onResult stays broken, because it may have missed a reason to deny",
    async (_what, onResult) => {
      const broken: AnyPolicy = { name: "broken", check: () => ({ kind: "allow" }), onResult: onResult as never };
      const { open, events } = testConduct({ policies: [broken, order()] });
      const session = open();
      const before = session.snapshot();
      await play(session, "test");
      expect(events.some((event) => event.type === "fault" && event.fault.where === "policy broken")).toBe(true);
      expect(await session.onCall({ id: "x", tool: "look", args: {} })).toMatchObject({
        rule: "broken",
        code: "policy-error",
      });
      session.restore(before);
      expect((await session.onCall({ id: "y", tool: "look", args: {} })).kind).toBe("allow");
    },
  );

  it("SS-8 a policy that exceeds the time limit in onResult is broken too", async () => {
    const { open, time } = testConduct({
      policies: [
        {
          name: "slow",
          check: () => ({ kind: "allow" }),
          onResult: () => {
            time.monotonic += 300;
            return 1;
          },
        },
      ],
    });
    const session = open();
    await play(session, "test");
    expect(await session.onCall({ id: "x", tool: "look", args: {} })).toMatchObject({
      rule: "slow",
      code: "policy-error",
    });
  });

  it("SS-9 state that cannot be serialised is rejected when it is written, not lost when it is read", async () => {
    for (const value of [new Map([["a", 1]]), Number.NaN]) {
      const policy: AnyPolicy = { name: "p", check: () => ({ kind: "allow" }), onResult: () => value as never };
      const session = testConduct({ policies: [policy] }).open();
      await play(session, "test");
      expect(() => session.serialise()).toThrow("cannot be stored in a snapshot");
    }
  });

  it("SS-10 restore does not bring back a revoked elevation", () => {
    const session = testConduct().open({ modes: { elevated: true } });
    const before = session.snapshot();
    session.setModes({ elevated: false });
    session.restore(before);
    expect(session.view.modes.elevated).toBe(false);
  });

  it("SS-11 a resumed session has the same deadline, budget, user, channel and parent", async () => {
    const first = testConduct();
    const session = first.open({ id: "s", user: "ann", channel: "web", deadline: 1_500_000, budget: { calls: 1 } });
    const child = session.child("c");
    const [text, below] = [session.serialise(), child.serialise()];
    const second = testConduct();
    second.time.now = 1_600_000;
    const resumed = second.open({ snapshot: text, deadline: 9_000_000, budget: { calls: 99 } });
    expect(resumed.view).toMatchObject({ user: "ann", channel: "web", deadline: 1_500_000, budget: { calls: 1 } });
    expect(await play(resumed, "x")).toBe("deny");
    expect(() => second.open({ snapshot: below })).toThrow("a child of session 's'");
    expect(resumed.child("c", { snapshot: below }).view.parent).toBe("s");
  });

  it("SS-12 an ended session cannot be reset or resumed, and its children cannot continue", async () => {
    const { open } = testConduct();
    const session = open({ id: "s" });
    const child = session.child("c");
    session.notice({ kind: "ended" });
    expect(await play(child, "x")).toBe("deny");
    expect(() => session.reset()).toThrow("has ended");
    const text = session.serialise();
    expect(() => open({ snapshot: text })).toThrow("had ended");
  });
});
