import { describe, expect, it } from "vitest";
import type { ToolPolicy } from "../../../../base/words/policy.ts";
import type { ToolResult } from "../../../../base/words/result.ts";
import { defineAgent } from "../../../../engine/agent/define-agent.ts";
import type { Session } from "../../../../engine/session/session.ts";
import { isQuotedFrom } from "../evidence.ts";
import type { Finding, FindingPattern } from "../steps.ts";
import { AGENT, play, testReview } from "../test-review.ts";

const FAILED: ToolResult = { outcome: "failed", exitCode: 2, parts: [{ kind: "text", text: "no such file" }] };
const LONG: ToolResult = { outcome: "ok", parts: [{ kind: "text", text: "a line of a log\n".repeat(20_000) }] };

type Play = (session: Session) => Promise<unknown>;

async function deny(session: Session) {
  await play(session, "deploy");
}
async function denyThenMeet(session: Session) {
  await play(session, "deploy");
  await play(session, "test");
  await play(session, "deploy");
}
const answered = (answer: "yes" | "no") => async (session: Session) => {
  const decision = await play(session, "mail", { to: `a${Math.trunc(answer.length)}`, text: "hello" });
  if (decision.kind === "ask") session.resolve(decision.approval, answer, "ann");
};
const failing: Play = (session) => play(session, "shell", { command: "make build" }, FAILED);
const working: Play = (session) => play(session, "shell", { command: "make build" });
const refusedStop: Play = (session) => session.onStop();
const cutting: Play = (session) => play(session, "read", { path: "log.txt" }, LONG);

/** Plays each in a session of its own and reviews it all. */
async function found(plays: readonly Play[], thresholds = {}) {
  const world = testReview({ thresholds });
  for (const one of plays) {
    const session = world.open();
    await session.onMessage({ text: "go on", sender: { role: "user", user: "bob" } });
    await one(session);
    world.pass(60_000);
  }
  await world.keep();
  const window = await world.steps.window(world.time.now);
  if (window === "nothing") throw new Error("there is no window");
  const findings = await world.steps.find(window);
  for (const { event, quote } of findings.flatMap(({ evidence }) => evidence)) {
    const kept = await world.events.find(event);
    expect(kept !== undefined && isQuotedFrom(quote, kept.event)).toBe(true);
  }
  return findings;
}

const times = (count: number, one: Play): readonly Play[] => Array.from({ length: count }, () => one);
const shown = (findings: readonly Finding[]) =>
  findings.map(({ pattern, type, text }) => `${pattern} ${type}: ${text}`);

const CASES: readonly [FindingPattern, string, readonly Play[], readonly string[]][] = [
  [
    "denied-then-met",
    "three times in three sessions",
    times(3, denyThenMeet),
    ["denied-then-met start: test before deploy"],
  ],
  ["denied-then-met", "twice only", times(2, denyThenMeet), []],
  ["denied-then-met", "denied, and never done", times(4, deny), []],
  [
    "overridden",
    "yes three times",
    times(3, answered("yes")),
    ["overridden less: asking before mail (rule ask-to-mail)"],
  ],
  ["overridden", "yes three times and no once", [...times(3, answered("yes")), answered("no")], []],
  ["overridden", "yes twice", times(2, answered("yes")), []],
  [
    "tool-fails",
    "always, four times",
    times(4, failing),
    ["tool-fails start: finding out why shell make fails (exit code 2) before calling it again"],
  ],
  [
    "tool-fails",
    "four times in one session",
    [
      async (session) => {
        for (let at = 0; at < 4; at++) await failing(session);
      },
    ],
    [],
  ],
  ["tool-fails", "three of seven", [...times(3, failing), ...times(4, working)], []],
  ["stop-refused", "three times", times(3, refusedStop), ["stop-refused start: making lint succeed before finishing"]],
  ["stop-refused", "twice", times(2, refusedStop), []],
  ["stop-refused", "ended without a refusal", times(4, (session) => session.onStop({ bound: 0 })), []],
  [
    "truncated",
    "five times",
    times(5, cutting),
    ["truncated start: narrower read calls, because their results are cut to fit"],
  ],
  ["truncated", "four times", times(4, cutting), []],
];

