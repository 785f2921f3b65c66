import { describe, expect, it } from "vitest";
import { decideStop, incomplete, ok } from "./decide-stop.ts";

const deadline = { what: "deadline", limit: 1, used: 2 } as const;
const tokens = { what: "tokens", limit: 1_000, used: 1_200 } as const;
const time = { what: "time", limit: 60_000, used: 120_000 } as const;
const bypass = (why: string) => ({ done: true, status: "bypassed", why: `Completion was not enforced: ${why}.` });
const late = bypass("the session's deadline passed 0 seconds ago (limits.session.deadline)");
const stopped = (why: string) => ({ done: true, status: "incomplete", why: `Still incomplete after ${why}.` });

describe("decideStop", () => {
  it.each([
    { rule: "no checker lets it stop", input: {}, decision: { done: true, status: "complete" } },
    { rule: "complete", input: { result: ok() }, decision: { done: true, status: "complete" } },
    {
      rule: "complete, with the note",
      input: { result: ok("n") },
      decision: { done: true, status: "complete", why: "n" },
    },
    {
      rule: "complete wins over exhausted",
      input: { result: ok(), exhausted: deadline },
      decision: { done: true, status: "complete" },
    },
    { rule: "incomplete blocks", input: { result: incomplete("do a") }, decision: { done: false, feedback: "do a" } },
    {
      rule: "the last one before the bound blocks",
      input: { result: incomplete("f"), refusals: 4 },
      decision: { done: false, feedback: "f" },
    },
    {
      rule: "at the bound it ends, and says incomplete",
      input: { result: incomplete("f"), refusals: 5 },
      decision: { ...stopped("5 refused stops; the bound is 5"), feedback: "f" },
    },
    {
      rule: "a bound of 1",
      input: { result: incomplete(), refusals: 1, bound: 1 },
      decision: stopped("1 refused stop; the bound is 1"),
    },
    {
      rule: "a bound of 0 never blocks",
      input: { result: incomplete(), bound: 0 },
      decision: stopped("0 refused stops; the bound is 0"),
    },
    {
      rule: "a bound that is no number never blocks",
      input: { result: incomplete(), bound: Number.NaN },
      decision: stopped("0 refused stops; the bound is NaN"),
    },
    { rule: "deadline, checker not asked", input: { exhausted: deadline }, decision: late },
    {
      rule: "deadline, incomplete",
      input: { result: incomplete("f"), exhausted: deadline },
      decision: { ...late, feedback: "f" },
    },
    {
      rule: "budget",
      input: { exhausted: tokens },
      decision: bypass("the session's budget for tokens is used up (1200 of 1000; limits.session.tokens)"),
    },
    {
      rule: "time",
      input: { exhausted: time },
      decision: bypass("the session's budget for time is used up (2 minutes of 1 minute; limits.session.time)"),
    },
    {
      rule: "bypass comes before the bound",
      input: { result: incomplete(), refusals: 9, exhausted: deadline },
      decision: late,
    },
  ])("TC-50 stop decision: $rule", ({ input, decision }) => {
    expect(decideStop({ refusals: 0, bound: 5, ...input })).toEqual(decision);
  });

  it.each([undefined, "", "  \n"])(
    "TC-51 a failed check with the feedback %o still blocks the stop, with a default text",
    (feedback) => {
      const decision = decideStop({ result: incomplete(feedback), refusals: 0, bound: 5 });
      expect(decision).toEqual({ done: false, feedback: expect.stringContaining("not complete yet") });
    },
  );
});
