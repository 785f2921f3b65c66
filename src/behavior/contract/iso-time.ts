/** ISO 8601 with a zone; without one it would mean another time on another machine. */
const ISO = /^(\d{4}-\d\d-(\d\d))T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/;

/** The time in the one form in which times are kept, so that they compare as texts; `undefined` when it is none. */
export function readTime(written: string): string | undefined {
  const [, date = "", day] = ISO.exec(written) ?? [];
  const ms = Date.parse(written);
  // JavaScript takes the 31st of February for a day in March.
  if (Number.isNaN(ms) || new Date(`${date}T00:00Z`).getUTCDate() !== Number(day)) return undefined;
  const time = isoTime(ms);
  // The zone may lead out of the years that have four digits, and then nobody could read it again.
  return ISO.test(time) ? time : undefined;
}

export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

/** At its very end a thing is over. */
export function isOver(expiresAt: string | undefined, now: number): boolean {
  return expiresAt !== undefined && !(Date.parse(expiresAt) > now);
}
