import { pairedRatios, quantile, type Spread, spreadOf } from "./statistics.ts";

/** One side of a comparison. `prepare` and `before` are not measured. */
export type Side = {
  prepare?(batch: number): unknown;
  /** Runs before every single run; only if `each` is set. */
  before?(): unknown;
  run(): unknown;
  /** Number of runs that count as one, if this side is much faster. Not used if `each` is set. */
  readonly repeat?: number;
};

export type CompareOptions = {
  readonly name: string;
  readonly ours: Side | (() => unknown);
  readonly reference: Side | (() => unknown);
  readonly batches?: number;
  readonly perBatch: number;
  /** Batches of both sides that are run and discarded. */
  readonly warmUp?: number;
  /** Times every run, which gives p99. A batch then counts with its median instead of its mean. */
  readonly each?: boolean;
  /** Size of the work on each side if it differs; the ratio is then per unit of work. */
  readonly work?: { readonly ours: number; readonly reference: number };
  /** Called after each pair of batches. */
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
  /** Ours / reference for each pair of batches; below 1, ours is faster. */
  readonly ratio: Spread;
};

export const BATCHES = 30;

/**
 * Compares ours with the reference in paired batches, in alternating order. Other load on the machine affects both, so
 * the ratio stays valid on a busy machine. Bodies may be synchronous or return promises.
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

/** Runs one side and stores its times. A batch below 0 is warm-up. */
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

/** An unused result may be optimised away, together with the work. */
const kept: { value: unknown } = { value: undefined };

function isThenable(value: unknown): boolean {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}