describe("patterns in decisions", () => {
  it.each(CASES)(
    "RV-10 the pattern %s is proposed only if its conditions are met: %s",
    async (_, __, plays, wanted) => {
      expect(shown(await found(plays))).toEqual(wanted);
    },
  );

  it("RV-11 a pattern's confidence grows with its count and stays below 1, and it has the agent's scope and a subject", async () => {
    const [few] = await found(times(3, denyThenMeet));
    const [many] = await found(times(12, denyThenMeet));
    expect(few).toMatchObject({ confidence: 0.65, scope: "agent:agent", subject: "deploy-needs-test", good: false });
    expect(many?.confidence).toBeGreaterThan(0.8);
    expect(many?.confidence).toBeLessThan(0.95);
    expect(many?.evidence).toHaveLength(10);
    expect(few?.evidence.map(({ quote }) => quote)).toEqual(Array(3).fill("'deploy' requires: test"));
  });

  it("RV-11 a call that passes without the missing step leads to no order", async () => {
    const world = testReview();
    for (let at = 0; at < 4; at++) {
      const session = world.open();
      await play(session, "deploy");
      await play(session, "test", {}, FAILED);
      world.conduct.setAgent(defineAgent({ name: "agent" }));
      await session.onMessage({ text: "and now?" });
      expect((await play(session, "deploy")).kind).toBe("allow");
      world.conduct.setAgent(defineAgent({ name: "agent", ...AGENT }));
    }
    await world.run();
    expect((await world.candidates()).map(({ origin }) => origin?.pattern)).toEqual(["tool-fails"]);
  });

  it("RV-12 every threshold of the patterns can be configured", async () => {
    expect(await found([denyThenMeet], { times: 1, sessions: 1 })).toHaveLength(1);
    expect(await found(times(3, denyThenMeet), { times: 4 })).toEqual([]);
  });

  it("RV-13 earlier events count towards a pattern, but at least one must be new", async () => {
    const world = testReview();
    const one = async () => denyThenMeet(world.open());
    await one();
    await one();
    expect(await world.run()).toMatchObject({ found: 0 });
    world.pass(3 * 86_400_000);
    await one();
    expect(await world.run()).toMatchObject({ found: 1 });
    expect((await world.candidates())[0]?.evidence).toHaveLength(3);
    world.pass(86_400_000);
    await world.open().onMessage({ text: "good morning" });
    expect(await world.run()).toMatchObject({ found: 0 });
    world.pass(8 * 86_400_000);
    await one();
    expect(await world.run()).toMatchObject({ found: 0 });
  });

  it("RV-18 a rejected pattern returns only after enough new sightings and the rejected candidate's expiry", async () => {
    const world = testReview();
    const day = async (count: number) => {
      for (let at = 0; at < count; at++) await denyThenMeet(world.open());
      const record = await world.run();
      world.pass(86_400_000);
      return record === "nothing" ? [] : record.proposed;
    };
    const [id = ""] = await day(3);
    await world.contracts.change({ kind: "reject", id, reason: "no" }, "op");
    for (let at = 0; at < 6; at++) expect(await day(3)).toEqual([]);
    expect(await day(3)).toHaveLength(1);
    const [, candidate] = await world.candidates();
    await world.contracts.change({ kind: "reject", id: candidate?.id ?? "", reason: "no" }, "op");
    world.pass(8 * 86_400_000);
    expect(await day(2)).toEqual([]);
    expect(await day(1)).toHaveLength(1);
  });

  it("RV-19 a denied call that an operator then allows by elevation is a pattern", async () => {
    const held: ToolPolicy = {
      name: "risk",
      check: (_, { permissions }) =>
        permissions.allowHighRisk
          ? { kind: "allow", lifted: "high-risk" }
          : { kind: "deny", code: "high-risk", reason: "Too much is at stake." },
    };
    const world = testReview({}, undefined, { policies: [held] });
    for (let at = 0; at < 3; at++) {
      const session = world.open();
      await session.onMessage({ text: "clean up", sender: { role: "operator" } });
      await play(session, "remove");
      await session.onMessage({ text: "/elevated on", sender: { role: "operator" } });
      await play(session, "remove");
    }
    await world.run();
    expect(await world.candidates()).toMatchObject([
      { type: "less", text: "holding remove back (rule risk)", evidence: { length: 3 } },
    ]);
  });

  it("RV-14 if the runtime asks the person itself, the call's outcome is the answer", async () => {
    const byDeed = (outcome: "ok" | "denied") => async (session: Session) => {
      const call = { id: "c1", tool: "mail", args: { to: "x" } };
      await session.onCall(call);
      await session.onResult(call, { outcome, parts: [] });
    };
    expect(shown(await found(times(3, byDeed("ok"))))).toEqual([
      "overridden less: asking before mail (rule ask-to-mail)",
    ]);
    expect(await found([...times(3, byDeed("ok")), byDeed("denied")])).toEqual([]);
  });
});
