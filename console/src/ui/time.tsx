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

/** Formats `3 min. ago`; a date after a month. */
export function relativeTime(at: number, now: number): string {
  const past = at - now;
  if (Math.abs(past) > 30 * 86_400_000) return day.format(at);
  for (const [ms, unit] of UNITS) if (Math.abs(past) >= ms) return relative.format(Math.trunc(past / ms), unit);
  // The clock is read at intervals, so a recent event may seem to be in the future.
  return past > TICK_MS ? "in a moment" : "just now";
}

/** Shows a relative time, with the exact local time on hover. `how="clock"` shows the time of day. */
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

/** Returns only the time for today, and the date too for other days. */
function timeOfDay(at: number, now: number): string {
  return new Date(at).toDateString() === new Date(now).toDateString() ? clock.format(at) : shortDay.format(at);
}

const listeners = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

/** Returns the time, updated every few seconds by one shared timer. */
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
      // The timer was stopped, so the stored time may be old.
      if (timer === undefined) now = Date.now();
      return now;
    },
  );
}
