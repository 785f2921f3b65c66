import { describe, expect, it } from "vitest";
import type { ApprovalAnswer, ApprovalQuestion, Approver } from "../../base/ports/approver.ts";
import type { ToolPolicy } from "../../base/words/policy.ts";
import { ask } from "../../behavior/policy/policy-decision.ts";
import { testConduct } from "./test/test-conduct.ts";

const asks: ToolPolicy = {
  name: "careful",
  check: ({ tool }) => (tool === "free" ? { kind: "allow" } : ask("Really?")),
};

/** An approver that a test answers for. */
function heldApprover() {
  const asked: { question: ApprovalQuestion; signal: AbortSignal; answer(given: ApprovalAnswer | undefined): void }[] =
    [];
  const approver: Approver = {
    ask: (question, signal) =>
      new Promise((resolve) => {
        asked.push({ question, signal, answer: resolve });
      }),
  };
  return { approver, asked };
}

function opened(approver?: Approver, policies: readonly ToolPolicy[] = [asks]) {
  const world = testConduct({ policies }, approver === undefined ? {} : { approver });
  return { ...world, session: world.open() };
}

const pay = { id: "c1", tool: "pay", args: { amount: 7 } };
const by = "ann";
const tick = () => new Promise((resolve) => setImmediate(resolve));

