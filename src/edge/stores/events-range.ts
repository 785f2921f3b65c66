/** The largest position that every store can hold. */
const MAX_POSITION = Number.MAX_SAFE_INTEGER;

/** A whole number from 1; throws for anything else. */
export function checkedLimit(limit: number): number {
  if (!Number.isSafeInteger(limit) || limit < 1)
    throw new Error(`limit is a whole number from 1, and this is ${limit}`);
  return limit;
}

/** A position in whole numbers that every store takes; throws when it is none. */
export function checkedPosition(position: number): number {
  if (Number.isNaN(position)) throw new Error("a position is a number, and this is none");
  return Math.min(Math.max(Math.floor(position), 0), MAX_POSITION);
}
