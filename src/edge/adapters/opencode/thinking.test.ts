import { describe, expect, it } from "vitest";
import { asObject } from "../../../base/kernel/json.ts";
import type { ThinkLevel } from "../../../base/words/modes.ts";
import { overlaid, thinkingOptions } from "./messages.ts";
import { params } from "./test/recorded.ts";

const modes = (think: boolean, thinkLevel?: ThinkLevel) => ({
  think,
  verbose: false,
  elevated: false,
  ...(thinkLevel === undefined ? {} : { thinkLevel }),
});
const effort = (level: string) => ({ reasoningEffort: level });
const three = asObject(asObject(params("build").input.model).variants);

describe("how much the model is asked to think", () => {
  it.each([
    { title: "without think mode", modes: modes(false), own: undefined, options: undefined },
    { title: "a named level", modes: modes(true, "high"), own: undefined, options: effort("high") },
    { title: "a named level below the person's own", modes: modes(true, "low"), own: "high", options: effort("low") },
    { title: "/think alone", modes: modes(true), own: undefined, options: effort("medium") },
    { title: "/think alone above a low one", modes: modes(true), own: "low", options: effort("medium") },
    { title: "/think alone below the person's own", modes: modes(true), own: "high", options: undefined },
    { title: "a level that the model has not", modes: modes(true, "minimal"), own: undefined, options: effort("low") },
  ])("OC-13 the thinking options follow the modes and the person's own level: $title", ({ modes, own, options }) => {
    expect(thinkingOptions(modes, three, own)).toEqual(options);
  });

  it("OC-13 a model without known thinking levels gets no level", () => {
    expect(thinkingOptions(modes(true, "high"), {}, undefined)).toBeUndefined();
    expect(thinkingOptions(modes(true, "high"), { none: {}, thinking: {} }, undefined)).toBeUndefined();
    expect(thinkingOptions(modes(true, "low"), { high: { budget: 9 }, max: { budget: 10 } }, undefined)).toEqual({
      budget: 9,
    });
  });

  it("OC-13 other options stay when a thinking level is set", () => {
    expect(overlaid({ a: 1, b: { c: 2, d: 3 } }, { b: { d: 4 }, e: 5 })).toEqual({ a: 1, b: { c: 2, d: 4 }, e: 5 });
  });
});
