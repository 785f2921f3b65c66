import { describe, expect, it } from "vitest";
import { stepsOf } from "./steps.ts";

const usage = { input: 10, output: 5, cacheRead: 100, cacheWrite: 0, cost: { total: 0.02 } };
const TRANSCRIPT = [
  { role: "user", content: [{ type: "text", text: "deploy it" }], timestamp: 1 },
  {
    role: "assistant",
    content: [
      { type: "text", text: "First the tests, with secret-1." },
      { type: "toolCall", id: "c_1", name: "shell", arguments: {} },
      { type: "toolCall", id: "c_2", name: "shell", arguments: {} },
    ],
    model: "large",
    usage,
    timestamp: 2,
  },
  { role: "toolResult", toolCallId: "c_1", content: [{ type: "text", text: "ok secret-1" }], timestamp: 3 },
  { role: "toolResult", toolCallId: "c_2", content: [{ type: "text", text: "x".repeat(9_000) }], timestamp: 4 },
  { role: "toolResult", toolCallId: "c_unknown", content: [], timestamp: 4 },
  { role: "assistant", content: [], errorMessage: "529 overloaded", timestamp: 5 },
  { claude: "another runtime" },
].map((entry, at) => ({ seq: at + 1, entry }));

describe("steps of a transcript", () => {
  it("KF-5 a step has its text, tokens, cost and the outputs of its calls; secrets are redacted and long outputs cut", () => {
    const [first, second, ...rest] = stepsOf(TRANSCRIPT, 0, (text) => text.replaceAll("secret-1", "[redacted]"));
    expect(first).toMatchObject({
      at: 2,
      text: "First the tests, with [redacted].",
      model: "large",
      inputTokens: 110,
      outputTokens: 5,
      cost: 0.02,
    });
    expect(first?.calls[0]).toEqual({ id: "c_1", output: "ok [redacted]", cut: undefined });
    expect(first?.calls[1]).toMatchObject({ id: "c_2", cut: true });
    expect(first?.calls[1]?.output).toHaveLength(8_000);
    expect(second).toMatchObject({ at: 5, text: "", error: "529 overloaded", calls: [] });
    expect(rest).toEqual([]);
  });

  it("KF-6 only steps since the given time are returned", () => {
    expect(stepsOf(TRANSCRIPT, 5, (text) => text).map(({ at }) => at)).toEqual([5]);
  });
});
