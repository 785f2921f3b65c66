import { describe, expect, it } from "vitest";
import { REVIEW_THRESHOLDS } from "../steps.ts";
import { testReview } from "../test-review.ts";
import { findCadence, type Measure, type MeasuredSession } from "./find-cadence.ts";

const LEVEL = { "words in a reply": 40, "replies in a turn": 1, "calls in a turn": 3, "minutes to a reply": 2 };

function sessions(
  well: number,
  badly: number,
  of: (went: "well" | "badly", at: number) => Partial<Record<Measure, number>>,
) {
  const make = (went: "well" | "badly", at: number): MeasuredSession => ({
    ...{ agent: "agent", went, isNew: true },
    shown: { session: `${went}${at}`, event: `e${at}`, quote: "So." },
    of: { ...LEVEL, ...of(went, at) },
  });
  const some = (went: "well" | "badly", count: number) => Array.from({ length: count }, (_, at) => make(went, at));
  return [...some("well", well), ...some("badly", badly)];
}

const longer = (went: "well" | "badly", at: number) => ({ "words in a reply": (went === "well" ? 40 : 200) + at });

describe("how sessions went", () => {
  it("RV-34 if bad sessions have longer replies, fewer words are proposed with the good sessions' figures", () => {
    const found = findCadence(sessions(12, 11, longer), REVIEW_THRESHOLDS);
    expect(found).toMatchObject([
      { good: false, type: "less", text: "words in a reply", scope: "agent:agent" },
      { good: true, type: "keep" },
    ]);
    expect(found[0]?.seen).toMatch(/^words in a reply: 46 in 12 sessions that went well, 205 in 11 that did not/);
    expect(found[0]?.evidence.every(({ session }) => session.startsWith("badly"))).toBe(true);
    expect(found[1]?.evidence.every(({ session }) => session.startsWith("well"))).toBe(true);
  });

  it.each<[string, readonly MeasuredSession[]]>([
    ["nine on one side", sessions(9, 40, longer)],
    ["nine on the other", sessions(40, 9, longer)],
    ["no difference", sessions(30, 30, (_, at) => ({ "words in a reply": 40 + at }))],
    ["a sure but small difference", sessions(40, 40, (went) => ({ "words in a reply": went === "well" ? 40 : 44 }))],
    [
      "medians apart by chance",
      sessions(12, 12, (went, at) => ({ "words in a reply": at < (went === "well" ? 7 : 5) ? 10 : 100 })),
    ],
    ["nothing new", sessions(20, 20, longer).map((one) => ({ ...one, isNew: false }))],
    [
      "two agents with half of it each",
      sessions(12, 12, longer).map((one, at) => ({ ...one, agent: at % 2 === 0 ? "a" : "b" })),
    ],
  ])("RV-35 the review finds no cadence in: %s", (_, some) => {
    expect(findCadence(some, REVIEW_THRESHOLDS)).toEqual([]);
  });

  it("RV-36 the opposite cadence difference has another wording", () => {
    const shorter = sessions(15, 15, (went, at) => longer(went === "well" ? "badly" : "well", at));
    expect(findCadence(shorter, REVIEW_THRESHOLDS)[0]).toMatchObject({ type: "more", text: "detail in replies" });
  });

  it("RV-38 a corrected session counts as bad, also if the correction was before the window", async () => {
    const world = testReview();
    for (let at = 0; at < 24; at++) {
      const good = at % 2 === 0;
      const session = world.open({ user: "bob" });
      await session.onMessage({ text: good ? "how is it?" : "Please stop sending status reports." });
      session.notice({ kind: "reply", text: "Well. ".repeat(good ? 10 + at : 100 + at) });
      const call = { id: `l${at}`, tool: "lint", args: {} };
      await session.onCall(call);
      await session.onResult(call, { outcome: "ok", parts: [] });
      await session.onStop();
    }
    await world.keep();
    const upTo = await world.events.head();
    await world.open({ user: "bob" }).onMessage({ text: "how is it?" });
    await world.keep();
    const head = await world.events.head();
    const { now } = world.time;
    const found = await world.steps.find({ run: "r", after: upTo, upTo: head, from: now, to: now });
    expect(found).toEqual([]);
    const session = world.open();
    await session.onMessage({ text: "how is it?" });
    session.notice({ kind: "reply", text: "Well." });
    await session.onStop();
    await world.keep();
    const again = await world.steps.find({
      run: "r",
      after: upTo,
      upTo: await world.events.head(),
      from: now,
      to: now,
    });
    expect(again.map(({ text }) => text)).toContain("words in a reply");
  });

  it("RV-37 with the engine, sessions with refused stops count as bad, and replies are the evidence", async () => {
    const world = testReview();
    for (let at = 0; at < 24; at++) {
      const session = world.open();
      await session.onMessage({ text: "what is the state of it?" });
      world.pass(60_000);
      const good = at % 2 === 0;
      session.notice({ kind: "reply", text: "Well. ".repeat(good ? 10 + at : 100 + at) });
      if (good) {
        const call = { id: `l${at}`, tool: "lint", args: {} };
        await session.onCall(call);
        await session.onResult(call, { outcome: "ok", parts: [] });
      }
      await session.onStop();
    }
    const record = await world.run();
    expect(record).toMatchObject({ bad_patterns: expect.anything() });
    const texts = record === "nothing" ? [] : record.bad_patterns.map(({ text }) => text);
    expect(texts).toContainEqual(expect.stringContaining("LESS: words in a reply (words in a reply: 21 in 12"));
    const cadence = (await world.candidates()).find(({ text }) => text === "words in a reply");
    expect(cadence?.evidence).toHaveLength(5);
  });
});
