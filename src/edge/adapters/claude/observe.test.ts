import { expect, it } from "vitest";
import type { Notice } from "../../../base/words/event.ts";
import { type ObserverOptions, observer, type StreamMessage } from "./observe.ts";

function said(
  messages: readonly (StreamMessage & { [key: string]: unknown })[],
  options: ObserverOptions = {},
): readonly Notice[] {
  const notices: Notice[] = [];
  const observe = observer((notice) => notices.push(notice), options);
  for (const message of messages) observe(message);
  return notices;
}
const response = (id: string, input: number, cached = 0) => ({
  type: "assistant",
  message: { id, usage: { input_tokens: input, cache_read_input_tokens: cached, output_tokens: 0 } },
});
const result = (input: number, output: number, cost: number, more: object = {}) => ({
  type: "result",
  total_cost_usd: cost,
  modelUsage: { m: { inputTokens: input, outputTokens: output, cacheReadInputTokens: 0, cacheCreationInputTokens: 0 } },
  ...more,
});

it("USE-1 a response split into many messages counts once; output tokens come with the result", () => {
  const notices = said([response("m1", 10, 5), response("m1", 10, 5), result(15, 7, 0.5, { result: "Hi." })]);
  expect(notices).toEqual([
    { kind: "usage", inputTokens: 15, outputTokens: 0, cost: 0 },
    { kind: "usage", inputTokens: 0, outputTokens: 7, cost: 0.5 },
    { kind: "reply", text: "Hi." },
  ]);
});

it("USE-2 totals grow over the turns of one query, and include the tokens of subagents", () => {
  const notices = said([response("m1", 10), result(30, 5, 1), response("m2", 10), result(40, 9, 1.5)]);
  const input = notices.reduce((sum, notice) => sum + (notice.kind === "usage" ? (notice.inputTokens ?? 0) : 0), 0);
  expect(input).toBe(40);
  expect(notices.at(-1)).toEqual({ kind: "usage", inputTokens: 0, outputTokens: 4, cost: 0.5 });
});

it("USE-3 usage before a resume is not counted, although the runtime's totals include it", () => {
  const usage = { input_tokens: 10, output_tokens: 3 };
  const notices = said([response("m9", 10), result(5_000, 900, 9, { usage }), result(5_010, 902, 9.5)], {
    resumed: true,
  });
  expect(notices).toEqual([
    { kind: "usage", inputTokens: 10, outputTokens: 0, cost: 0 },
    { kind: "usage", inputTokens: 0, outputTokens: 3, cost: 0 },
    { kind: "usage", inputTokens: 10, outputTokens: 2, cost: 0.5 },
  ]);
});

it("USE-4 usage counted by an earlier query of the session is not counted again", () => {
  const totals = new Map();
  const first = said([{ ...result(100, 50, 1), session_id: "s" }], { totals });
  const second = said([{ ...result(130, 60, 1.25), session_id: "s" }], { totals, resumed: true });
  expect(first).toEqual([{ kind: "usage", inputTokens: 100, outputTokens: 50, cost: 1 }]);
  expect(second).toEqual([{ kind: "usage", inputTokens: 30, outputTokens: 10, cost: 0.25 }]);
});

it("USE-6 an answer given without the model is not a reply of the agent", () => {
  expect(said([{ type: "result", num_turns: 0, result: "think: on" }])).toEqual([]);
});

it("USE-5 other messages report nothing", () => {
  expect(said([{ type: "system" }, { type: "user" }, { type: "result" }])).toEqual([]);
});
