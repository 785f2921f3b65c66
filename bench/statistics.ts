/** A quarter of the values lie below `low`, a quarter above `high`. */
export type Spread = { readonly low: number; readonly median: number; readonly high: number };

/** Returns the value below which that share of the values lies, interpolated; NaN if there are none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (sorted.length - 1) * share;
  const below = sorted[Math.floor(at)] ?? Number.NaN;
  const above = sorted[Math.ceil(at)] ?? below;
  return below + (above - below) * (at - Math.floor(at));
}

export function spreadOf(values: readonly number[]): Spread {
  return { low: quantile(values, 0.25), median: quantile(values, 0.5), high: quantile(values, 0.75) };
}

/** Divides each of ours by the reference measured next to it, so that load on the machine affects both. */
export function pairedRatios(ours: readonly number[], reference: readonly number[], weight = 1): readonly number[] {
  return ours.map((value, i) => (value / (reference[i] ?? Number.NaN)) * weight);
}
