import { expect, it, vi } from "vitest";
import type { Decision } from "../../../base/words/decision.ts";
import { decideInTime } from "./refusals.ts";

const allow: Decision = { kind: "allow", id: "d_1", advice: [] };
const deny = { kind: "deny" } as Decision;
const never = new Promise<Decision>(() => {});

it("DIT-1 a decision in time is returned, and leaves no timer behind", async () => {
  const before = process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  const { signal } = new AbortController();
  const decided = decideInTime(Promise.resolve(allow), { limitMs: 60_000, signal, giveBack: () => expect.fail() });
  expect(await decided).toBe(allow);
  expect(process.getActiveResourcesInfo().filter((name) => name === "Timeout")).toHaveLength(before);
});

it.each([
  { case: "does not come", more: { limitMs: 20 }, why: "Conduct has not answered within 0 s" },
  { case: "is not waited for", more: { signal: AbortSignal.abort() }, why: "the run was aborted" },
])("DIT-2 a decision that $case becomes an error that says so", async ({ more, why }) => {
  await expect(decideInTime(never, { ...more, giveBack: () => expect.fail() })).rejects.toThrow(why);
});

it("DIT-3 the error of a failed decision is passed on", async () => {
  const failing = Promise.reject(new Error("the store is gone"));
  await expect(decideInTime(failing, { limitMs: 60_000, giveBack: () => expect.fail() })).rejects.toThrow("store");
});

it("DIT-2 a limit longer than a timer can be counts as a long limit", async () => {
  const later = new Promise<Decision>((resolve) => setTimeout(resolve, 20, allow));
  const inTime = { limitMs: Number.POSITIVE_INFINITY, giveBack: () => expect.fail() };
  expect(await decideInTime(later, inTime)).toBe(allow);
});

it.each([
  { late: allow, given: 1 },
  { late: deny, given: 0 },
])("DIT-4 a late decision runs nothing: $late.kind is given back $given times", async ({ late, given }) => {
  let decide: (decision: Decision) => void = () => undefined;
  const deciding = new Promise<Decision>((resolve) => {
    decide = resolve;
  });
  const giveBack = vi.fn();
  await expect(decideInTime(deciding, { signal: AbortSignal.abort(), giveBack })).rejects.toThrow("aborted");
  expect(giveBack).not.toHaveBeenCalled();
  decide(late);
  await deciding;
  await Promise.resolve();
  expect(giveBack).toHaveBeenCalledTimes(given);
});
