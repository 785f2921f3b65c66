const DAY = 86_400_000;

/** `14:02:11`, in that zone or the machine's. */
export function timeIn(zone: string | undefined): (at: number) => string {
  const format = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium", ...placeOf(zone) });
  return (at) => format.format(at);
}

/** `14:02:11` today, `12 Nov 14:02` before that. */
export function momentIn(zone: string | undefined, now: number): (at: number) => string {
  const [time, day] = [timeIn(zone), new Intl.DateTimeFormat("en-GB", { dateStyle: "short", ...placeOf(zone) })];
  const date = new Intl.DateTimeFormat("en-GB", {
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
    ...placeOf(zone),
  });
  return (at) => (day.format(at) === day.format(now) ? time(at) : date.format(at).replace(",", ""));
}

/** When the last day began. */
export function dayBefore(now: number): number {
  return now - DAY;
}

function placeOf(zone: string | undefined): { readonly timeZone?: string } {
  return zone === undefined ? {} : { timeZone: zone };
}
