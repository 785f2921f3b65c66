import { describe, expect, it } from "vitest";
import type { DirectiveType } from "../../../../base/words/contract.ts";
import { allDirectives } from "../../../../behavior/contract/contract-state.ts";
import { testReview } from "../test-review.ts";

async function withDirective(type: DirectiveType, text: string, thresholds = {}) {
  const world = testReview({ thresholds });
  const added = await world.contracts.change({ kind: "add", type, text }, "op");
  if (added.kind !== "accepted" || added.directive === undefined) throw new Error("it was not added");
  const { id } = added.directive;
  const say = async (text: string) => {
    const session = world.open({ user: "bob" });
    await session.onMessage({ text, sender: { role: "user", user: "bob" } });
    world.pass(60_000);
  };
  const mark = (kind: "helpful" | "harmful", note?: string) =>
    world.contracts.change({ kind: "mark", id, mark: kind, ...(note === undefined ? {} : { note }) }, "op");
  const tally = async () => (await world.contracts.state()).tallies.get(id);
  const demotions = async () => (await world.candidates()).filter(({ demotes }) => demotes === id);
  return { world, id, say, mark, tally, demotions };
}

describe("demotion", () => {
  it.each([
    ["harmful three times", ["harmful", "harmful", "harmful"], 1],
    ["harmful twice", ["harmful", "harmful"], 0],
    ["as helpful as harmful", ["harmful", "harmful", "helpful", "helpful"], 0],
    ["more helpful", ["helpful", "helpful", "harmful"], 0],
    ["more harmful", ["helpful", "harmful", "harmful"], 1],
  ] as const)(
    "RV-20 removal of a directive is proposed only if it is mostly harmful: marked %s by hand",
    async (_, marks, count) => {
      const { world, say, mark, demotions } = await withDirective("keep", "status reports", { confidence: 0.01 });
      for (const one of marks) await mark(one, "it got in the way");
      await say("good morning");
      await world.run();
      expect(await demotions()).toHaveLength(count);
      if (count > 0) expect((await demotions())[0]?.evidence[0]).toMatch(/^governance\/\d+: it got in the way$/);
    },
  );

  it("RV-21 a correction that conflicts with a directive proposes its removal, and each message counts as harm once", async () => {
    const { world, say, tally, demotions } = await withDirective("keep", "sending status reports");
    await say("Please stop sending status reports.");
    const before = await world.contracts.contract({});
    await world.run();
    expect(await tally()).toMatchObject({ harmful: 1, helpful: 0 });
    expect(await demotions()).toHaveLength(1);
    await world.run();
    await say("good morning");
    await world.run();
    expect(await tally()).toMatchObject({ harmful: 1 });
    await say("Please stop sending status reports.");
    await world.run();
    expect(await tally()).toMatchObject({ harmful: 2 });
    expect(await demotions()).toMatchObject([{ evidence: { length: 2 } }]);
    expect((await world.contracts.contract({})).hash).toBe(before.hash);
  });

  it("RV-22 only an operator's promotion of a demotion removes the directive", async () => {
    const { world, id, say, demotions } = await withDirective("keep", "sending status reports");
    await say("Please stop sending status reports.");
    await world.run();
    const [candidate] = await demotions();
    await world.contracts.change({ kind: "promote", id: candidate?.id ?? "" }, "op");
    expect(allDirectives(await world.contracts.state()).map((one) => one.id)).not.toContain(id);
  });

  it("RV-23 wording that only resembles the opposite of a directive marks nothing", async () => {
    const { world, say, tally } = await withDirective("keep", "long status reports in the morning");
    await say("Please stop sending status reports.");
    await world.run();
    expect(await tally()).toBeUndefined();
  });
});
