/** Random numbers that a seed repeats. */
export type Random = {
  /** From `from` up to `to`. */
  between(from: number, to: number): number;
  pick<T>(items: readonly T[]): T;
  shuffle<T>(items: readonly T[]): T[];
};

/** The generator mulberry32. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }
  function pick<T>(items: readonly T[]): T {
    const found = items[Math.floor(next() * items.length)];
    if (found === undefined) throw new Error("nothing to pick from");
    return found;
  }
  return {
    between: (from, to) => from + next() * (to - from),
    pick,
    shuffle(items) {
      const left = [...items];
      return items.map(() => left.splice(Math.floor(next() * left.length), 1)[0] as (typeof items)[number]);
    },
  };
}
