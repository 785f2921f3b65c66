import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { asObject } from "../../../base/kernel/json.ts";
import { OPTIONS } from "./test/acp.ts";
import {
  choose,
  chosenIn,
  commandIn,
  currentMode,
  isCompaction,
  promptWith,
  typedText,
  unaskingMode,
  withoutAlways,
} from "./translate.ts";

const text = (value: string) => ({ type: "text", text: value });

describe("prompts", () => {
  it("ACX-1 blocks that were not typed keep their content and order, whatever is added or cut", () => {
    const link = { type: "resource_link", uri: "file:///w/a", name: "a", _meta: { x: 1 } };
    const params = {
      sessionId: "s",
      prompt: [text("/think "), link, { ...text("do it"), annotations: {} }],
      _meta: {},
    };
    expect(typedText(params)).toBe("/think \ndo it");
    expect(promptWith(params, ["told"], 8)).toEqual({
      ...params,
      prompt: [text("told"), link, { ...text("do it"), annotations: {} }],
    });
  });

  it("ACX-2 cutting nothing off gives the same prompt, and cutting n characters leaves the rest", () => {
    const words = fc.array(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(words, fc.nat(40), (said, cut) => {
        const params = { prompt: said.map(text) };
        expect(promptWith(params, [], 0)).toEqual(params);
        const whole = typedText(params);
        const left = typedText(promptWith(params, [], Math.min(cut, whole.length)));
        expect(whole.slice(cut).replace(/^\n/, "")).toBe(left.replace(/^\n/, ""));
      }),
    );
  });

  it.each([
    { said: "/compact", command: "compact", compaction: true },
    { said: "/compress now", command: "compress", compaction: true },
    { said: "/compacted", command: "compacted", compaction: false },
    { said: "see /compact", command: undefined, compaction: false },
    { said: "/usr/bin", command: undefined, compaction: false },
  ])("ACX-3 '$said' is read as the command $command", ({ said, command, compaction }) => {
    expect(commandIn(said)).toBe(command);
    expect(isCompaction(command)).toBe(compaction);
  });
});

describe("permission", () => {
  const params = { options: OPTIONS };

  it("ACX-4 a refusal selects the option that rejects once, else any that rejects, else it cancels", () => {
    const always = { optionId: "never", name: "Never", kind: "reject_always" };
    const chosen = (options: readonly object[]) => choose({ options } as never, "reject_once", "reject_always");
    expect(chosen([always, ...OPTIONS])).toEqual({ outcome: { outcome: "selected", optionId: "no" } });
    expect(chosen([always])).toEqual({ outcome: { outcome: "selected", optionId: "never" } });
    expect(chosen(OPTIONS.slice(0, 2))).toEqual({ outcome: { outcome: "cancelled" } });
  });

  it("ACX-5 the option to always allow is removed, unless it is the only one that allows", () => {
    const asked = withoutAlways({ id: 1, params });
    expect(asked).toEqual({ id: 1, params: { options: [OPTIONS[0], OPTIONS[2]] } });
    expect(withoutAlways({ params: { options: OPTIONS.slice(1) } })).toBeUndefined();
  });

  it.each([
    { outcome: { outcome: "selected", optionId: "once" }, is: "allowed" },
    { outcome: { outcome: "selected", optionId: "no" }, is: "rejected" },
    { outcome: { outcome: "selected", optionId: "made-up" }, is: "rejected" },
    { outcome: { outcome: "cancelled" }, is: "cancelled" },
    { outcome: null, is: "cancelled" },
  ])("ACX-6 the permission outcome $outcome counts as $is", ({ outcome, is }) => {
    expect(chosenIn(params, asObject({ result: { outcome } }))).toBe(is);
  });
});

describe("modes of agents", () => {
  it.each([
    ["session/set_mode", { modeId: "bypassPermissions" }, "bypassPermissions"],
    ["session/set_mode", { modeId: "full-access" }, "full-access"],
    ["session/set_mode", { modeId: "acceptEdits" }, "acceptEdits"],
    ["session/set_config_option", { configId: "mode", value: "yolo" }, "yolo"],
    ["session/set_config_option", { configId: "model", value: "auto" }, undefined],
    ["session/set_mode", { modeId: "plan" }, undefined],
    ["session/set_mode", { modeId: "build" }, undefined],
  ] as const)("ACX-7 %s %o switches to a mode without permission requests: %s", (method, params, mode) => {
    expect(unaskingMode(method, params)).toBe(mode);
  });

  it("ACX-8 the mode in which a session begins is read from both possible fields", () => {
    expect(currentMode({ modes: { currentModeId: "ask" } })).toBe("ask");
    expect(currentMode({ configOptions: [{ category: "mode", currentValue: "build" }] })).toBe("build");
    expect(currentMode({})).toBe("");
  });
});
