import { cutGraphemes } from "../../base/kernel/text.ts";

/** The time as a person in `zone` reads it: `Friday, March 06, 2026 09:05 AM (Europe/London)`. `zone` is one that exists. */
export function timeText(at: number, zone: string): string {
  const part = new Map(
    clockIn(zone)
      .formatToParts(at)
      .map(({ type, value }) => [type, value]),
  );
  const get = (type: Intl.DateTimeFormatPartTypes) => part.get(type) ?? "";
  const date = `${get("weekday")}, ${get("month")} ${get("day")}, ${get("year")}`;
  return `${date} ${get("hour")}:${get("minute")} ${get("dayPeriod")} (${zone})`;
}

/** A zone that exists: the one that was asked for, else UTC. The warning names one that does not exist. */
export function resolveZone(zone: string | undefined): { readonly zone: string; readonly warning?: string } {
  const asked = zone?.trim() ?? "";
  if (asked === "") return { zone: "UTC" };
  try {
    clockIn(asked);
    return { zone: asked };
  } catch {
    const shown = JSON.stringify(cutGraphemes(asked, 60));
    return { zone: "UTC", warning: `there is no time zone ${shown}: UTC is used; name one such as "Europe/London"` };
  }
}

/** A clock is costly to make. There are some 600 zones; whoever names one by ever new spellings does not fill the memory. */
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
