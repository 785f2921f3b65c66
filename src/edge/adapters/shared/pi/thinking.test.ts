import { describe, expect, it } from "vitest";
import type { Modes, ThinkLevel } from "../../../../base/words/modes.ts";
import { levelFor, Thinking } from "./thinking.ts";

const off: Modes = { think: false, verbose: false, elevated: false };
const think = (thinkLevel?: ThinkLevel): Modes => ({
  ...off,
  think: true,
  ...(thinkLevel === undefined ? {} : { thinkLevel }),
});

describe("the thinking level of a request", () => {
  it.each([
    { own: "off", modes: off, level: "off" },
    { own: "high", modes: off, level: "high" },
    { own: "off", modes: think(), level: "medium" },
    { own: "low", modes: think(), level: "medium" },
    { own: "xhigh", modes: think(), level: "xhigh" },
    { own: "xhigh", modes: think("low"), level: "low" },
    { own: "off", modes: think("minimal"), level: "minimal" },
  ] as const)(
    "K09: the application's level $own with think $modes.think $modes.thinkLevel becomes $level",
    ({ own, modes, level }) => {
      expect(levelFor(own, modes)).toBe(level);
    },
  );

  it("K09: a level set by think mode is not taken for the application's own", () => {
    const thinking = new Thinking();
    thinking.begin();
    expect(thinking.change("low", think("high"))).toBe("high");
    // Pi hands the level on to the next request of the run.
    expect(thinking.change("high", think("high"))).toBeUndefined();
    expect(thinking.change("high", off)).toBe("low");
    expect(thinking.change("low", off)).toBeUndefined();
  });

  it("K09: a level that the application sets in the middle of a run becomes its own level", () => {
    const thinking = new Thinking();
    thinking.change("off", think("high"));
    expect(thinking.change("low", think("high"))).toBe("high");
    expect(thinking.change("high", off)).toBe("low");
    thinking.begin();
    expect(thinking.change("high", off)).toBeUndefined();
  });

  it.each([
    { title: "set by think mode", now: "high", own: "low" },
    { title: "set by the application since", now: "medium", own: undefined },
  ] as const)("K09: at the end of a run, a level $title leaves $own to restore", ({ now, own }) => {
    const thinking = new Thinking();
    thinking.change("low", think("high"));
    expect(thinking.end(now)).toBe(own);
    expect(thinking.end(now)).toBeUndefined();
  });

  it("K09: a run without think mode leaves no level to restore", () => {
    const thinking = new Thinking();
    thinking.change("low", off);
    expect(thinking.end("low")).toBeUndefined();
  });
});
