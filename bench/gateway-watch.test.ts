import { afterEach, describe, expect, it, vi } from "vitest";
import { watch } from "./gateway-watch.ts";

afterEach(() => {
  vi.useRealTimers();
});

describe("a run that is watched", () => {
  it("BENCH-20 a benchmark run without progress is aborted, and the error lists which sessions wait for what", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
    const people = Array.from({ length: 9 }, (_, at) => ({
      done: 1,
      waitsFor: at < 7 ? `session s${at} waits for its stream` : undefined,
    }));
    const ended = watch(people, 10_000, () => new Promise(() => undefined));
    const told = expect(ended).rejects.toThrow(/for 10 s; 7 of 9 wait\n {2}session s0 waits.*\n {2}and 2 more$/s);
    await vi.advanceTimersByTimeAsync(12_000);
    await told;
  });

  it("BENCH-21 a benchmark run that makes progress continues to its end, however long it takes", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
    const person = { done: 0, waitsFor: "more" };
    const run = Promise.withResolvers<string>();
    const ended = watch([person], 10_000, () => run.promise);
    for (let at = 0; at < 20; at++) {
      person.done += 1;
      await vi.advanceTimersByTimeAsync(8_000);
    }
    run.resolve("done");
    expect(await ended).toBe("done");
  });
});
