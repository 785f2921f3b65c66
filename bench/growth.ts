/** Returns the change from one turn to the next, by least squares. */
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
 * Whether a count keeps growing: the last quarter's minimum exceeds the second quarter's maximum, and its maximum the
 * third's. Temporary peaks and single steps do not count; the first quarter is warm-up.
 */
export function keepsGrowing(counts: readonly number[]): boolean {
  const quarter = Math.floor(counts.length / 4);
  if (quarter === 0) return false;
  const [, second = [], third = []] = [0, 1, 2].map((at) => counts.slice(at * quarter, (at + 1) * quarter));
  const last = counts.slice(3 * quarter);
  return Math.min(...last) > Math.max(...second) && Math.max(...last) > Math.max(...third);
}
