/** ISO 8601 with a zone; without one it would mean another time on another machine. */
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/;

/** The time in the one form in which times are kept, so that they compare as texts; `undefined` when it is none. */
export function readTime(written: string): string | undefined {
  const ms = ISO.test(written) ? Date.parse(written) : Number.NaN;
  return Number.isNaN(ms) ? undefined : isoTime(ms);
}

export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

/** At its very end a thing is over. */
export function isOver(expiresAt: string | undefined, now: number): boolean {
  return expiresAt !== undefined && !(Date.parse(expiresAt) > now);
}
