import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { resolveZone, timeText } from "./time-text.ts";

const at = (iso: string) => Date.parse(iso);

describe("time text", () => {
  it.each([
    ["2026-03-06T09:05:00Z", "Europe/London", "Friday, March 06, 2026 09:05 AM (Europe/London)"],
    ["2026-03-06T00:00:00Z", "UTC", "Friday, March 06, 2026 12:00 AM (UTC)"],
    ["2026-03-06T12:30:00Z", "UTC", "Friday, March 06, 2026 12:30 PM (UTC)"],
    ["2026-12-31T23:59:59.999Z", "UTC", "Thursday, December 31, 2026 11:59 PM (UTC)"],
    ["2024-02-29T20:00:00Z", "Asia/Tokyo", "Friday, March 01, 2024 05:00 AM (Asia/Tokyo)"],
  ])("G08: the time %s in %s is shown as %s", (iso, zone, text) => {
    expect(timeText(at(iso), zone)).toBe(text);
  });

  it.each([
    // The clock goes from 00:59 to 02:00: there is no 01:30 on that day.
    ["2026-03-29T00:59:00Z", "Europe/London", "12:59 AM"],
    ["2026-03-29T01:00:00Z", "Europe/London", "02:00 AM"],
    ["2026-03-08T06:59:00Z", "America/New_York", "01:59 AM"],
    ["2026-03-08T07:00:00Z", "America/New_York", "03:00 AM"],
    // The clock goes back: 01:30 comes twice.
    ["2026-10-25T00:30:00Z", "Europe/London", "01:30 AM"],
    ["2026-10-25T01:30:00Z", "Europe/London", "01:30 AM"],
    ["2026-11-01T05:30:00Z", "America/New_York", "01:30 AM"],
    ["2026-11-01T06:30:00Z", "America/New_York", "01:30 AM"],
    // Half an hour of summer time.
    ["2026-01-01T00:00:00Z", "Australia/Lord_Howe", "11:00 AM"],
    ["2026-07-01T00:00:00Z", "Australia/Lord_Howe", "10:30 AM"],
    ["2026-01-01T00:00:00Z", "Asia/Kolkata", "05:30 AM"],
    ["2026-01-01T00:00:00Z", "Asia/Kathmandu", "05:45 AM"],
  ])("G09: across clock changes %s in %s is shown as %s", (iso, zone, clock) => {
    expect(timeText(at(iso), zone)).toContain(` ${clock} (${zone})`);
  });

  it("G12: equal times give identical text in one format", () => {
    const zones = fc.constantFrom(...Intl.supportedValuesOf("timeZone"));
    const times = fc.integer({ min: 0, max: Date.UTC(2100, 0) });
    const shape = /^\w+day, [A-Z][a-z]+ \d\d, \d{4} (0[1-9]|1[0-2]):[0-5]\d [AP]M \([\w/+-]+\)$/;
    fc.assert(
      fc.property(times, zones, (time, zone) => {
        expect(timeText(time, zone)).toMatch(shape);
        expect(timeText(time, zone)).toBe(timeText(time - (time % 60_000), zone));
      }),
    );
  });
});

describe("time zones", () => {
  it.each([
    [undefined, "UTC"],
    ["", "UTC"],
    ["  ", "UTC"],
    ["Europe/London", "Europe/London"],
    [" Asia/Kathmandu ", "Asia/Kathmandu"],
    ["+05:30", "+05:30"],
  ])("G08: the time zone %o is resolved to %s without a warning", (zone, used) => {
    expect(resolveZone(zone)).toEqual({ zone: used });
  });

  it.each(["Mars/Olympus", "Europe/Lodnon", "GMT+99", "__proto__", "UTC\n## Soul"])(
    "G08: the unknown time zone %o falls back to UTC with a one-line warning that names it",
    (zone) => {
      const { zone: used, warning = "" } = resolveZone(zone);
      expect(used).toBe("UTC");
      expect(warning).toContain(JSON.stringify(zone));
      expect(warning).not.toContain("\n");
    },
  );

  it("G08: any requested time zone resolves to a usable zone", () => {
    fc.assert(fc.property(fc.string(), (zone) => timeText(0, resolveZone(zone).zone) !== ""));
  });
});
