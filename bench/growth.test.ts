import fc from "fast-check";
import { expect, it } from "vitest";
import { keepsGrowing, slopeOf } from "./growth.ts";

const turns = (count: (turn: number) => number) => Array.from({ length: 30 }, (_, at) => count(at + 1));

it.each([
  ["stays as it is", turns(() => 12), false],
  ["grows by one a turn", turns((turn) => 12 + turn), true],
  ["grows by one in ten turns", turns((turn) => 12 + Math.floor(turn / 10)), true],
  ["grows in its first turns alone", turns((turn) => Math.min(turn, 6)), false],
  ["is a step higher from turn 17 on", turns((turn) => (turn < 17 ? 12 : 14)), false],
  ["comes and goes", turns((turn) => 12 + (turn % 5)), false],
  ["grows while it comes and goes", turns((turn) => 12 + turn + (turn % 3)), true],
  ["shrinks", turns((turn) => 60 - turn), false],
  ["was looked at too seldom", [1, 2, 3], false],
])("GRW-1 the leak check classifies correctly a count that %s", (_what, counts, grows) => {
  expect(keepsGrowing(counts)).toBe(grows);
});

it("GRW-2 the computed slope of a line does not depend on where the line starts", () => {
  fc.assert(
    fc.property(fc.integer({ min: -1_000, max: 1_000 }), fc.integer({ min: -50, max: 50 }), (start, slope) => {
      expect(slopeOf(turns((turn) => start + slope * turn))).toBeCloseTo(slope);
    }),
  );
  expect(slopeOf([7])).toBe(0);
});
