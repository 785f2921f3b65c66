import type { DecidedOutcome } from "./outcomes.ts";

type Point = { readonly x: number; readonly y: number };
type Block = { readonly x: number; readonly y: number; readonly weight: number };

/** The straight line that stands for no knowledge: ten points that weigh as two outcomes each, from 0.05 to 0.95. */
const LINE: readonly Block[] = Array.from({ length: 10 }, (_, at) => (at + 0.5) / 10).map((x) => ({
  x,
  y: x,
  weight: 2,
}));

/**
 * The function that never falls and lies nearest to the points (pool adjacent violators), between its steps a straight line. Few
 * points bend it little: it begins as the line on which both sides are equal.
 */
export function fitMonotone(points: readonly Point[]): (x: number) => number {
  const all: readonly Block[] = [...LINE, ...points.map(({ x, y }) => ({ x, y, weight: 1 }))];
  const sorted = [...Map.groupBy(all, ({ x }) => x).values()]
    .map((same) => same.reduce(pool))
    .sort((a, b) => a.x - b.x);
  const blocks: Block[] = [];
  for (const point of sorted) {
    let block: Block = point;
    for (let last = blocks.at(-1); last !== undefined && last.y >= block.y; last = blocks.at(-1)) {
      block = pool(last, block);
      blocks.pop();
    }
    blocks.push(block);
  }
  return (x) => between(blocks, x);
}

function pool(a: Block, b: Block): Block {
  const weight = a.weight + b.weight;
  const mean = (of: "x" | "y") => (a[of] * a.weight + b[of] * b.weight) / weight;
  return { x: mean("x"), y: mean("y"), weight };
}

function between(blocks: readonly Block[], x: number): number {
  const after = blocks.findIndex((block) => block.x >= x);
  const right = blocks[after];
  const left = after < 0 ? blocks.at(-1) : blocks[after - 1];
  if (left === undefined || right === undefined) return (left ?? right)?.y ?? x;
  return left.y + ((right.y - left.y) * (x - left.x)) / (right.x - left.x);
}

/** How likely a finding of a pattern is to be promoted, given how sure the reviewer is by itself. */
type Calibration = {
  readonly kind: "raw" | "calibrated";
  readonly of: (pattern: string, raw: number) => number;
};

const RAW: Calibration = { kind: "raw", of: (_, raw) => raw };
/** Outcomes that the belief in a pattern's average is worth: with fewer of its own, a pattern goes by the others. */
const PRIOR = 12;
/** It has to be nearer by so much: what a few outcomes say may be chance. */
const NEARER = 0.97;
const FOLDS = 5;

/**
 * Learns from outcomes, once there are enough: a map that never falls from the reviewer's confidence to the share promoted, moved for
 * each pattern by how its own outcomes lie off it, held back by a Beta prior. It is used only where it would have been
 * nearer to the outcomes that it had not seen than the reviewer's own confidence was.
 */
export function calibrate(outcomes: readonly DecidedOutcome[], least: number): Calibration {
  if (outcomes.length < least) return RAW;
  const errors = { raw: 0, calibrated: 0 };
  for (let fold = 0; fold < FOLDS; fold++) {
    const of = learnFrom(outcomes.filter((_, at) => at % FOLDS !== fold));
    for (const { pattern, raw, promoted } of outcomes.filter((_, at) => at % FOLDS === fold)) {
      errors.raw += (raw - Number(promoted)) ** 2;
      errors.calibrated += (of(pattern, raw) - Number(promoted)) ** 2;
    }
  }
  return errors.calibrated < errors.raw * NEARER ? { kind: "calibrated", of: learnFrom(outcomes) } : RAW;
}

function learnFrom(outcomes: readonly DecidedOutcome[]): Calibration["of"] {
  const map = fitMonotone(outcomes.map(({ raw, promoted }) => ({ x: raw, y: Number(promoted) })));
  const patterns = new Map(
    [...Map.groupBy(outcomes, ({ pattern }) => pattern)].map(([pattern, own]) => {
      const expected = own.reduce((sum, { raw }) => sum + map(raw), 0);
      const promoted = own.filter((one) => one.promoted).length;
      const mean = expected / own.length;
      return [pattern, (promoted + PRIOR * mean) / (own.length + PRIOR) - mean];
    }),
  );
  return (pattern, raw) => round(Math.min(0.99, Math.max(0.01, map(raw) + (patterns.get(pattern) ?? 0))));
}

function round(share: number): number {
  return Math.round(share * 1_000) / 1_000;
}
