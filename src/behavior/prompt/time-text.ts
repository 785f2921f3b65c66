import { nearest } from "../../base/kernel/nearest.ts";
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

/** The zone's usual spelling, or what is wrong with it and which zone may be meant. */
export function findZone(written: string): { readonly zone: string } | { readonly fault: string } {
  const asked = written.trim();
  try {
    if (/^[A-Za-z]/.test(asked)) {
      const usual = clockIn(asked).resolvedOptions().timeZone;
      // Asia/Kolkata stays, although it is an alias of Asia/Calcutta.
      return { zone: usual.toLowerCase() === asked.toLowerCase() ? usual : asked };
    }
  } catch {
    // Reported below.
  }
  const zones = Intl.supportedValuesOf("timeZone");
  const city = asked.toLowerCase().replaceAll(/\s+/g, "_");
  const meant = zones.find((zone) => zone.toLowerCase().endsWith(`/${city}`)) ?? nearestZone(asked, zones);
  const hint = meant === undefined ? "write it as Europe/London" : `did you mean '${meant}'?`;
  return { fault: `${JSON.stringify(cutGraphemes(asked, 60))} is not a time zone; ${hint}` };
}

/** Compares cities too, so that `Londn` finds Europe/London. */
function nearestZone(asked: string, zones: readonly string[]): string | undefined {
  const whole = nearest(asked, zones);
  if (whole !== undefined || asked.includes("/")) return whole;
  const city = nearest(asked, new Set(zones.map(cityOf)));
  return city === undefined ? undefined : zones.find((zone) => cityOf(zone) === city);
}

function cityOf(zone: string): string {
  return zone.slice(zone.lastIndexOf("/") + 1);
}

/** The calendar day in a zone: `2026-03-06`. An unknown zone counts as UTC. */
export function dayText(at: number, zone: string | undefined): string {
  const parts = clockIn(resolveZone(zone).zone).formatToParts(at);
  const get = (wanted: Intl.DateTimeFormatPartTypes) => parts.find(({ type }) => type === wanted)?.value ?? "";
  const month = String(MONTHS.indexOf(get("month")) + 1).padStart(2, "0");
  return `${get("year")}-${month}-${get("day")}`;
}

const MONTHS = [
  ...["January", "February", "March", "April", "May", "June", "July"],
  ...["August", "September", "October", "November", "December"],
];

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
