import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AnyPolicy } from "../../base/words/agent.ts";
import type { ToolResult } from "../../base/words/result.ts";
import { CompositeChecker } from "../../behavior/completion/composite-checker.ts";
import { EvidenceChecker } from "../../behavior/completion/evidence-checker.ts";
import { FileOutputChecker } from "../../behavior/completion/file-output-checker.ts";
import { StaticFeedbackProvider } from "../../behavior/feedback/static-feedback-provider.ts";
import { ReadBeforeWritePolicy } from "../../behavior/policy/read-before-write-policy.ts";
import { SequentialDependencyPolicy } from "../../behavior/policy/sequential-dependency-policy.ts";
import { defineAgent } from "../agent/define-agent.ts";
import { Conduct } from "./conduct.ts";
import type { Session } from "./session.ts";
import { testConduct } from "./test-conduct.ts";

const order = () => new SequentialDependencyPolicy({ dependencies: { deploy: ["test"] } });
const ok: ToolResult = { outcome: "ok", parts: [{ kind: "text", text: "fine" }] };

let made = 0;
async function play(session: Session, tool: string, result: ToolResult = ok, args = {}): Promise<string> {
  made += 1;
  const call = { id: `c${made}`, tool, args };
  const decision = await session.onCall(call);
  if (decision.kind === "allow") await session.onResult(call, result);
  return decision.kind;
}

