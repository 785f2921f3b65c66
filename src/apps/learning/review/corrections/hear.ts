import type { DirectiveType } from "../../../../base/words/contract.ts";
import { TYPE_WEIGHTS, WISH_WEIGHTS } from "./tables/weights.ts";

/** How sure it is that a sentence asks for something that lasts, 0 to 1, and what speaks for each type. */
export type Heard = { readonly confidence: number; readonly types: readonly number[] };

const TYPES = ["keep", "less", "more", "start", "stop"] as const satisfies readonly DirectiveType[];
/** One sentence alone is never surer than this; from `SPREAD` on it takes ever more to be surer, so that findings can be ordered. */
const MOST = 0.93;
const SPREAD = 0.6;
const SLOWLY = 3;
const NONE: readonly number[] = [0, 0, 0, 0, 0];

const wish: ReadonlyMap<string, number> = new Map(
  [...readTable(WISH_WEIGHTS)].map(([name, [weight = 0]]) => [name, weight]),
);
const type: ReadonlyMap<string, readonly number[]> = readTable(TYPE_WEIGHTS);

/** Weighs the features of a sentence: sums of weights, one per feature; for the confidence bent into 0 to 1. */
export function hear(features: ReadonlySet<string>): Heard {
  let sum = wish.get("bias") ?? 0;
  const types = [...(type.get("bias") ?? NONE)];
  for (const feature of features) {
    sum += wish.get(feature) ?? 0;
    const weights = type.get(feature);
    if (weights !== undefined) for (const [at, weight] of weights.entries()) types[at] = (types[at] ?? 0) + weight;
  }
  return { confidence: confidenceOf(sum), types };
}

/** The logistic function up to `SPREAD`, then slower; it only ever grows. */
function confidenceOf(sum: number): number {
  const share = 1 / (1 + Math.exp(-sum));
  if (share <= SPREAD) return share;
  return SPREAD + (MOST - SPREAD) * (1 - Math.exp((Math.log(SPREAD / (1 - SPREAD)) - sum) / SLOWLY));
}

/** The type for which these sentences speak most, all together. */
export function typeOf(heard: readonly Heard[]): DirectiveType {
  const sums = TYPES.map((_, at) => heard.reduce((sum, { types }) => sum + (types[at] ?? 0), 0));
  return TYPES[sums.indexOf(Math.max(...sums))] ?? "start";
}

/** The features of a sentence with what each weighs, heaviest first: why it was heard so. */
export function explainHearing(features: ReadonlySet<string>): readonly (readonly [string, number])[] {
  return [...features]
    .map((name) => [name, wish.get(name) ?? 0] as const)
    .filter(([, weight]) => weight !== 0)
    .toSorted(([, a], [, b]) => Math.abs(b) - Math.abs(a));
}

/** A name and its numbers, again and again, parted by `|` and new lines. */
function readTable(table: string): ReadonlyMap<string, readonly number[]> {
  return new Map(
    table
      .trim()
      .split(/[|\n]/)
      .map((line) => line.trim().split(/\s+/))
      .map(([name = "", ...numbers]) => [name, numbers.map(Number)] as const),
  );
}
