import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { momentIn, timeIn } from "./with-store.ts";

describe("times in the machine's zone", () => {
  it("PRT-2 a time is written the same with and without the locale tables", () => {
    const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
    const now = Date.UTC(2026, 10, 18, 12);
    const years = fc.date({ min: new Date("2020-01-01Z"), max: new Date("2030-01-01Z"), noInvalidDate: true });
    fc.assert(
      fc.property(years, (date) => {
        const at = date.getTime();
        expect(timeIn(undefined)(at)).toBe(timeIn(zone)(at));
        expect(momentIn(undefined, now)(at)).toBe(momentIn(zone, now)(at));
        expect(momentIn(undefined, at)(at)).toBe(timeIn(zone)(at));
      }),
    );
  });
});
