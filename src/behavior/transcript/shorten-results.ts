/** Fewer tokens than this tell nothing. */
export const LEAST = 100;

/**
 * To how many tokens the largest texts must be cut, so that all together take at most `budget`; the smaller ones stay as they are.
 * `undefined` when that would leave less than `LEAST` of one.
 */
export function levelFor(sizes: readonly number[], budget: number): number | undefined {
  const rising = sizes.toSorted((a, b) => a - b);
  let left = budget;
  for (const [at, size] of rising.entries()) {
    const level = Math.floor(left / (rising.length - at));
    if (size > level) return level >= LEAST ? level : undefined;
    left -= size;
  }
  return rising.at(-1) ?? LEAST;
}
