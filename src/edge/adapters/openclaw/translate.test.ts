import { describe, expect, it } from "vitest";
import { refusalOf, undecided } from "../shared/refusals.ts";
import { recorded } from "./test/recorded.ts";
import { callInputOf, deliveredResult, readWritten, resultOf, withheldResult, withText } from "./translate.ts";

const place = { cwd: "/work/s0", own: new Set<string>() };
const failed = recorded("result-exec-failed").event;

describe("a call", () => {
  it("OCL-12 a call has its id, its step and the model's original input", () => {
    expect(callInputOf(recorded("before_tool_call-mcp").event, "step-1", place)).toMatchObject({
      id: "call_1",
      step: "step-1",
      native: { runtime: "openclaw", server: "demo", name: "demo__echo", input: { text: "hi" } },
    });
  });

  it("OCL-13 a call without an id cannot be decided", () => {
    expect(() => callInputOf({ toolName: "exec", params: {} }, undefined, place)).toThrow("no id");
  });

  it("OCL-14 a call is refused with a reason that names Conduct and the next step", () => {
    expect(undecided(new Error("boom"))).toMatch(/this call could not be decided: boom\.\nNext: /);
    const question = {
      kind: "ask",
      id: "d",
      rule: "r",
      approval: "a_1",
      question: "May I?",
      inputHash: "h",
      expiresAt: 1,
    } as const;
    expect(refusalOf(question)).toContain("a_1");
  });
});

describe("a result", () => {
  it("OCL-15 a result is passed on as parts, with the requirements of its structured content", () => {
    expect(resultOf(failed, "shell")).toEqual({
      outcome: "failed",
      exitCode: 3,
      parts: [{ kind: "text", text: "hi\n\n(Command exited with code 3)" }],
    });
    const details = { __directives: { require: [] } };
    expect(resultOf({ ...failed, result: { content: [], details } }, "x").requirements).toEqual([{ require: [] }]);
  });

  it("OCL-92 the structured content of an MCP server is a text of its own, so that its directives are removed", () => {
    const json = '{\n  "inner": { "__directives": {} }\n}';
    const told = { type: "text", text: `structuredContent:\n${json}` } as const;
    const { parts } = resultOf({ ...failed, result: { content: [told], details: {} } }, "kit/count");
    expect(parts).toEqual(["structuredContent:", json].map((text) => ({ kind: "text", text })));
  });

  it("OCL-16 a result stays unchanged unless Conduct changed it or adds advice or feedback", () => {
    const own = resultOf(failed, "shell");
    expect(deliveredResult(failed, { result: own, changed: false }, [])).toBeUndefined();
    const cut = { ...own, parts: [{ kind: "text", text: "cut" } as const] };
    expect(deliveredResult(failed, { result: cut, changed: true, feedback: "F" }, [])?.content).toEqual([
      { type: "text", text: "cut" },
      { type: "text", text: "F" },
    ]);
    const advice = [{ rule: "r", text: "Mind.", level: "remind" as const }];
    const advised = deliveredResult(failed, { result: own, changed: false }, advice);
    expect(advised?.content).toEqual([{ type: "text", text: "Mind." }, ...failed.result.content]);
    expect(advised?.details).toBe(failed.result.details);
  });

  it("OCL-17 a result is withheld if it could not be checked", () => {
    const [block] = withheldResult(failed, new Error("boom")).content;
    expect(block).toMatchObject({ text: expect.stringContaining("withholds its result: boom") });
    expect(JSON.stringify(withheldResult(failed, "x").content)).not.toContain("exited with code 3");
  });
});

describe("what is written to the transcript", () => {
  it("OCL-18 a written response reports its calls and its usage", () => {
    expect(readWritten(recorded("write-assistant-calls").event.message)).toEqual({
      role: "assistant",
      text: "",
      calls: ["call_1", "call_2"],
      usage: { kind: "usage", inputTokens: 10, outputTokens: 5, cost: 0 },
    });
    expect(readWritten(recorded("write-user").event.message)).toEqual({ role: "user", text: "/think:high what" });
    expect(readWritten(recorded("write-result-blocked").event.message)).toBeUndefined();
  });

  it.each([
    ["a text", "typed", "heard"],
    [
      "blocks",
      [
        { type: "text", text: "typed" },
        { type: "image", data: "x" },
      ],
      [
        { type: "text", text: "heard" },
        { type: "image", data: "x" },
      ],
    ],
  ])("OCL-19 only the text of %s is rewritten", (_what, content, wanted) => {
    expect(withText({ role: "user", content, timestamp: 1 }, "heard")).toEqual({
      role: "user",
      content: wanted,
      timestamp: 1,
    });
  });
});
