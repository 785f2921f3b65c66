import { pairedRatios, quantile, type Spread, spreadOf } from "./statistics.ts";

/** One side of a comparison. What `prepare` and `before` do is not measured. */
export type Side = {
  /** Once before each batch. */
  prepare?(batch: number): unknown;
  /** Before every single run; only where each run is timed by itself. */
  before?(): unknown;
  run(): unknown;
  /** Runs that count as one of the batch's, where this side is much the faster one. Not where each run is timed by itself. */
  readonly repeat?: number;
};

export type CompareOptions = {
  readonly name: string;
  readonly ours: Side | (() => unknown);
  readonly reference: Side | (() => unknown);
  readonly batches?: number;
  readonly perBatch: number;
  /** Batches of both sides that are run and thrown away. */
  readonly warmUp?: number;
  /** Times every run by itself, which gives p99; a batch then counts with its median instead of its mean. */
  readonly each?: boolean;
  /** Size of the work on each side where it differs: the ratio is then per unit of work. */
  readonly work?: { readonly ours: number; readonly reference: number };
  /** Told after each pair of batches. */
  readonly onBatch?: (done: number, of: number) => void;
};

/** All times in microseconds per run. */
export type Measured = { readonly spread: Spread; readonly p50?: number; readonly p99?: number };

export type Comparison = {
  readonly name: string;
  readonly batches: number;
  readonly perBatch: number;
  readonly ours: Measured;
  readonly reference: Measured;
  /** Ours / reference, of each pair of batches. Below 1 ours is faster. */
  readonly ratio: Spread;
};

export const BATCHES = 30;

/**
 * Ours and the reference in paired batches, in alternating order: whatever else the machine does in these moments weighs on both,
 * so that the ratio holds on a busy machine, too. Bodies may be synchronous or return promises.
 */
export async function compare(options: CompareOptions): Promise<Comparison> {
  const { name, batches = BATCHES, perBatch, warmUp = 1, each = false, work, onBatch } = options;
  const ours = new Batches(options.ours, perBatch, each);
  const reference = new Batches(options.reference, perBatch, each);
  for (let batch = -warmUp; batch < batches; batch++) {
    const pair = batch % 2 === 0 ? [ours, reference] : [reference, ours];
    for (const side of pair) await side.measure(batch);
    if (batch >= 0) onBatch?.(batch + 1, batches);
  }
  const weight = work === undefined ? 1 : work.reference / work.ours;
  const ratio = spreadOf(pairedRatios(ours.times, reference.times, weight));
  return { name, batches, perBatch, ours: ours.measured(), reference: reference.measured(), ratio };
}

/** Runs one side and keeps its times. A batch below 0 is warm-up. */
class Batches {
  readonly times: number[] = [];
  readonly #side: Side;
  readonly #perBatch: number;
  readonly #each: boolean;
  readonly #samples: number[] = [];
  #async: boolean | undefined;

  constructor(side: Side | (() => unknown), perBatch: number, each: boolean) {
    this.#side = typeof side === "function" ? { run: side } : side;
    this.#perBatch = perBatch;
    this.#each = each;
  }

  async measure(batch: number): Promise<void> {
    await this.#side.prepare?.(batch);
    if (this.#async === undefined) {
      await this.#side.before?.();
      const first = this.#side.run();
      this.#async = isThenable(first);
      await first;
    }
    const time = this.#each ? await this.#timeEach(batch) : await this.#timeAll();
    if (batch >= 0) this.times.push(time);
  }

  measured(): Measured {
    const spread = spreadOf(this.times);
    if (!this.#each) return { spread };
    return { spread, p50: quantile(this.#samples, 0.5), p99: quantile(this.#samples, 0.99) };
  }

  async #timeAll(): Promise<number> {
    const side = this.#side;
    const count = this.#perBatch * (side.repeat ?? 1);
    const started = performance.now();
    if (this.#async) for (let i = 0; i < count; i++) await side.run();
    else for (let i = 0; i < count; i++) kept.value = side.run();
    return ((performance.now() - started) * 1_000) / count;
  }

  async #timeEach(batch: number): Promise<number> {
    const side = this.#side;
    const times: number[] = [];
    for (let i = 0; i < this.#perBatch; i++) {
      if (side.before !== undefined) await side.before();
      const started = performance.now();
      if (this.#async) await side.run();
      else kept.value = side.run();
      times.push((performance.now() - started) * 1_000);
    }
    if (batch >= 0) this.#samples.push(...times);
    return quantile(times, 0.5);
  }
}

/** A result that is looked at by nobody may be optimised away with the work that made it. */
const kept: { value: unknown } = { value: undefined };

function isThenable(value: unknown): boolean {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}
