import { describe, expect, it } from "vitest";
import { causeOf, endedOf, extended, modelName, replaceInput, stopReason, withPrompt } from "./translate.ts";

const about = { toolName: "look", input: {} };
/** As Mastra wraps the error of a tool. */
const wrapped = (cause?: unknown) => Object.assign(new Error("wrapped", { cause }), { id: "X", domain: "TOOL" });

describe("Mastra's values", () => {
  it.each([
    { output: "fine", ended: { value: "fine" } },
    { output: { exitCode: 2, stdout: "x" }, ended: { value: { exitCode: 2, stdout: "x" } } },
    {
      output: { error: true, message: "Tool input validation failed" },
      ended: { error: new Error("Tool input validation failed") },
    },
    { output: { error: "a field of the tool" }, ended: { value: { error: "a field of the tool" } } },
    { output: undefined, ended: { value: undefined } },
  ])("MST-10 the end of a tool is read from its output: $output", ({ output, ended }) => {
    expect(endedOf({ ...about, output })).toEqual(ended);
  });

  it("MST-11 the tool's own error is found under Mastra's, and an aborted one is marked", () => {
    const own = Object.assign(new Error("boom"), { exitCode: 3 });
    expect(causeOf(wrapped(wrapped(own)))).toBe(own);
    expect(causeOf(own)).toBe(own);
    expect(causeOf(wrapped())).toBeInstanceOf(Error);
    const aborted = { abortSignal: AbortSignal.abort() };
    expect(endedOf({ ...about, error: wrapped(own), context: aborted })).toEqual({ error: own, aborted: true });
    expect(endedOf({ ...about, output: wrapped(own) })).toEqual({ error: own });
  });

  it("MST-12 a rewritten input takes the place of the given one, in the same object", () => {
    const given = { path: "a", force: true };
    replaceInput(given, { path: "b" });
    expect(given).toEqual({ path: "b" });
    replaceInput("text", { path: "b" });
  });

  it("MST-13 Conduct's prompt follows the application's own system messages", () => {
    const own = [{ role: "system" as const, content: "Help." }];
    expect(withPrompt(own, "Rules.")).toEqual([...own, { role: "system", content: "Rules." }]);
    expect(withPrompt(own, "")).toBe(own);
  });

  it.each([
    { model: "openai/gpt-5", name: "openai/gpt-5" },
    { model: { provider: "openai.responses", modelId: "gpt-5" }, name: "openai.responses/gpt-5" },
    { model: undefined, name: undefined },
  ])("MST-14 the name of the model $model is $name", ({ model, name }) => {
    expect(modelName(model)).toBe(name);
  });

  it("MST-15 a setting that is a function stays one, and its value is extended", async () => {
    const add = (list: number[] = []) => [...list, 9];
    expect(extended(undefined, add)).toEqual([9]);
    expect(extended([1], add)).toEqual([1, 9]);
    const made = extended((one: number) => [one], add) as (one: number) => Promise<number[]>;
    expect(await made(4)).toEqual([4, 9]);
  });

  it("MST-16 finish reasons have the names that checkers use", () => {
    expect(["stop", "length", "other", undefined].map((reason) => stopReason(reason))).toEqual([
      "end_turn",
      "max_tokens",
      "other",
      "end_turn",
    ]);
  });
});
