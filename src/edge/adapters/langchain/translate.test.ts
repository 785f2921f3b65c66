import { describe, expect, it } from "vitest";
import { causeOf, endedOf, isControlFlow, textOf } from "./translate.ts";

const message = (content: unknown, status = "success") => ({ content, status, tool_call_id: "c1" });
class MiddlewareError extends Error {
  override name = "MiddlewareError";
}

describe("LangChain's messages", () => {
  it.each([
    { value: message("fine"), ended: { value: "fine" } },
    { value: message('{"left":3}'), ended: { value: '{"left":3}' } },
    { value: message('{"exitCode":2,"output":"x"}'), ended: { value: { exitCode: 2, output: "x" } } },
    { value: message('{"content":[],"isError":true}'), ended: { value: { content: [], isError: true } } },
    { value: message([{ type: "text", text: "a" }]), ended: { value: { content: [{ type: "text", text: "a" }] } } },
    { value: { lg_name: "Command" }, ended: { value: undefined } },
  ])("LCH-10 the end of a tool is read from its message: $value", ({ value, ended }) => {
    expect(endedOf(value)).toEqual(ended);
  });

  it("LCH-11 a message with an error is a failure with its text", () => {
    expect(endedOf(message("boom", "error"))).toEqual({ error: new Error("boom") });
  });

  it("LCH-12 the tool's own error is found under the layers of middleware", () => {
    const own = Object.assign(new Error("boom"), { exitCode: 3 });
    expect(causeOf(new MiddlewareError("x", { cause: new MiddlewareError("y", { cause: own }) }))).toBe(own);
    expect(causeOf(own)).toBe(own);
  });

  it("LCH-13 what LangGraph throws to ask a person is not the tool's error", () => {
    expect(isControlFlow(Object.assign(new Error("x"), { name: "GraphInterrupt" }))).toBe(true);
    expect(isControlFlow(new Error("GraphInterrupt"))).toBe(false);
  });

  it("LCH-14 the text of a message is that of its text blocks", () => {
    expect(textOf({ content: [{ type: "text", text: "a" }, { type: "image" }, { type: "text", text: "b" }] })).toBe(
      "ab",
    );
  });
});
