import { describe, expect, it } from "vitest";
import type { ReviewerCase } from "./reviewer/cases.ts";
import { missCases, plantedCases } from "./reviewer/cases.ts";
import { HELD_OUT_CORRECTIONS } from "./reviewer/heldout.ts";
import { HELD_OUT_MISSES } from "./reviewer/heldout-misses.ts";
import { DEVELOPMENT } from "./reviewer/lots.ts";
import { scoreReviewer } from "./reviewer/score.ts";
import { conversations } from "./reviewer/talk.ts";

const found: ReviewerCase = {
  text: "stop sending me status updates",
  planted: { type: "stop", about: "status updates" },
};

describe("scoreReviewer", () => {
  it.each([
    { name: "the right sentence and type", cases: [found], strict: [1, 1], lenient: [1, 1] },
    {
      name: "a near-equal type",
      cases: [{ ...found, planted: { type: "less", about: "status updates" } }],
      strict: [0, 0],
      lenient: [1, 1],
    },
    {
      name: "another type",
      cases: [{ ...found, planted: { type: "keep", about: "status updates" } }],
      strict: [0, 0],
      lenient: [0, 0],
    },
    {
      name: "another sentence",
      cases: [{ ...found, planted: { type: "stop", about: "weekly meetings" } }],
      strict: [0, 0],
      lenient: [0, 0],
    },
    {
      name: "a finding where nothing is",
      cases: [found, { ...found, planted: null }],
      strict: [0.5, 1],
      lenient: [0.5, 1],
    },
    {
      name: "nothing where something is",
      cases: [found, { text: "hm", planted: found.planted }],
      strict: [1, 0.5],
      lenient: [1, 0.5],
    },
  ] as const)("RVB-1 $name", ({ cases, strict, lenient }) => {
    const score = scoreReviewer(cases);
    expect([score.strict.precision, score.strict.recall]).toEqual(strict);
    expect([score.lenient.precision, score.lenient.recall]).toEqual(lenient);
  });

  it("RVB-2 turns of the agent are not read, turns of people are", () => {
    const said = "stop sending me status updates";
    const planted = { type: "stop", about: "status updates" } as const;
    expect(scoreReviewer([{ turns: ["hi", { role: "user", text: said }], planted }]).strict.found).toBe(1);
    expect(scoreReviewer([{ turns: ["hi", { role: "agent", text: said }], planted: null }]).strict.wrong).toBe(0);
  });
});

describe("what would be proposed", () => {
  it("RVB-7 a finding below the review's threshold counts as not found, unless all are asked for", () => {
    const unsure = DEVELOPMENT.flatMap(({ cases }) => cases).filter(
      (one) =>
        one.planted !== null && scoreReviewer([one]).strict.found === 0 && scoreReviewer([one], 0.5).strict.found === 1,
    );
    expect(unsure.length).toBeGreaterThan(0);
    for (const one of unsure) expect(scoreReviewer([one]).strict).toMatchObject({ missed: 1, wrong: 0 });
  });
});

describe("the cases", () => {
  it("RVB-3 are read from lines, new lines and backticks included", () => {
    expect(plantedCases("stop | a b | x | y\\nz")).toEqual([
      { text: "x | y\nz", planted: { type: "stop", about: "a b" } },
    ]);
    expect(missCases("code | \\`x\\`")).toEqual([{ text: "`x`", planted: null, kind: "code" }]);
  });

  it("RVB-4 held out are at least 120 of each, and none is there twice", () => {
    for (const cases of [HELD_OUT_CORRECTIONS, HELD_OUT_MISSES]) {
      expect(cases.length).toBeGreaterThanOrEqual(120);
      expect(new Set(cases.map((one) => ("text" in one ? one.text : ""))).size).toBe(cases.length);
    }
  });

  it("RVB-5 conversations are the same in every run and plant every case", () => {
    const made = conversations(HELD_OUT_CORRECTIONS, 200, 7);
    expect(conversations(HELD_OUT_CORRECTIONS, 200, 7)).toEqual(made);
    expect(new Set(made.map(({ planted }) => planted)).size).toBe(HELD_OUT_CORRECTIONS.length);
  });

  it("RVB-6 on held-out cases precision and recall are 0.9 or better", () => {
    const { strict } = scoreReviewer([
      ...conversations(HELD_OUT_CORRECTIONS, 200, 1),
      ...conversations(HELD_OUT_MISSES, 200, 2),
    ]);
    expect(strict.precision).toBeGreaterThanOrEqual(0.9);
    expect(strict.recall).toBeGreaterThanOrEqual(0.9);
  });
});
