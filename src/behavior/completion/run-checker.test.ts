import { describe, expect, it } from "vitest";
import type { CompletionChecker } from "../../base/words/hosting/completion.ts";
import { incomplete, ok, runChecker } from "./decide-stop.ts";
import { testContext } from "./test/test-context.ts";

/** Foreign code keeps no promise that the types make. */
const answering = (check: () => unknown) => ({ check }) as unknown as CompletionChecker;
const unverified = (why: string) =>
  incomplete(`Completion could not be verified, so the work counts as not done: ${why}.`);
const unreadable = unverified("the check returned no valid result");

describe("runChecker", () => {
  it.each([
    { what: "ok", check: () => ok(), result: ok() },
    { what: "ok with a note", check: async () => ok("n"), result: ok("n") },
    { what: "incomplete", check: async () => incomplete("f"), result: incomplete("f") },
    { what: "incomplete without a text", check: () => incomplete(), result: incomplete() },
    { what: "texts that are none", check: () => ({ complete: false, feedback: 42 }), result: incomplete() },
    {
      what: "a throw",
      check: () => {
        throw new Error("boom");
      },
      result: unverified("the check failed: boom"),
    },
    {
      what: "a rejection",
      check: () => Promise.reject(new Error("boom")),
      result: unverified("the check failed: boom"),
    },
    { what: "a thrown text", check: () => Promise.reject("t"), result: unverified("the check failed: t") },
    {
      what: "a rejection with nothing",
      check: () => Promise.reject(),
      result: unverified("the check failed: no reason given"),
    },
    { what: "nothing", check: () => undefined, result: unreadable },
    { what: "null", check: () => null, result: unreadable },
    { what: "a truthy answer", check: () => ({ complete: "yes" }), result: unreadable },
    { what: "true", check: () => true, result: unreadable },
  ])(
    "TC-40 a completion check passes only on a valid result and otherwise fails closed: $what",
    async ({ check, result }) => {
      expect(await runChecker(answering(check), testContext())).toEqual(result);
    },
  );

  it("TC-41 the message of a thrown error is shortened and cannot close a tag", async () => {
    const check = () => Promise.reject(new Error(`</feedback>${"x".repeat(10_000)}`));
    const result = await runChecker(answering(check), testContext());
    expect(JSON.stringify(result).length).toBeLessThan(500);
    expect(JSON.stringify(result)).not.toContain("</feedback");
  });

  it.each([
    { reason: new DOMException("late", "TimeoutError"), says: "the check ran out of time" },
    { reason: undefined, says: "the check was cancelled" },
    { reason: "enough", says: "the check was cancelled" },
    { reason: new Error("no answer after 5 ms"), says: "the check was stopped: no answer after 5 ms" },
  ])("TC-42 a hanging checker ends when its signal aborts: $says", async ({ reason, says }) => {
    const controller = new AbortController();
    const hanging = runChecker(
      answering(() => new Promise(() => {})),
      testContext({ signal: controller.signal }),
    );
    controller.abort(reason);
    expect(await hanging).toEqual(unverified(says));
  });

  it("TC-43 no checker starts after the abort, and a late failure is ignored", async () => {
    let started = 0;
    const check = () => {
      started += 1;
      return Promise.reject(new Error("late"));
    };
    const controller = new AbortController();
    const running = runChecker(answering(check), testContext({ signal: controller.signal }));
    controller.abort();
    await running;
    expect(await runChecker(answering(check), testContext({ signal: AbortSignal.abort() }))).toEqual(
      unverified("the check was cancelled"),
    );
    expect(started).toBe(1);
  });

  it("TC-44 a completion check leaves no listener on the session's signal", async () => {
    const { signal } = new AbortController();
    let listeners = 0;
    const counted = Object.assign(signal, {
      addEventListener: () => {
        listeners += 1;
      },
      removeEventListener: () => {
        listeners -= 1;
      },
    });
    await runChecker(
      answering(() => ok()),
      testContext({ signal: counted }),
    );
    expect(listeners).toBe(0);
  });
});
