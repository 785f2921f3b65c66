import { useSyncExternalStore } from "react";

const UNITS: readonly (readonly [ms: number, unit: Intl.RelativeTimeFormatUnit])[] = [
  [86_400_000, "day"],
  [3_600_000, "hour"],
  [60_000, "minute"],
];
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "short" });
const absolute = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "long" });
const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const shortDay = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
});
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });

const TICK_MS = 20_000;

/** `3 min. ago`; a date beyond a month. */
export function relativeTime(at: number, now: number): string {
  const past = at - now;
  if (Math.abs(past) > 30 * 86_400_000) return day.format(at);
  for (const [ms, unit] of UNITS) if (Math.abs(past) >= ms) return relative.format(Math.trunc(past / ms), unit);
  // The clock is read now and then: what happened since is not in the future.
  return past > TICK_MS ? "in a moment" : "just now";
}

/** When it was, from now; the exact time in the viewer's own zone on hover. `how="clock"`: the time of day. */
export function Time({
  at,
  how = "relative",
}: {
  readonly at: number | string;
  readonly how?: "relative" | "clock" | "absolute";
}) {
  const now = useNow();
  const ms = typeof at === "number" ? at : Date.parse(at);
  if (Number.isNaN(ms)) return <span>{String(at)}</span>;
  const text = how === "relative" ? relativeTime(ms, now) : how === "clock" ? timeOfDay(ms, now) : absolute.format(ms);
  return (
    <time dateTime={new Date(ms).toISOString()} title={absolute.format(ms)}>
      {text}
    </time>
  );
}

/** Of today only the time; of another day the date too. */
function timeOfDay(at: number, now: number): string {
  return new Date(at).toDateString() === new Date(now).toDateString() ? clock.format(at) : shortDay.format(at);
}

const listeners = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

/** The time, told anew every few seconds; one timer for all. */
export function useNow(): number {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      timer ??= setInterval(() => {
        now = Date.now();
        for (const one of listeners) one();
      }, TICK_MS);
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
    },
    () => {
      // A page that was left alone for a while starts from the right time.
      if (timer === undefined) now = Date.now();
      return now;
    },
  );
}
