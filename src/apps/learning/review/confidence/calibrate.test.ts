import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { calibrate, type DecidedOutcome, fitMonotone } from "./calibrate.ts";

/** Numbers from 0 to 1, the same in every run. */
function drawn(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

type Truth = (pattern: string, raw: number) => number;

const PATTERNS = ["correction", "tool-fails", "overridden"];
const TRUTHS: readonly [string, Truth][] = [
  ["too sure", (_, raw) => raw ** 2],
  ["not sure enough", (_, raw) => Math.sqrt(raw)],
  ["good at one pattern and bad at another", (pattern, raw) => (pattern === "tool-fails" ? 0.1 : 0.5 + raw / 2)],
  ["always the same", () => 0.5],
];

function outcomes(truth: Truth, count: number, seed: number): readonly DecidedOutcome[] {
  const next = drawn(seed);
  return Array.from({ length: count }, () => {
    const pattern = PATTERNS[Math.floor(next() * PATTERNS.length)] ?? "";
    const raw = Math.round((0.3 + next() * 0.65) * 1_000) / 1_000;
    return { pattern, raw, promoted: next() < truth(pattern, raw) };
  });
}

/** Mean squared distance from what happened. */
function brier(of: (pattern: string, raw: number) => number, held: readonly DecidedOutcome[]): number {
  return held.reduce((sum, one) => sum + (of(one.pattern, one.raw) - Number(one.promoted)) ** 2, 0) / held.length;
}

const mean = (values: readonly number[]) => values.reduce((sum, one) => sum + one, 0) / values.length;

describe("calibration", () => {
  it("RV-40 with fewer than 20 outcomes the raw confidence is used", () => {
    const some = outcomes(() => 0, 19, 1);
    expect(calibrate(some, 20).of("correction", 0.8)).toBe(0.8);
    expect(
      calibrate(
        outcomes(() => 0, 20, 1),
        20,
      ),
    ).toMatchObject({ kind: "calibrated" });
    expect(
      calibrate(
        outcomes(() => 0, 20, 1),
        20,
      ).of("correction", 0.8),
    ).toBeLessThan(0.5);
  });

  it.each(TRUTHS)(
    "RV-41 for a reviewer that is %s, calibration is closer to unseen outcomes on average",
    (_, truth) => {
      for (const [count, better] of [
        [20, 0],
        [60, 0.005],
        [300, 0.005],
      ] as const) {
        const gains = Array.from({ length: 40 }, (_, seed) => {
          const { of } = calibrate(outcomes(truth, count, 7_000 + seed), 20);
          const held = outcomes(truth, 1_000, 9_000 + seed);
          return brier((_, raw) => raw, held) - brier(of, held);
        });
        expect(mean(gains)).toBeGreaterThanOrEqual(better);
      }
    },
  );

  it("RV-42 calibration costs an accurate reviewer almost nothing", () => {
    const losses = Array.from({ length: 40 }, (_, seed) => {
      const { of } = calibrate(
        outcomes((_, raw) => raw, 60, 7_000 + seed),
        20,
      );
      const held = outcomes((_, raw) => raw, 1_000, 9_000 + seed);
      return brier(of, held) - brier((_, raw) => raw, held);
    });
    expect(mean(losses)).toBeLessThan(0.005);
  });

  it("RV-43 calibration is monotone and deterministic", () => {
    const outcome = fc.record({
      pattern: fc.constantFrom(...PATTERNS),
      raw: fc.double({ min: 0, max: 1, noNaN: true }),
      promoted: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(outcome, { minLength: 20, maxLength: 80 }), (some) => {
        const [a, b] = [calibrate(some, 20), calibrate(some, 20)];
        for (const pattern of [...PATTERNS, "never seen"]) {
          const line = Array.from({ length: 21 }, (_, at) => a.of(pattern, at / 20));
          expect(line).toEqual(line.toSorted((x, y) => x - y));
          expect(line.every((one) => one >= 0 && one <= 1)).toBe(true);
          expect(line).toEqual(Array.from({ length: 21 }, (_, at) => b.of(pattern, at / 20)));
        }
      }),
    );
  });

  it("RV-44 the calibration map passes through its points and is linear in between", () => {
    const many = [0.2, 0.8].flatMap((x) =>
      Array.from({ length: 500 }, (_, at) => ({ x, y: Number(at % 10 < 10 * x ** 2) })),
    );
    const map = fitMonotone(many);
    expect(map(0.2)).toBeCloseTo(0.1, 1);
    expect(map(0.8)).toBeCloseTo(0.7, 1);
    expect(fitMonotone([])(0.5)).toBeCloseTo(0.5);
  });
});