describe("decide", () => {
  it("AQ-1 without an approver, or if no person is needed, decide equals onCall", async () => {
    expect((await opened().session.decide(pay)).kind).toBe("ask");
    const { approver, asked } = heldApprover();
    expect((await opened(approver).session.decide({ ...pay, tool: "free" })).kind).toBe("allow");
    expect(asked).toEqual([]);
  });

  it.each([
    ["yes", { kind: "allow", because: "approved" }],
    ["no", { kind: "deny", code: "human-no" }],
  ] as const)("AQ-2 decide waits for the person's answer: %s", async (answer, expected) => {
    const { approver, asked } = heldApprover();
    const { session, events } = opened(approver);
    const deciding = session.decide(pay);
    await tick();
    expect(asked[0]?.question).toMatchObject({
      session: session.id,
      rule: "careful",
      tool: "pay",
      question: "Really?",
      input: { amount: 7 },
    });
    asked[0]?.answer({ answer, by });
    expect(await deciding).toMatchObject(expected);
    expect(events.filter(({ type }) => type === "approval")).toMatchObject([{ answer, by }]);
  });

  it("AQ-11 decide reports its question, and the reason of a denial reaches this call, the next one and the record", async () => {
    const { approver } = heldApprover();
    const { session, events } = opened(approver);
    const waits: string[] = [];
    const deciding = session.decide(pay, { onAsking: ({ approval }) => waits.push(approval) });
    await tick();
    const [approval = ""] = waits;
    expect(session.openQuestions()).toMatchObject([{ approval }]);
    session.resolve(approval, "no", by, "it was paid yesterday");
    const reason = `A person denied this (${approval}): Really? Their reason: it was paid yesterday`;
    expect(await deciding).toMatchObject({ kind: "deny", code: "human-no", reason });
    expect(await session.decide({ ...pay, id: "c2" })).toMatchObject({ reason });
    expect(events.find(({ type }) => type === "approval")).toMatchObject({
      answer: "no",
      reason: "it was paid yesterday",
    });
    expect(waits).toHaveLength(1);
  });

  it("AQ-30 a person's no to a rule's question covers the same file, however the command is written, and no other file", async () => {
    const rules = [{ id: "discard-asks", on: "git.discard", effect: "ask", say: "Discard it?" } as const];
    const session = testConduct({ rules }).open();
    const decide = (id: string, command: string) => session.onCall({ id, tool: "shell", args: { command } });
    const asked = await decide("c1", "git checkout -- src/a.js");
    if (asked.kind !== "ask") throw new Error(asked.kind);
    session.resolve(asked.approval, "no", by);
    expect(await decide("c2", "git restore src/a.js")).toMatchObject({ kind: "deny", code: "human-no" });
    expect(await decide("c3", "git restore src/b.js")).toMatchObject({ kind: "ask" });
    expect(await decide("c4", "git stash drop")).toMatchObject({ kind: "ask" });
  });

  it("AQ-3 a wait that times out leaves the question open, and a later yes allows one identical retry", async () => {
    const { approver, asked } = heldApprover();
    const { session } = opened(approver);
    const decision = await session.decide(pay, { waitMs: 1 });
    expect(decision.kind).toBe("ask");
    await session.onResult(pay, { outcome: "cancelled", parts: [] });
    expect(asked[0]?.signal.aborted).toBe(false);
    asked[0]?.answer({ answer: "yes", by });
    await tick();
    expect(await session.decide({ ...pay, id: "c2" })).toMatchObject({ kind: "allow", because: "approved" });
    const third = session.decide({ ...pay, id: "c3" }, { waitMs: 1 });
    expect((await third).kind).toBe("ask");
    expect(asked).toHaveLength(2);
  });

  it("AQ-4 a question is asked once, however many calls wait for it, and each yes allows one call", async () => {
    const { approver, asked } = heldApprover();
    const { session } = opened(approver);
    const both = [session.decide(pay), session.decide({ ...pay, id: "c2" })];
    await tick();
    expect(asked).toHaveLength(1);
    asked[0]?.answer({ answer: "yes", by });
    expect((await Promise.all(both)).map(({ kind }) => kind).sort()).toEqual(["allow", "ask"]);
  });

  it("AQ-5 the question is withdrawn when it is answered elsewhere or the session ends", async () => {
    const { approver, asked } = heldApprover();
    const { session } = opened(approver);
    const deciding = session.decide(pay);
    await tick();
    session.resolve(asked[0]?.question.approval ?? "", "yes", "bob");
    expect(await deciding).toMatchObject({ kind: "allow" });
    expect(asked[0]?.signal.aborted).toBe(true);

    const other = session.decide({ ...pay, id: "c2", args: { amount: 8 } });
    await tick();
    session.notice({ kind: "ended" });
    expect((await other).kind).toBe("ask");
    expect(asked[1]?.signal.aborted).toBe(true);
  });

  it("AQ-6 the caller can cancel the wait for an approval", async () => {
    const { approver } = heldApprover();
    const { session } = opened(approver);
    const controller = new AbortController();
    const deciding = session.decide(pay, { signal: controller.signal });
    await tick();
    controller.abort();
    expect((await deciding).kind).toBe("ask");
    expect((await session.decide({ ...pay, id: "c2" }, { signal: AbortSignal.abort() })).kind).toBe("ask");
  });

  it.each<[string, Approver]>([
    ["throws", { ask: () => Promise.reject(new Error("no line")) }],
    ["answers nonsense", { ask: async () => ({ answer: "maybe", by }) as unknown as ApprovalAnswer }],
    [
      "throws at once",
      {
        ask: () => {
          throw new Error("no line");
        },
      },
    ],
  ])("AQ-7 an approver that %s allows nothing, and a fault is reported to the operator", async (_what, approver) => {
    const { session, events } = opened(approver);
    expect((await session.decide(pay)).kind).toBe("ask");
    expect(events).toContainEqual(
      expect.objectContaining({ type: "fault", fault: expect.objectContaining({ code: "approver-failed" }) }),
    );
  });

  it("AQ-7 a question that the approver cannot answer stays open", async () => {
    const { session } = opened({ ask: async () => undefined });
    expect((await session.decide(pay)).kind).toBe("ask");
  });

  it("AQ-8 an expired question is closed", async () => {
    const { approver, asked } = heldApprover();
    const { session, pass } = opened(approver);
    const deciding = session.decide(pay, { waitMs: 1 });
    await deciding;
    pass(11 * 60_000);
    asked[0]?.answer({ answer: "yes", by });
    await tick();
    expect((await session.decide({ ...pay, id: "c2" }, { waitMs: 1 })).kind).toBe("ask");
  });

  it("AQ-9 a call's reservation is not made twice after an approval, and is released after a denial", async () => {
    const settled: string[] = [];
    const counting: ToolPolicy = {
      name: "counting",
      initial: null,
      check: () => ({ kind: "allow" }),
      onSettled: (_call, outcome) => {
        settled.push(outcome);
        return null;
      },
    };
    const { approver, asked } = heldApprover();
    const { session } = opened(approver, [asks, counting]);
    const yes = session.decide(pay);
    await tick();
    asked[0]?.answer({ answer: "yes", by });
    await yes;
    expect(settled).toEqual(["cancelled"]);
    await session.onResult(pay, { outcome: "ok", parts: [] });
    expect(settled).toEqual(["cancelled", "ok"]);
    expect(session.view.usage.calls).toBe(1);
    const no = session.decide({ ...pay, id: "c2", args: { amount: 9 } });
    await tick();
    asked[1]?.answer({ answer: "no", by });
    await no;
    expect(settled).toEqual(["cancelled", "ok", "cancelled"]);
    expect(session.view.usage.calls).toBe(1);
  });

  it("AQ-10 the person sees the arguments as rules have rewritten them, and the call runs with these", async () => {
    const rewriting: ToolPolicy = {
      name: "capped",
      rewrites: true,
      check: ({ args }) => ({ kind: "rules", findings: [], input: { ...args, amount: 5 } }),
    };
    const { approver, asked } = heldApprover();
    const { session } = opened(approver, [rewriting, asks]);
    const deciding = session.decide(pay);
    await tick();
    expect(asked[0]?.question.input).toEqual({ amount: 5 });
    asked[0]?.answer({ answer: "yes", by });
    expect(await deciding).toMatchObject({ kind: "allow", input: { amount: 5 } });
    // A runtime that asks twice about one call gets the same arguments twice.
    expect(await session.onCall(pay)).toMatchObject({ kind: "allow", input: { amount: 5 } });
  });
});
