import { expect, it } from "vitest";
import type { ClaudeOptions } from "./native.ts";
import { askedOf, Thinking, thinkingAfter } from "./thinking.ts";

const on = { think: true } as const;
const own = { effort: undefined, budget: undefined };

it.each([
  { modes: { think: false }, options: {}, asked: own },
  { modes: { ...on, thinkLevel: "minimal" as const }, options: {}, asked: { effort: "low", budget: 1_024 } },
  { modes: { ...on, thinkLevel: "high" as const }, options: {}, asked: { effort: "high", budget: 31_999 } },
  { modes: { ...on, thinkLevel: "low" as const }, options: { effort: "max" }, asked: { effort: "low", budget: 4_000 } },
  { modes: on, options: {}, asked: own },
  { modes: on, options: { effort: "low" }, asked: { effort: "medium", budget: undefined } },
  { modes: on, options: { effort: "xhigh" }, asked: own },
  { modes: on, options: { thinking: { type: "disabled" } }, asked: { effort: undefined, budget: 10_000 } },
  { modes: on, options: { maxThinkingTokens: 2_000 }, asked: { effort: undefined, budget: 10_000 } },
  {
    modes: on,
    options: { thinking: { type: "enabled", budgetTokens: 20_000 }, maxThinkingTokens: 0 },
    asked: own,
  },
] satisfies readonly { modes: object; options: ClaudeOptions; asked: object }[])(
  "K13: the modes $modes with the options $options request $asked",
  ({ modes, options, asked }) => {
    expect(askedOf(modes, options)).toEqual(asked);
  },
);

it("K13: a level is set once, and the host's own level is restored", async () => {
  const calls: unknown[] = [];
  const controls = {
    applyFlagSettings: async (settings: object) => void calls.push(settings),
    setMaxThinkingTokens: async (tokens: number | null) => void calls.push(tokens),
  };
  const thinking = new Thinking({ effort: "xhigh" }, () => controls);
  for (const thinkLevel of ["high", "high", "low"] as const) await thinking.set({ ...on, thinkLevel });
  await thinking.set({ think: false });
  await thinking.set({ think: false });
  expect(calls).toEqual([
    { effortLevel: "high" },
    31_999,
    { effortLevel: "low" },
    4_000,
    { effortLevel: "xhigh" },
    null,
  ]);
});

it("K13: without a running query no level is set", async () => {
  await expect(new Thinking({}, () => undefined).set({ ...on, thinkLevel: "high" })).resolves.toBeUndefined();
});

it("K13: a budget is set before the message is sent, an effort when the message is processed", async () => {
  const calls: unknown[] = [];
  const controls = {
    applyFlagSettings: async (settings: object) => void calls.push(settings),
    setMaxThinkingTokens: async (tokens: number | null) => void calls.push(tokens),
  };
  const thinking = new Thinking({}, () => controls);
  const modes = thinkingAfter({ think: false, verbose: false, elevated: false }, "/think:low go");
  await thinking.expect(modes);
  expect(calls).toEqual([4_000]);
  await thinking.set(modes);
  expect(calls).toEqual([4_000, { effortLevel: "low" }]);
});

it("K13: a query of one message starts with its effort and budget, and nothing is set later", async () => {
  const thinking = new Thinking({}, () => ({ applyFlagSettings: () => Promise.reject(new Error("called")) }));
  const modes = { ...on, thinkLevel: "high" } as const;
  expect(thinking.begin(modes)).toEqual({ effort: "high", thinking: { type: "enabled", budgetTokens: 31_999 } });
  await thinking.set(modes);
  expect(new Thinking({}, () => undefined).begin({ think: false })).toEqual({});
});