describe("snapshots", () => {
  it("SS-1 restore rolls evidence back; the call log and what was spent stay", async () => {
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

  it("SS-2 a snapshot survives a restart: the new process decides as the old one would have", async () => {
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
    expect(resumed.serialise()).toBe(text);
    expect(await play(resumed, "deploy")).toBe("allow");
    expect(await play(resumed, "write_file", ok, { path: "a" })).toBe("allow");
    expect(resumed.view.turn).toBe(1);
    expect(second.events[0]).toMatchObject({ type: "session", change: "resumed" });
  });

  it("SS-3 any history round-trips exactly, in the middle of a step too", async () => {
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
          expect(resumed.serialise()).toBe(text);
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
  ])("SS-4 a %s snapshot opens nothing and says what to do", (_what, damage, code) => {
    const { open, conduct } = testConduct();
    const session = open({ id: "s" });
    session.notice({ kind: "usage", inputTokens: 7 });
    const text = damage(session.serialise());
    session.notice({ kind: "ended" });
    expect(() => open({ id: "s", snapshot: text })).toThrow(expect.objectContaining({ code }));
    expect(() => open({ id: "s", snapshot: text })).toThrow("restore the snapshot from a copy");
    expect(conduct.find("s")).toBeUndefined();
  });

  it("SS-5 a snapshot of another session or agent is refused", () => {
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

  it("SS-6 reset forgets evidence and log alike", async () => {
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
    "SS-7 a policy that %s in onResult is broken from then on: it may have missed what it had to deny",
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

  it("SS-8 a policy that takes too long over a result is broken too", async () => {
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

  it("SS-9 state that a snapshot cannot hold is refused when it is written, not lost when it is read", async () => {
    for (const value of [new Map([["a", 1]]), Number.NaN]) {
      const policy: AnyPolicy = { name: "p", check: () => ({ kind: "allow" }), onResult: () => value as never };
      const session = testConduct({ policies: [policy] }).open();
      await play(session, "test");
      expect(() => session.serialise()).toThrow("cannot be kept in a snapshot");
    }
  });

  it("SS-10 restore does not bring back an elevation that was taken away", () => {
    const session = testConduct().open({ modes: { elevated: true } });
    const before = session.snapshot();
    session.setModes({ elevated: false });
    session.restore(before);
    expect(session.view.modes.elevated).toBe(false);
  });

  it("SS-11 a restart loosens nothing: deadline, budget, user, channel and parent come back", async () => {
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

  it("SS-12 ended is final: no reset, no resume, no child that goes on", async () => {
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

describe("budgets and time", () => {
  it("BT-1 a budget of calls lets that many through, and the next is denied with its figures", async () => {
    const session = testConduct({ limits: { calls: 2 } }).open();
    expect([await play(session, "a"), await play(session, "b")]).toEqual(["allow", "allow"]);
    expect(await session.onCall({ id: "x", tool: "c", args: {} })).toMatchObject({
      code: "budget",
      reason: expect.stringContaining("calls"),
    });
  });

  it("BT-2 calls under way are reserved; denied and cancelled ones are given back", async () => {
    const session = testConduct({ limits: { calls: 1 } }).open();
    const first = { id: "1", tool: "a", args: {} };
    await session.onCall(first);
    expect((await session.onCall({ id: "2", tool: "a", args: {} })).kind).toBe("deny");
    await session.onResult(first, { outcome: "cancelled", parts: [] });
    expect((await session.onCall({ id: "3", tool: "a", args: {} })).kind).toBe("allow");
  });

  it("BT-3 tokens and cost are settled by usage; a reservation holds its place until then", () => {
    const session = testConduct({ limits: { tokens: 100, cost: 1 } }).open();
    const held = session.reserveBudget({ inputTokens: 80 });
    if (!("reservation" in held)) throw new Error("there is room");
    expect(session.reserveBudget({ inputTokens: 30 })).toEqual({ exhausted: "tokens" });
    session.notice({ kind: "usage", inputTokens: 10, outputTokens: 5, cost: 0.5, reservation: held.reservation });
    expect(session.view.usage).toEqual({ inputTokens: 10, outputTokens: 5, calls: 0, cost: 0.5 });
    expect("reservation" in session.reserveBudget({ inputTokens: 80 })).toBe(true);
  });

  it("BT-4 past the deadline calls are denied, wherever the limit came from", async () => {
    for (const options of [{ deadline: 1_005_000 }, {}]) {
      const { open, pass } = testConduct({ limits: { deadline: 5_000 } });
      const session = open(options);
      expect(await play(session, "a")).toBe("allow");
      pass(5_000);
      expect(await session.onCall({ id: "late", tool: "a", args: {} })).toMatchObject({ code: "deadline" });
    }
  });

  it("BT-5 a clock that jumps back does not stop time: the deadline still comes", async () => {
    const { open, time } = testConduct({ limits: { deadline: 5_000 } });
    const session = open();
    time.now -= 3_600_000;
    time.monotonic += 4_999;
    expect(await play(session, "a")).toBe("allow");
    time.monotonic += 1;
    expect((await session.onCall({ id: "late", tool: "a", args: {} })).kind).toBe("deny");
  });

  it("BT-6 events never go back in time", async () => {
    const { open, time, events } = testConduct();
    const session = open();
    for (const jump of [50, -1_000, 7, -7]) {
      time.now += jump;
      await session.onMessage({ text: "tick" });
    }
    const times = events.map((event) => event.at);
    expect(times).toEqual([...times].sort((a, b) => a - b));
  });
});

describe("bounds given to a session", () => {
  it.each([{ budget: { calls: Number.NaN } }, { deadline: Number.NaN }, { budget: { tokens: -1 } }])(
    "BT-7 %j is refused",
    (options) => {
      expect(() => testConduct().open(options)).toThrow(expect.objectContaining({ code: "bad-limit" }));
    },
  );

  it("BT-8 they tighten the agent's limits and cannot loosen them", () => {
    const { open } = testConduct({ limits: { calls: 5, tokens: 10 } });
    expect(open({ budget: { calls: 99, tokens: 1, cost: 2 } }).view.budget).toEqual({ calls: 5, tokens: 1, cost: 2 });
  });

  it("BT-9 what is wanted of a used-up budget is refused, whatever the figure", () => {
    const session = testConduct({ limits: { tokens: 10 } }).open();
    session.notice({ kind: "usage", inputTokens: 11 });
    for (const inputTokens of [1, Number.NaN, -5])
      expect(session.reserveBudget({ inputTokens })).toEqual({ exhausted: "tokens" });
  });

  it("BT-10 work that is complete with its last call is complete, not bypassed; the figures are those used", async () => {
    const completion = new FileOutputChecker({ files: ["report.md"] });
    const { open, files } = testConduct({ completion, limits: { calls: 1 } });
    const session = open();
    await play(session, "x");
    expect(await session.onCall({ id: "y", tool: "x", args: {} })).toMatchObject({
      reason: expect.stringContaining("1 of 1"),
    });
    expect(await session.onStop()).toMatchObject({ status: "bypassed" });
    files.set("/w/report.md", "x");
    expect(await session.onStop()).toMatchObject({ status: "complete" });
  });

  it("BT-11 time goes on after a jump forward and back", () => {
    const { open, time, pass } = testConduct();
    const session = open();
    time.now += 3_600_000;
    const jumped = session.view.now;
    time.now -= 3_600_000;
    pass(60_000);
    expect(session.view.now).toBe(jumped + 60_000);
  });
});

describe("children", () => {
  it("CH-1 a child has its own evidence, spends its parent's budget, and is never elevated by inheritance", async () => {
    const { open, events } = testConduct({ policies: [order()], limits: { calls: 3 } });
    const parent = open({ id: "p", modes: { elevated: true }, deadline: 2_000_000 });
    const child = parent.child("p/1");
    expect(child.view).toMatchObject({ parent: "p", deadline: 2_000_000, modes: { elevated: false } });
    await play(parent, "test");
    expect(await play(child, "deploy")).toBe("deny");
    await play(child, "test");
    await play(child, "look");
    expect(await parent.onCall({ id: "over", tool: "x", args: {} })).toMatchObject({ code: "budget" });
    expect(await child.onCall({ id: "over", tool: "x", args: {} })).toMatchObject({ code: "budget" });
    expect(events.find((event) => event.session === "p/1" && event.type === "call")).toMatchObject({ parent: "p" });
  });
});

describe("result", () => {
  it("RE-1 a result too large is shortened, kept under a handle, and paged with read_result", async () => {
    const { open, kept } = testConduct({ limits: { window: 1_000 } });
    const session = open();
    const call = { id: "1", tool: "cat", args: {} };
    await session.onCall(call);
    const long = Array.from({ length: 400 }, (_, i) => `line ${i}`).join("\n");
    const { result, changed } = await session.onResult(call, { outcome: "ok", parts: [{ kind: "text", text: long }] });
    const [part] = result.parts;
    if (part?.kind !== "text") throw new Error("a text was expected");
    expect(changed).toBe(true);
    expect(part.text).toContain("⚠️ [Output truncated: ");
    const handle = /"handle":"(r_\d+)"/.exec(part.text)?.[1] ?? "";
    expect(kept.get(`${session.id}/${handle}`)).toBe(long);
    const [tool] = session.tools();
    const page = await tool?.run({ handle, offset: long.indexOf("line 300") });
    expect(JSON.stringify(page)).toContain("line 300");
    expect(await open().tools()[0]?.run({ handle })).toMatchObject({ outcome: "failed" });
  });

  it("RE-2 when the full result cannot be kept, the notice does not promise it", async () => {
    const results = { keep: async () => Promise.reject(new Error("disk full")), read: async () => undefined };
    const { open, events } = testConduct({ limits: { window: 1_000 } }, { results });
    const session = open();
    const call = { id: "1", tool: "cat", args: {} };
    await session.onCall(call);
    const delivered = await session.onResult(call, {
      outcome: "ok",
      parts: [{ kind: "text", text: "word ".repeat(4_000) }],
    });
    expect(JSON.stringify(delivered.result)).toContain("not kept");
    expect(JSON.stringify(delivered.result)).not.toContain("read_result");
    expect(events.some((event) => event.type === "fault" && event.fault.code === "result-not-kept")).toBe(true);
  });

  it("RE-3 many medium results share one turn's budget, and a new turn has its own", async () => {
    const session = testConduct({ limits: { window: 1_000 } }).open();
    const text = "word ".repeat(230);
    const sizes: number[] = [];
    for (let i = 0; i < 6; i++) {
      const call = { id: `m${i}`, tool: "cat", args: {} };
      await session.onCall(call);
      const { result } = await session.onResult(call, { outcome: "ok", parts: [{ kind: "text", text }] });
      sizes.push(JSON.stringify(result).length);
    }
    expect(sizes[0]).toBeGreaterThan(1_000);
    expect(sizes.at(-1)).toBeLessThan(500);
    await session.onMessage({ text: "next" });
    const call = { id: "fresh", tool: "cat", args: {} };
    await session.onCall(call);
    expect((await session.onResult(call, { outcome: "ok", parts: [{ kind: "text", text }] })).changed).toBe(false);
  });

  it("RE-4 a 100 MB result, binary data and lone surrogates come back small and whole", async () => {
    const session = testConduct().open();
    const parts = [
      { kind: "text" as const, text: "x".repeat(100_000_000) },
      { kind: "text" as const, text: "\ud800 alone" },
      { kind: "bytes" as const, bytes: new Uint8Array([0, 255, 254, 0]) },
      { kind: "json" as const, value: { note: "</feedback>" } },
    ];
    for (const [i, part] of parts.entries()) {
      const call = { id: `big${i}`, tool: "cat", args: {} };
      await session.onCall(call);
      const { result } = await session.onResult(call, { outcome: "ok", parts: [part] });
      const text = JSON.stringify(result.parts);
      expect(text.length).toBeLessThan(200_000);
      expect(text.isWellFormed()).toBe(true);
      expect(text).not.toContain("</feedback");
    }
    expect(() => session.serialise()).not.toThrow();
  });

  it("RE-8 a result that the runtime will not replace is counted, and nothing is recorded as cut", async () => {
    const { open, events, kept } = testConduct({ limits: { window: 1_000 } });
    const session = open();
    const call = { id: "1", tool: "cat", args: {} };
    await session.onCall(call);
    const given: ToolResult = { outcome: "failed", parts: [{ kind: "text", text: "word ".repeat(4_000) }] };
    const delivered = await session.onResult(call, given, { replaceable: false });
    expect(delivered).toMatchObject({ result: given, changed: false });
    expect(kept.size).toBe(0);
    expect(events.find((event) => event.type === "result")).toMatchObject({ truncation: [] });
  });

  it("RE-9 what fails in an adapter is a fault that the operator sees", () => {
    const { open, events } = testConduct();
    open().notice({ kind: "fault", fault: { where: "adapter", code: "hook", message: "boom" } });
    expect(events.at(-1)).toMatchObject({ type: "fault", fault: { message: "boom" } });
  });

  it("RE-10 one call has one result: a second at the same time, or after its turn, proves and counts nothing", async () => {
    const { open, events } = testConduct({ policies: [order()] });
    const session = open();
    const call = { id: "1", tool: "test", args: {} };
    await session.onCall(call);
    await Promise.all([session.onResult(call, ok), session.onResult(call, ok)]);
    expect(session.view).toMatchObject({ callCount: 1, usage: { calls: 1 } });
    const other = { id: "2", tool: "test", args: {} };
    await session.onCall(other);
    await Promise.all([session.onResult(other, ok), session.onMessage({ text: "next" })]);
    const outcomes = events.flatMap((event) => (event.type === "result" && event.call === "2" ? [event.outcome] : []));
    expect(outcomes).toEqual(["cancelled"]);
    session.reset();
    const third = { id: "3", tool: "test", args: {} };
    await session.onCall(third);
    const under = session.onResult(third, ok);
    session.reset();
    await under;
    expect(await play(session, "deploy")).toBe("deny");
  });

  it.each<[string, unknown]>([
    ["has no parts", { outcome: "ok" }],
    ["has a part of no kind", { outcome: "ok", parts: [{ kind: "hologram" }] }],
    ["holds a BigInt", { outcome: "ok", parts: [{ kind: "json", value: { a: 1n } }] }],
  ])("RE-11 a result that %s is withheld, and the call proves nothing", async (_what, bad) => {
    const { open, events } = testConduct({ policies: [order()] });
    const session = open();
    const call = { id: "1", tool: "test", args: {} };
    await session.onCall(call);
    const delivered = await session.onResult(call, bad as ToolResult);
    expect(delivered.changed).toBe(true);
    expect(JSON.stringify(delivered)).toContain("withheld");
    expect(await play(session, "deploy")).toBe("deny");
    expect(events.some((event) => event.type === "fault" && event.fault.code === "result-unreadable")).toBe(true);
  });

  it("RE-12 an outcome that nobody knows proves nothing", async () => {
    const session = testConduct({ policies: [order()] }).open();
    expect(await play(session, "test", { outcome: "great", parts: [] } as never)).toBe("allow");
    expect(await play(session, "deploy")).toBe("deny");
    expect(session.view.evidence("test")?.last).toBe("unknown");
  });

  it("RE-13 a call proves to the policies of the agent that made it", async () => {
    const { open } = testConduct({ policies: [order()] });
    const session = open();
    const call = { id: "1", tool: "test", args: {} };
    await session.onCall(call);
    session.useAgent("other");
    await session.onResult(call, ok);
    session.useAgent("agent");
    expect(await play(session, "deploy")).toBe("allow");
  });

  it("RE-5 a result without a call proves nothing, and is told", async () => {
    const { open, events } = testConduct({ policies: [order()] });
    const session = open();
    await session.onResult({ id: "ghost", tool: "test" }, ok);
    expect(await play(session, "deploy")).toBe("deny");
    expect(events.some((event) => event.type === "fault" && event.fault.code === "result-without-call")).toBe(true);
  });

  it("RE-6 a call without a result is cancelled at the end of its turn", async () => {
    const { open, events } = testConduct({ limits: { calls: 1 } });
    const session = open();
    await session.onCall({ id: "1", tool: "a", args: {} });
    await session.onStop();
    expect(events.find((event) => event.type === "result")).toMatchObject({ call: "1", outcome: "cancelled" });
    expect((await session.onCall({ id: "2", tool: "a", args: {} })).kind).toBe("allow");
  });

  it("RE-7 feedback counts denied calls, is scoped to the agent at work, and watches for files", async () => {
    const say = (name: string) => new StaticFeedbackProvider({ name, feedback: `${name} speaks` });
    const { open, files, conduct } = testConduct({
      policies: [order()],
      feedback: [
        { provider: say("third"), trigger: { everyNCalls: 3 } },
        { provider: say("file"), trigger: { onFileCreated: { filename: "AGENTS.md" } } },
      ],
    });
    const session = open();
    const speak = async (tool: string) => {
      made += 1;
      const call = { id: `f${made}`, tool, args: {} };
      const { kind } = await session.onCall(call);
      return kind === "allow" ? (await session.onResult(call, ok)).feedback : kind;
    };
    expect(await speak("a")).toBeUndefined();
    expect(await speak("deploy")).toBe("deny");
    files.set("/w/AGENTS.md", "x");
    expect(await speak("a")).toBe(
      "<feedback provider='third'>\nthird speaks\n</feedback>\n\n<feedback provider='file'>\nfile speaks\n</feedback>",
    );
    session.useAgent("other");
    expect(session.view.callCount).toBe(0);
    expect(session.agent).toBe("other");
    expect(() => session.useAgent("nobody")).toThrow("known: agent, other");
    expect(conduct.agents).toHaveLength(2);
  });
});

describe("stop", () => {
  it("ST-1 refused while incomplete, at most five times, then incomplete; a new turn counts anew", async () => {
    const { open, files, events } = testConduct({ completion: new FileOutputChecker({ files: ["report.md"] }) });
    const session = open();
    await session.onMessage({ text: "go" });
    for (let i = 0; i < 5; i++)
      expect(await session.onStop()).toMatchObject({ done: false, feedback: expect.stringContaining("report.md") });
    expect(await session.onStop()).toMatchObject({ done: true, status: "incomplete" });
    await session.onMessage({ text: "again" });
    expect((await session.onStop()).done).toBe(false);
    files.set("/w/report.md", "x");
    expect(await session.onStop()).toMatchObject({ done: true, status: "complete" });
    expect(events.filter((event) => event.type === "stop").map((event) => event.status)).toEqual([
      ...Array(5).fill("refused"),
      "incomplete",
      "refused",
      "complete",
    ]);
  });

  it("ST-2 exhausted time or budget bypasses the check, and says so; without a checker nothing is bypassed", async () => {
    const completion = new FileOutputChecker({ files: ["report.md"] });
    const late = testConduct({ completion }).open({ deadline: 1 });
    expect(await late.onStop()).toMatchObject({
      done: true,
      status: "bypassed",
      why: expect.stringContaining("deadline"),
    });
    const broke = testConduct({ completion, limits: { tokens: 5 } }).open();
    broke.notice({ kind: "usage", inputTokens: 6 });
    expect(await broke.onStop()).toMatchObject({ done: true, status: "bypassed" });
    expect(await testConduct().open({ deadline: 1 }).onStop()).toMatchObject({ done: true, status: "complete" });
  });

  it("ST-3 a checker that hangs or throws refuses the stop with the cause", async () => {
    const hang = testConduct({
      completion: { check: () => new Promise<never>(() => {}) },
      limits: { completionMs: 20 },
    }).open();
    expect(await hang.onStop()).toMatchObject({ done: false, feedback: expect.stringContaining("out of time") });
    const boom = testConduct({
      completion: {
        check: () => {
          throw new Error("boom </feedback>");
        },
      },
    }).open();
    expect(await boom.onStop()).toMatchObject({
      done: false,
      feedback: expect.stringContaining("boom &lt;/feedback>"),
    });
  });

  it("ST-4 a checker sees session, output, reason, filesystem, commands and adapter", async () => {
    let seen: unknown;
    const { open } = testConduct({
      completion: {
        check: (context) => {
          seen = context;
          return { complete: true };
        },
      },
    });
    const session = open({ adapter: "loop" });
    await session.onStop({ reason: "end_turn", output: { answer: 42 } });
    expect(seen).toMatchObject({
      tentativeOutput: { answer: 42 },
      stopReason: "end_turn",
      adapter: "loop",
      session: { id: session.id },
    });
    expect(Object.keys(seen as object)).toEqual(expect.arrayContaining(["filesystem", "commands", "signal"]));
  });

  it("ST-5 a claim of done is checked against the record: the latest run counts", async () => {
    const completion = new CompositeChecker({ checkers: [new EvidenceChecker({ actions: ["test"] })] });
    const session = testConduct({ completion }).open();
    expect((await session.onStop()).done).toBe(false);
    await play(session, "test");
    expect((await session.onStop()).done).toBe(true);
    await play(session, "test", { outcome: "failed", parts: [] });
    expect((await session.onStop()).done).toBe(false);
  });
});

describe("definitions", () => {
  it("DF-1 two agents of one name are refused, and a definition cannot be thinned out afterwards", () => {
    const policies = [order()];
    const agent = defineAgent({ name: "a", policies });
    policies.length = 0;
    expect(agent.policies).toHaveLength(1);
    expect(() => (agent.policies as AnyPolicy[]).pop()).toThrow();
    expect(() => new Conduct([agent, agent], {} as never)).toThrow("same name");
  });
});

describe("events", () => {
  it("EV-4 a subscriber that fails later breaks nothing either", async () => {
    const { conduct, open } = testConduct();
    conduct.subscribe(async () => {
      throw new Error("later");
    });
    open();
    await new Promise((resolve) => setImmediate(resolve));
    expect(conduct.subscriberFailures).toBe(1);
  });

  it("EV-1 a subscriber that throws breaks nothing, and one that left hears nothing", async () => {
    const { conduct, open, events } = testConduct();
    conduct.subscribe(() => {
      throw new Error("bad subscriber");
    });
    const heard: string[] = [];
    const leave = conduct.subscribe((event) => heard.push(event.type));
    const session = open();
    leave();
    await session.onMessage({ text: "hi" });
    expect(heard).toEqual(["session"]);
    expect(events.map((event) => event.type)).toEqual(["session", "message"]);
  });

  it("EV-2 every event has its place: numbered per session, with turn, step and facts", async () => {
    const { open, events } = testConduct();
    const session = open();
    await session.onMessage({ text: "hi" });
    await session.onCall({ id: "1", tool: "read_file", args: { path: "a" }, step: "s1" });
    await session.onPrompt();
    session.notice({ kind: "reply", text: "hello" });
    expect(events.map((event) => event.seq)).toEqual([1, 2, 3, 4, 5]);
    expect(events[2]).toMatchObject({
      v: 1,
      type: "call",
      turn: 1,
      step: "s1",
      facts: { paths: { a: { exists: false } } },
    });
  });

  it("EV-3 the prompt is the agent's sections, the same bytes each time", async () => {
    const { open } = testConduct({
      sections: [
        { heading: "Soul", content: " Be kind.\n" },
        { heading: "Empty", content: " " },
      ],
    });
    const session = open();
    const [first, second] = [await session.onPrompt(), await session.onPrompt()];
    expect(first.text).toBe("## Soul\n\nBe kind.");
    expect(second).toEqual(first);
    expect(first.sections).toHaveLength(1);
  });
});
