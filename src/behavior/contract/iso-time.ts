/** ISO 8601 with a time zone. */
const ISO = /^(\d{4}-\d\d-(\d\d))T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/;

/** The time in its stored form, which compares as text; `undefined` if it is not valid. */
export function readTime(written: string): string | undefined {
  const [, date = "", day] = ISO.exec(written) ?? [];
  const ms = Date.parse(written);
  // JavaScript reads the 31st of February as a day in March.
  if (Number.isNaN(ms) || new Date(`${date}T00:00Z`).getUTCDate() !== Number(day)) return undefined;
  const time = isoTime(ms);
  // The zone may lead to a year without four digits, which could not be read again.
  return ISO.test(time) ? time : undefined;
}

export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

export function isOver(expiresAt: string | undefined, now: number): boolean {
  return expiresAt !== undefined && !(Date.parse(expiresAt) > now);
}
