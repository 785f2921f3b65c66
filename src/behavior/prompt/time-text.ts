import { cutGraphemes } from "../../base/kernel/text.ts";

/** `Friday, March 06, 2026 09:05 AM (Europe/London)`. Throws for an unknown zone. */
export function timeText(at: number, zone: string): string {
  const parts = clockIn(zone).formatToParts(at);
  const get = (wanted: Intl.DateTimeFormatPartTypes) => parts.find(({ type }) => type === wanted)?.value ?? "";
  const date = `${get("weekday")}, ${get("month")} ${get("day")}, ${get("year")}`;
  return `${date} ${get("hour")}:${get("minute")} ${get("dayPeriod")} (${zone})`;
}

/** The requested zone, or UTC with a warning if it does not exist. */
export function resolveZone(zone: string | undefined): { readonly zone: string; readonly warning?: string } {
  const asked = zone?.trim() ?? "";
  if (asked === "") return { zone: "UTC" };
  try {
    clockIn(asked);
    return { zone: asked };
  } catch {
    const shown = JSON.stringify(cutGraphemes(asked, 60));
    return { zone: "UTC", warning: `unknown time zone ${shown}, so UTC is used; use a name such as "Europe/London"` };
  }
}

/** Formatters are expensive to create. Bounded, because a zone has many spellings. */
const clocks = new Map<string, Intl.DateTimeFormat>();

function clockIn(timeZone: string): Intl.DateTimeFormat {
  const known = clocks.get(timeZone);
  if (known !== undefined) return known;
  const clock = new Intl.DateTimeFormat("en-US", {
    timeZone,
    weekday: "long",
    year: "numeric",
    month: "long",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h12",
  });
  if (clocks.size >= 1_000) clocks.clear();
  clocks.set(timeZone, clock);
  return clock;
}
