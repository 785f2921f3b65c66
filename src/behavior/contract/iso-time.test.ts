import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isOver, readTime } from "./iso-time.ts";

describe("times", () => {
  it.each([
    ["2026-11-15T08:00Z", "2026-11-15T08:00:00.000Z"],
    ["2026-11-15T08:00:00.5+02:00", "2026-11-15T06:00:00.500Z"],
    ["2028-02-29T00:00Z", "2028-02-29T00:00:00.000Z"],
    ["9999-12-31T23:59:59Z", "9999-12-31T23:59:59.000Z"],
    ["9999-12-31T23:59-05:00", undefined],
    ["0000-01-01T00:00+05:00", undefined],
    ["2026-02-29T00:00Z", undefined],
    ["2026-02-31T00:00Z", undefined],
    ["2026-13-01T00:00Z", undefined],
    ["2026-11-15T08:00", undefined],
    ["2026-11-15", undefined],
    ["+010000-01-01T00:00:00Z", undefined],
  ])("D23: the time %s is read as %s", (written, time) => {
    expect(readTime(written)).toBe(time);
  });

  it("D23: reading a normalised time gives the same time again", () => {
    const part = (max: number, length = 2) => fc.integer({ min: 0, max }).map((n) => String(n).padStart(length, "0"));
    const zone = fc.oneof(fc.constant("Z"), fc.tuple(fc.constantFrom("+", "-"), part(23), part(59)));
    fc.assert(
      fc.property(
        part(9_999, 4),
        part(13),
        part(32),
        part(24),
        part(60),
        zone,
        (year, month, day, hour, minute, at) => {
          const where = typeof at === "string" ? at : `${at[0]}${at[1]}:${at[2]}`;
          const time = readTime(`${year}-${month}-${day}T${hour}:${minute}${where}`);
          if (time !== undefined) expect(readTime(time)).toBe(time);
        },
      ),
    );
  });

  it("D23: an expiry time is over from its exact millisecond on", () => {
    const end = Date.parse("2026-11-15T08:00Z");
    const times = [end - 1, end, end + 1].map((now) => isOver("2026-11-15T08:00:00.000Z", now));
    expect([...times, isOver(undefined, Number.MAX_VALUE)]).toEqual([false, true, true, false]);
  });
});
