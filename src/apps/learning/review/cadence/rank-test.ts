/**
 * How likely two samples are so far apart by chance alone (Mann-Whitney, two-sided, with ties and continuity corrected; the normal
 * approximation, good from about eight on each side). 1 where nothing can be said.
 */
export function chanceOf(a: readonly number[], b: readonly number[]): number {
  const [n, m] = [a.length, b.length];
  if (n === 0 || m === 0) return 1;
  const all = [...a.map((value) => ({ value, mine: true })), ...b.map((value) => ({ value, mine: false }))];
  all.sort((x, y) => x.value - y.value);
  let ranks = 0;
  let ties = 0;
  for (let from = 0; from < all.length; ) {
    let to = from + 1;
    while (all[to]?.value === all[from]?.value && to < all.length) to += 1;
    const same = to - from;
    ties += same ** 3 - same;
    ranks += all.slice(from, to).filter(({ mine }) => mine).length * ((from + 1 + to) / 2);
    from = to;
  }
  const size = n + m;
  const spread = Math.sqrt(((n * m) / 12) * (size + 1 - ties / (size * (size - 1))));
  if (!(spread > 0)) return 1;
  const apart = Math.abs(ranks - (n * (n + 1)) / 2 - (n * m) / 2);
  return twoTails(Math.max(0, apart - 0.5) / spread);
}

export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2;
}

/** Both tails of the normal distribution beyond `z`; Abramowitz and Stegun 7.1.26, right to seven digits. */
function twoTails(z: number): number {
  const x = z / Math.SQRT2;
  const t = 1 / (1 + 0.3275911 * x);
  const sum = ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t;
  return Math.min(1, Math.max(0, sum * Math.exp(-x * x)));
}
