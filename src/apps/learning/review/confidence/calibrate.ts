import type { ContractState } from "../../../../behavior/contract/contract-state.ts";

type Point = { readonly x: number; readonly y: number };
type Block = { readonly x: number; readonly y: number; readonly weight: number };

/** The identity line as prior: ten points from 0.05 to 0.95, each weighing as much as two outcomes. */
const LINE: readonly Block[] = Array.from({ length: 10 }, (_, at) => (at + 0.5) / 10).map((x) => ({
  x,
  y: x,
  weight: 2,
}));

/**
 * Monotone regression (pool adjacent violators), linear between its steps. Starts from the identity line, so few
 * points change it little.
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

/** The probability that a finding of a pattern is promoted, given the reviewer's raw confidence. */
type Calibration = {
  readonly kind: "raw" | "calibrated";
  readonly of: (pattern: string, raw: number) => number;
};

const RAW: Calibration = { kind: "raw", of: (_, raw) => raw };
/** Weight of the prior in outcomes: a pattern with fewer of its own follows the average. */
const PRIOR = 12;
/** Required error ratio: a smaller gain over a few outcomes may be chance. */
const NEARER = 0.97;
const FOLDS = 5;

/**
 * Learns from enough outcomes: a monotone map from raw confidence to the share promoted, shifted per pattern with a
 * Beta prior. Used only if it predicts held-out outcomes better than the raw confidence.
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

/** A decided candidate: the reviewer's raw confidence, and whether it was promoted. */
export type DecidedOutcome = { readonly pattern: string; readonly raw: number; readonly promoted: boolean };

/**
 * Outcomes of the review's candidates, oldest first. A candidate promoted with another wording counts as right; an
 * expired one was never decided.
 */
export function decidedOutcomes({ candidates }: ContractState): readonly DecidedOutcome[] {
  return [...candidates]
    .map(([, candidate]) => candidate)
    .filter(({ status }) => status === "promoted" || status === "rejected")
    .sort((a, b) => (a.createdAt === b.createdAt ? (a.id < b.id ? -1 : 1) : a.createdAt < b.createdAt ? -1 : 1))
    .flatMap(({ origin, status }) =>
      origin?.raw === undefined ? [] : [{ pattern: origin.pattern, raw: origin.raw, promoted: status === "promoted" }],
    );
}
