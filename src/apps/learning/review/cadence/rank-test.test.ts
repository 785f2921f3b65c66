import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chanceOf, medianOf } from "./find-cadence.ts";

/** As scipy 1.x gives it: `mannwhitneyu(a, b, method="asymptotic").pvalue`. */
const KNOWN: readonly [readonly number[], readonly number[], number][] = [
  [[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], [11, 12, 13, 14, 15, 16, 17, 18, 19, 20], 0.0001826718],
  [[1, 3, 5, 7, 9, 11, 13, 15, 17, 19], [2, 4, 6, 8, 10, 12, 14, 16, 18, 20], 0.73373],
  [[1, 1, 1, 2, 2, 3, 3, 3, 4, 5], [2, 3, 3, 4, 4, 5, 5, 6, 6, 7], 0.0127143],
];

describe("the rank test", () => {
  it.each(KNOWN)("RV-30 the rank test of %j against %j gives the p-value of scipy", (a, b, p) => {
    expect(chanceOf(a, b)).toBeCloseTo(p, 6);
  });

  it("RV-31 the rank test is symmetric, ignores the order within a sample, and finds no difference in equal samples", () => {
    const sample = fc.array(fc.integer({ min: 0, max: 30 }), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(sample, sample, (a, b) => {
        expect(chanceOf(a, b)).toBeCloseTo(chanceOf(b, a), 10);
        expect(chanceOf(a.toReversed(), b)).toBe(chanceOf(a, b));
        expect(chanceOf(a, a)).toBeGreaterThan(0.99);
      }),
    );
    expect(chanceOf([], [1])).toBe(1);
  });

  it("RV-32 without a real difference the rank test reports one in at most one of a hundred cases", () => {
    let [state, found] = [7, 0];
    const next = () => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      return state / 2 ** 32;
    };
    for (let run = 0; run < 2_000; run++) {
      const [a, b] = [0, 1].map(() => Array.from({ length: 12 }, next));
      if (chanceOf(a ?? [], b ?? []) < 0.01) found += 1;
    }
    expect(found / 2_000).toBeLessThan(0.015);
  });

  it.each([
    [[3, 1, 2], 2],
    [[4, 1, 2, 3], 2.5],
    [[], 0],
  ])("RV-33 the median of %j is %d", (values, median) => {
    expect(medianOf(values)).toBe(median);
  });
});
