/** The number itself; throws on one that no threshold can be, since that is a mistake in the agent's definition. */
export function positive(what: string, value: number): number {
  if (Number.isFinite(value) && value > 0) return value;
  throw new RangeError(`${what} must be a number above 0, not ${value}`);
}
