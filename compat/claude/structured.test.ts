import type { HookJSONOutput, Options, SDKMessage } from "@anthropic-ai/claude-agent-sdk";
import { describe, expect, it } from "vitest";
import type { Json } from "../../src/base/words/json.ts";
import { FileOutputChecker } from "../../src/behavior/completion/completion-checkers.ts";
import { resultOf, stops } from "../../src/testing/kit/expect.ts";
import type { Script, ScriptedCall } from "../../src/testing/test/model-server/index.ts";
import type { ClaudeRunOptions } from "./driver.ts";
import { outcomes, play } from "./play.ts";

const schema = { type: "object", properties: { result: { type: "string" } }, required: ["result"] };
const outputFormat: NonNullable<Options["outputFormat"]> = { type: "json_schema", schema };
const report = { completion: new FileOutputChecker({ files: ["report.md"] }) };

const final = (id: string, result: Json): ScriptedCall => ({ id, name: "StructuredOutput", input: { result } });
const write = (id: string, at: string): ScriptedCall => ({
  id,
  name: "Write",
  input: { file_path: `${at}/report.md`, content: "all of it\n" },
});

function playFinal(script: (at: string) => Script, more: ClaudeRunOptions = {}, limits: { stops?: number } = {}) {
  return play({ ...report, limits }, {}, { ...more, script, options: { outputFormat, ...more.options } });
}

function given(messages: readonly SDKMessage[]): unknown {
  const result = messages.findLast((message) => message.type === "result");
  return result?.subtype === "success" ? result.structured_output : result?.subtype;
}

describe("a structured output ends the turn", () => {
  it("CST-1 a structured output that comes too early is refused with the missing work, and the agent continues", async () => {
    const outcome = await playFinal((at) => [
      { calls: [final("call_1", "early")] },
      { calls: [write("call_2", at)] },
      { calls: [final("call_3", "late")] },
    ]);
    expect(resultOf(outcome, "call_1")).toContain("report.md");
    expect(given(outcome.messages)).toEqual({ result: "late" });
    expect(stops(outcome)).toEqual(["refused", "complete"]);
    expect(outcomes(outcome)).toEqual(["call_2 ok", "call_3 ok"]);
    expect(outcome.events.filter(({ type }) => type === "fault")).toEqual([]);
  });

  it("CST-2 a structured output next to other calls is refused, because their results are not known yet", async () => {
    const outcome = await playFinal((at) => [
      { calls: [write("call_1", at), final("call_2", "both")] },
      { calls: [final("call_3", "alone")] },
    ]);
    expect(resultOf(outcome, "call_2")).toContain("by itself");
    expect(given(outcome.messages)).toEqual({ result: "alone" });
    expect(stops(outcome)).toEqual(["complete"]);
  });

  it("CST-3 refusals of a structured output end before the runtime gives up, and the status is incomplete", async () => {
    const early = Array.from({ length: 12 }, (_, i) => ({ calls: [final(`call_${i + 1}`, `early ${i + 1}`)] }));
    const outcome = await playFinal(() => early, {}, { stops: 8 });
    expect(stops(outcome)).toEqual([...Array(4).fill("refused"), "incomplete"]);
    expect(given(outcome.messages)).toEqual({ result: "early 5" });
  });

  it("CST-4 a structured output that cannot be checked is refused once", async () => {
    const outcome = await playFinal(() => [{ calls: [final("call_1", "one")] }, { calls: [final("call_2", "two")] }], {
      prepare: (session) => Object.assign(session, { onStop: () => Promise.reject(new Error("gone")) }),
    });
    expect(resultOf(outcome, "call_1")).toContain("could not check whether the work is complete (gone)");
    expect(given(outcome.messages)).toEqual({ result: "two" });
  });

  it("CST-6 in shadow mode a structured output ends the turn as it would without Conduct", async () => {
    const calls = (at: string) => [write("call_1", at), final("call_2", "both")];
    const outcome = await play(
      { completion: new FileOutputChecker({ files: ["other.md"] }) },
      { session: { enforcement: "shadow" } },
      { options: { outputFormat }, script: (at) => [{ calls: calls(at) }] },
    );
    expect(given(outcome.messages)).toEqual({ result: "both" });
    expect(stops(outcome)).toEqual(["refused"]);
  });

  it("CST-5 the runtime ignores a refused stop after a structured output, so Conduct refuses the call instead", async () => {
    let asked = 0;
    const refuse = async (): Promise<HookJSONOutput> => {
      asked += 1;
      return { decision: "block", reason: "not yet" };
    };
    const outcome = await play(
      {},
      {},
      {
        options: { outputFormat, hooks: { Stop: [{ hooks: [refuse] }] } },
        script: () => [{ calls: [final("call_1", "done")] }, { text: "Never asked for." }],
      },
    );
    expect(asked).toBe(1);
    expect(outcome.requests).toHaveLength(1);
    expect(given(outcome.messages)).toEqual({ result: "done" });
  });
});
