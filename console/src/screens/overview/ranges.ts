export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

/** A range of whole hours or days (UTC), as the gateway counts them. `until` is the last millisecond. */
export type TimeRange = {
  readonly name: string;
  readonly by: "hour" | "day";
  readonly since: number;
  readonly until: number;
};

export const PRESETS = [
  { name: "24 hours", by: "hour", count: 24 },
  { name: "7 days", by: "day", count: 7 },
  { name: "30 days", by: "day", count: 30 },
] as const;

/** Up to this length, a chart has one bar for each hour. */
const MOST_HOURS = 72 * HOUR;
/** The gateway returns at most this number of bars. */
const MOST_DAYS = 999 * DAY;

/** Returns the range that the address names: `range=7 days`, or `since` and `until` in milliseconds. */
export function rangeOf(address: URLSearchParams, end: number): TimeRange {
  const [since, until] = ["since", "until"].map((name) => Number(address.get(name) ?? Number.NaN));
  if (since !== undefined && until !== undefined && since >= 0 && since < until && until - since < MOST_DAYS) {
    const by = until - since <= MOST_HOURS ? "hour" : "day";
    const step = by === "hour" ? HOUR : DAY;
    const first = Math.floor(since / step) * step;
    return {
      name: `${shortTime(since)} – ${shortTime(until)}`,
      by,
      since: first,
      until: Math.ceil(until / step) * step - 1,
    };
  }
  const { name, by, count } = PRESETS.find((one) => one.name === address.get("range")) ?? PRESETS[0];
  const step = by === "hour" ? HOUR : DAY;
  return { name, by, since: Math.floor(end / step) * step - (count - 1) * step, until: end };
}

const short = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });

function shortTime(at: number): string {
  return short.format(at);
}

/** Formats a time for a `datetime-local` field, in the browser's zone. */
export function inputOf(at: number): string {
  const local = new Date(at - new Date(at).getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}
