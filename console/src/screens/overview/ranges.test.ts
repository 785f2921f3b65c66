import { expect, it } from "vitest";
import { DAY, HOUR, rangeOf } from "./ranges.ts";

const END = Date.UTC(2026, 10, 18, 10) - 1;
const asked = (text: string) => rangeOf(new URLSearchParams(text), END);

it.each([
  ["", "hour", 24 * HOUR],
  ["range=7+days", "day", 7 * DAY - 14 * HOUR],
  ["range=forever", "hour", 24 * HOUR],
  [`since=${END - HOUR}&until=${END}`, "hour", 2 * HOUR],
  [`since=${END - 10 * DAY}&until=${END}`, "day", 11 * DAY],
  [`since=${END}&until=${END - 5}`, "hour", 24 * HOUR],
  ["since=0&until=99999999999999", "hour", 24 * HOUR],
] as const)("NY-9 the address '%s' selects whole units of a %s, %i ms", (text, by, span) => {
  const range = asked(text);
  expect([range.by, range.until + 1 - range.since]).toEqual([by, span]);
});
