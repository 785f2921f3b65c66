import { useSyncExternalStore } from "react";

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const absolute = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "long" });
const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const minutes = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const shortDay = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
});
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });

const TICK_MS = 20_000;

/** Formats `3 min ago`; a date after a month. It never ends with a full stop, so that it can end a sentence. */
export function relativeTime(at: number, now: number): string {
  const away = Math.abs(at - now);
  const isPast = at <= now;
  if (away > 30 * DAY_MS) return day.format(at);
  // The clock is read at intervals, so a recent event may seem to be in the future.
  if (away < MINUTE_MS) return at - now > TICK_MS ? "in a moment" : "just now";
  const days = Math.trunc(away / DAY_MS);
  if (days === 1) return isPast ? "yesterday" : "tomorrow";
  const span =
    days > 1
      ? `${days} days`
      : away >= HOUR_MS
        ? `${Math.trunc(away / HOUR_MS)} h`
        : `${Math.trunc(away / MINUTE_MS)} min`;
  return isPast ? `${span} ago` : `in ${span}`;
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

/** Shows the end of something, such as `until 14:32 (in 9 min)`. */
export function Until({ at: given }: { readonly at: number | string }) {
  const now = useNow();
  const at = new Date(given).getTime();
  if (Number.isNaN(at)) return <span>until {String(given)}</span>;
  const isToday = new Date(at).toDateString() === new Date(now).toDateString();
  return (
    <time dateTime={new Date(at).toISOString()} title={absolute.format(at)}>
      until {isToday ? minutes.format(at) : shortDay.format(at)} ({relativeTime(at, now)})
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
