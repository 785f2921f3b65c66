import { describe, expect, it } from "vitest";
import type { Modes } from "../../../base/words/modes.ts";
import { applyModes, effectiveModes, OFF, permissionsOf, safeModes } from "./modes.ts";
import { parseModes } from "./parse-modes.ts";

const NOW = 1_000_000;
const operator = { mayElevate: true, now: NOW };
const user = { mayElevate: false, now: NOW };

function send(current: Partial<Modes>, text: string, who: Parameters<typeof applyModes>[2] = operator) {
  return applyModes({ ...OFF, ...current }, parseModes(text), who);
}

describe("switching modes", () => {
  it.each<[Partial<Modes>, string, Partial<Modes>]>([
    [{ elevated: true }, "/verbose hi", { elevated: true, verbose: true }],
    [{ think: true, verbose: true }, "/think off", { verbose: true }],
    [{ think: true, thinkLevel: "high" }, "/think x", { think: true, thinkLevel: "high" }],
    [{ think: true, thinkLevel: "high" }, "/think:low x", { think: true, thinkLevel: "low" }],
    [{ think: true, thinkLevel: "high" }, "/think off", {}],
    [{}, "/think high", { think: true, thinkLevel: "high" }],
    [{}, "/think off /think x", { think: true }],
    [{ think: true, verbose: true, elevated: true }, "/modes reset", {}],
    [{ verbose: true }, "/modes reset /think x", { think: true }],
    [{}, "/elevated 10m", { elevated: true, elevatedUntil: NOW + 600_000 }],
    [{}, "/elevated x", { elevated: true }],
    [{ elevated: true, elevatedUntil: NOW + 5 }, "/elevated x", { elevated: true, elevatedUntil: NOW + 5 }],
    [{ elevated: true, elevatedUntil: NOW + 5 }, "/elevated off /elevated on", { elevated: true }],
    [{ elevated: true, elevatedUntil: NOW }, "/verbose on", { verbose: true }],
    [{ elevated: true }, "/elevated off", {}],
    [{ think: true }, "/think", { think: true }],
    [{ think: true }, "hello", { think: true }],
    [{ think: true }, "/think:maybe", { think: true }],
  ])("K06: the modes %j and the message %j give the modes %j", (current, text, modes) => {
    expect(send(current, text).modes).toEqual({ ...OFF, ...modes });
  });

  it.each([
    ["a user", user, "operator"],
    [
      "an operator of an agent that is never elevated",
      { ...operator, elevation: "never" as const },
      "cannot be elevated",
    ],
  ])("K04: %s cannot elevate and gets the reason", (_who, who, told) => {
    const mixed = send({}, "/think /elevated rm x", who);
    expect(mixed).toEqual({ modes: { ...OFF, think: true }, notes: [expect.stringContaining(told)] });
    const alone = send({}, "/elevated on", who);
    expect(alone).toMatchObject({ modes: OFF, notes: [expect.stringContaining(told)] });
    expect(alone.reply).toMatch(/^elevated: off/);
  });

  it("K04: any user may turn an elevation off", () => {
    expect(send({ elevated: true }, "/elevated off", user).modes).toEqual(OFF);
    expect(send({ elevated: true }, "/modes reset", user).modes).toEqual(OFF);
  });

  it("K20: an agent that cannot be elevated drops an earlier elevation", () => {
    expect(send({ elevated: true }, "hello", { ...operator, elevation: "never" }).modes).toEqual(OFF);
  });

  it.each<[Partial<Modes>, string, string]>([
    [{}, "/think", "think: off"],
    [{ think: true, thinkLevel: "high" }, "/think", "think: on, high"],
    [{}, "/think on", "think: on"],
    [{}, "/verbose on /think low", "think: on, low\nverbose: on"],
    [{ elevated: true }, "/elevated", "elevated: on until you turn it off or the session ends"],
    [{}, "/elevated 10m", "elevated: on, for another 10 minutes"],
    [{ verbose: true }, "/modes", "think: off\nverbose: on\nelevated: off"],
    [{ verbose: true }, "/modes reset", "think: off\nverbose: off\nelevated: off"],
    [{ think: true }, "/think:maybe", "think: on"],
  ])("K11 K21: in the modes %j the message %j alone gets the reply %j", (current, text, reply) => {
    expect(send(current, text).reply).toBe(reply);
  });

  it("K21: the reply gives the reason why an agent cannot be elevated", () => {
    const never = { ...operator, elevation: "never" as const };
    expect(send({ elevated: true }, "/elevated", never).reply).toBe("elevated: off (this agent cannot be elevated)");
  });

  it.each(["/think x", "hello", "/foo", "/verbos x"])(
    "K11: the message %j goes to the model and gets no reply",
    (text) => {
      expect(send({}, text).reply).toBeUndefined();
    },
  );

  it("K08: hints are shown, and /modes before a text is answered in addition", () => {
    expect(send({}, "/think:maybe x").notes).toEqual([expect.stringContaining("minimal, low, medium, high")]);
    expect(send({}, "/modes x").notes).toEqual(["think: off", "verbose: off", "elevated: off"]);
  });
});

describe("stored modes", () => {
  it.each<[unknown, Modes]>([
    [undefined, OFF],
    [null, OFF],
    ["elevated", OFF],
    [["elevated"], OFF],
    [{ unknown: true }, OFF],
    [{ think: "true", verbose: 1, elevated: "false" }, OFF],
    [
      { think: true, thinkLevel: "high" },
      { ...OFF, think: true, thinkLevel: "high" },
    ],
    [
      { think: true, thinkLevel: "huge" },
      { ...OFF, think: true },
    ],
    [{ think: false, thinkLevel: "high" }, OFF],
    [{ elevated: false, elevatedUntil: 5 }, OFF],
    [
      { elevated: true, elevatedUntil: 5 },
      { ...OFF, elevated: true, elevatedUntil: 5 },
    ],
    [{ elevated: true, elevatedUntil: "5" }, OFF],
    [{ elevated: true, elevatedUntil: null }, OFF],
    [{ elevated: true, elevatedUntil: Number.NaN }, OFF],
    [{ elevated: true, elevatedUntil: Number.POSITIVE_INFINITY }, OFF],
  ])("K12: the stored modes %j are read as %j", (stored, modes) => {
    expect(safeModes(stored)).toEqual(modes);
    const { elevated } = modes;
    const permissions = { autoApprove: elevated, restrictToWorkspace: !elevated, allowHighRisk: elevated };
    expect(permissionsOf(safeModes(stored))).toEqual(permissions);
  });

  it.each([
    [4, undefined, true],
    [5, undefined, false],
    [4, "never", false],
  ] as const)(
    "K20: at time %i with elevation setting %s an elevation until 5 is active: %s",
    (now, elevation, elevated) => {
      const stored = { think: true, elevated: true, elevatedUntil: 5 };
      const modes = effectiveModes(stored, now, elevation);
      expect(modes).toEqual(elevated ? { ...OFF, ...stored } : { ...OFF, think: true });
    },
  );
});
