/** Every part gets up to this many tokens before the rest goes by size: a short error beside a long log stays whole. */
const FIRST = 256;

/**
 * Shares a budget among parts, in proportion to their sizes, so that no part gets more than it needs
 * and the shares never add up to more than the budget.
 */
export function shareBudget(sizes: readonly number[], budget: number): readonly number[] {
  const each = Math.min(FIRST, Math.floor(budget / Math.max(1, sizes.filter((size) => size > 0).length)));
  const shares = sizes.map((size) => Math.min(size, each));
  let left = budget - sum(shares);
  // What a part does not need goes to the others; every round satisfies at least one part or is the last.
  for (let round = 0; round < sizes.length && left > 0; round++) {
    const wants = sizes.map((size, i) => size - (shares[i] ?? 0));
    const wanted = sum(wants);
    if (wanted === 0) break;
    const given = wants.map((want, i) => Math.min(want, Math.floor((left * (sizes[i] ?? 0)) / sumOpen(sizes, wants))));
    const spent = sum(given);
    if (spent === 0) break;
    for (const [i, more] of given.entries()) shares[i] = (shares[i] ?? 0) + more;
    left -= spent;
  }
  return shares;
}

function sumOpen(sizes: readonly number[], wants: readonly number[]): number {
  return sum(sizes.filter((_, i) => (wants[i] ?? 0) > 0));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
