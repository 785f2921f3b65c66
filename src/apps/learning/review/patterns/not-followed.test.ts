import { describe, expect, it } from "vitest";
import type { AdherenceRow } from "../../../../base/ports/stores/adherence.ts";
import { testReview } from "../test-review.ts";

const row = (more: Partial<AdherenceRow>): AdherenceRow => ({
  ...{ day: "2026-11-02", of: "directive", id: "d_1", inForce: 9, followed: 0, violated: 0, cannotTell: 0 },
  by: "length: at most 20 words",
  shown: { followed: [], violated: [] },
  ...more,
});

/** A contract with one directive, replies that go against it, and the rows of each day as they are measured. */
async function reviewed(days: readonly (Partial<AdherenceRow> | undefined)[]) {
  const replies: string[] = [];
  let today: readonly AdherenceRow[] = [];
  const world = testReview({ measure: async () => today });
  const added = await world.contracts.change({ kind: "add", type: "less", text: "words in a reply" }, "op");
  const id = added.kind === "accepted" ? (added.directive?.id ?? "") : "";
  const found: string[] = [];
  for (const day of days) {
    const session = world.open();
    await session.onMessage({ text: "how is it going?" });
    session.notice({ kind: "reply", text: "Let me begin by saying\nthat it goes well." });
    await world.keep();
    const [newest] = (await world.events.read({ types: ["notice"], limit: 1 })).events;
    replies.push(newest?.event.id ?? "");
    const shown = { followed: [], violated: replies.slice(-1) };
    today = day === undefined ? [] : [row({ id, shown, ...day })];
    await world.run();
    found.length = 0;
    found.push(...(await world.candidates()).map(({ text }) => text));
    world.pass(86_400_000);
  }
  return { found, world, id };
}

describe("directives that are not followed", () => {
  it.each<[string, readonly (Partial<AdherenceRow> | undefined)[], number]>([
    ["violated three times", [{ violated: 3 }], 1],
    ["violated twice", [{ violated: 2 }], 0],
    ["violated as often as followed", [{ violated: 3, followed: 3 }], 0],
    ["violated on three days", [{ violated: 1 }, { violated: 1 }, { violated: 1 }], 1],
    ["no longer violated today", [{ violated: 2 }, { violated: 0, followed: 1 }], 0],
    ["of a directive that is gone", [{ violated: 5, id: "d_gone" }], 0],
    ["nobody can tell", [{ cannotTell: 9 }], 0],
  ])("RV-15 a directive is reported as not followed only after enough violations: %s", async (_, days, count) => {
    expect((await reviewed(days)).found).toHaveLength(count);
  });

  it("RV-16 the finding of a directive that is not followed names the directive and quotes a reply", async () => {
    const { world, id } = await reviewed([{ violated: 4 }]);
    expect(await world.candidates()).toMatchObject([
      {
        type: "start",
        text: "checking before every reply: less words in a reply",
        origin: { pattern: "not-followed", subject: id },
        evidence: [expect.stringContaining("Let me begin by saying")],
      },
    ]);
  });

  it("RV-17 a mostly violated rule is shown with its objection", async () => {
    const { found } = await reviewed([{ violated: 4, of: "rule", id: "no-mail", scope: "agent:agent" }]);
    expect(found).toEqual(["doing what rule no-mail asks for before the call"]);
  });
});
