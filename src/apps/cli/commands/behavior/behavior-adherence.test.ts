import { describe, expect, it } from "vitest";
import { eventsOf, type PlannedTurn } from "../../../learning/adherence/test-turns.ts";
import { keepRun } from "../../../learning/review/past-runs.ts";
import { testGovernance } from "../../test/test-governance.ts";

const DAY = 86_400_000;
const reply = (words: number) => ({ reply: Array.from({ length: words }, () => "word").join(" ") });

/** Three days with a measured directive, one that is not, and a rule; marks on both sides. */
async function measured() {
  const at = testGovernance();
  at.now -= 3 * DAY;
  const start = at.now;
  await at.run('behavior add "LESS: words" --check "length: at most 5 words"');
  const { envelope } = await at.run('behavior add "STOP: jokes" --json');
  const { contract } = envelope.result as { contract: { version: number; hash: string } };
  const { version, hash } = contract;
  for (const [day, lengths] of [
    [9, 9, 2],
    [2, 9, 2, 2],
    [2, 2, 2],
  ].entries()) {
    const turns = lengths.map((length): PlannedTurn => ({ did: [reply(length)], contract: { version, hash } }));
    const denied: PlannedTurn = { did: ["push-"], contract: { version, hash } };
    await at.events.append(eventsOf(`s${day}`, [...turns, denied], start + day * DAY + 3_600_000));
  }
  at.now = start + 3 * DAY;
  await at.run("behavior helpful d_1 --note=quicker");
  await at.run("behavior harmful d_2");
  return at;
}

describe("conduct behavior stats: adherence", () => {
  it.each([80, 120])(
    "ADH-20: stats shows the adherence of each directive with a chart by day, at %i columns (golden)",
    async (columns) => {
      const at = await measured();
      const { said } = await at.run("behavior stats", { columns });
      await expect(said).toMatchFileSnapshot(`behavior-stats-${columns}.golden.txt`);
    },
  );

  it("ADH-21: --json returns every figure, and turns that a review run has measured are not counted twice", async () => {
    const at = await measured();
    const { envelope } = await at.run("behavior stats --json");
    const { adherence } = envelope.result as { adherence: readonly object[] };
    const first = { id: "d_1", inForce: 13, followed: 7, violated: 3, cannotTell: 3, helpful: 1, harmful: 0 };
    expect(adherence).toMatchObject([first, { id: "d_2", cannotTell: 13 }, { of: "rule", id: "no-push", violated: 3 }]);
    const window = { run: "r", after: 0, upTo: await at.events.head(), from: 0, to: 1 };
    const rows = await at.adherence.rows("", "9999");
    const nothing = {
      sessions: 0,
      messages: 0,
      decisions: 0,
      found: 0,
      proposed: [],
      merged: [],
      known: 0,
      refused: [],
    };
    const patterns = { good_patterns: [], bad_patterns: [] };
    await keepRun(at.journal, { window, at: at.now, by: "review", ...nothing, ...patterns, adherence: rows });
    const after = await at.run("behavior stats --json");
    expect(after.envelope.result).toMatchObject({
      adherence: [first, { id: "d_2", cannotTell: 13 }, { of: "rule", id: "no-push", violated: 3 }],
    });
  });

  it("ADH-22: --since leaves out older days, and an invalid time is rejected", async () => {
    const at = await measured();
    const { envelope } = await at.run("behavior stats --since=2d --json");
    expect(envelope.result).toMatchObject({ adherence: [{ id: "d_1", followed: 6, violated: 1 }, {}, {}] });
    expect((await at.run("behavior stats --since=often")).code).toBe(2);
  });
});

describe("conduct behavior stats: a check that is declared later", () => {
  it("ADH-23: a check applies to turns after it was declared, and a changed check gets separate figures", async () => {
    const at = testGovernance();
    const { envelope } = await at.run('behavior add "LESS: words" --json');
    const { version, hash } = (envelope.result as { contract: { version: number; hash: string } }).contract;
    const turn = async (session: string) => {
      at.now += 3_600_000;
      await at.events.append(eventsOf(session, [{ did: [reply(4)], contract: { version, hash } }], at.now));
      at.now += 3_600_000;
    };
    await turn("s1");
    await at.run('behavior check d_1 "length: at most 3 words"');
    await turn("s2");
    await turn("s3");
    await at.run('behavior check d_1 "length: at most 2 lines"');
    await turn("s4");
    expect((await at.run("behavior stats --json")).envelope.result).toMatchObject({
      adherence: [
        { id: "d_1", by: "length: at most 2 lines", inForce: 2, followed: 1, violated: 0, cannotTell: 1 },
        { id: "d_1", by: "length: at most 3 words", inForce: 2, followed: 0, violated: 2, cannotTell: 0 },
      ],
    });
  });
});

describe("deciding on candidates and directives", () => {
  it("E07: the command line can edit, snooze, rate as helpful or harmful, and check directives", async () => {
    const at = testGovernance();
    await at.propose("status reports at night");
    expect((await at.run('behavior edit c_1 "LESS: status reports at night"')).said).toContain("now says: 'LESS:");
    expect((await at.run("behavior edit c_1")).outcome).toMatchObject({ code: "INVALID_DIRECTIVE_TEXT" });
    expect((await at.run("behavior edit")).outcome).toMatchObject({ code: "MISSING_CANDIDATE_ID" });
    expect((await at.run("behavior snooze c_1 3d")).said).toContain("snoozed until 2026-11-18 08:00Z");
    expect((await at.run("behavior snooze c_1")).outcome).toMatchObject({ code: "INVALID_TIME" });
    await at.run('behavior add "LESS: words"');
    expect((await at.run('behavior check d_1 "length: at most 9 words"')).said).toContain("now measured by");
    expect((await at.run("behavior check d_1 'reply: text +'")).outcome).toMatchObject({ code: "INVALID_CHECK" });
    expect((await at.run("behavior check d_1")).outcome).toMatchObject({ code: "INVALID_CHECK" });
    expect((await at.run("behavior check d_1 --none")).said).toContain("no longer measured");
    expect((await at.run("behavior harmful d_1 --note='too terse'")).said).toContain("recorded for 'LESS: words'");
    expect((await at.run("behavior history --limit=1")).said).toContain("marked d_1 harmful: too terse");
    expect((await at.run("behavior helpful d_9")).outcome).toMatchObject({ code: "DIRECTIVE_NOT_FOUND" });
  });
});
