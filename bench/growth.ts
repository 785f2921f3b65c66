/** Least squares: how much a value changes from one turn to the next. */
export function slopeOf(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const [above, below] = values.reduce(
    ([up, down], value, at) => [up + (at - middle) * (value - mean), down + (at - middle) ** 2],
    [0, 0],
  );
  return below === 0 ? 0 : above / below;
}

/**
 * Does a count keep growing? What comes and goes does not, and neither does one that is a step higher once: in the last quarter it is never
 * as low as it was in the second, and goes beyond the third. The first is warm-up.
 */
export function keepsGrowing(counts: readonly number[]): boolean {
  const quarter = Math.floor(counts.length / 4);
  if (quarter === 0) return false;
  const [, second = [], third = []] = [0, 1, 2].map((at) => counts.slice(at * quarter, (at + 1) * quarter));
  const last = counts.slice(3 * quarter);
  return Math.min(...last) > Math.max(...second) && Math.max(...last) > Math.max(...third);
}
