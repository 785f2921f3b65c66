import { expect, it } from "vitest";
import { argumentsOf, assertGuardable, isErrorText, ownFinality } from "./translate.ts";

const results = [
  { tool: { name: "look" }, output: "seen" },
  { tool: { name: "pay" }, output: "paid" },
];

it.each([
  { behavior: "run_llm_again", final: { isFinalOutput: false } },
  { behavior: "stop_on_first_tool", final: { isFinalOutput: true, finalOutput: "seen" } },
  { behavior: { stopAtToolNames: ["pay"] }, final: { isFinalOutput: true, finalOutput: "paid" } },
  { behavior: { stopAtToolNames: ["other"] }, final: { isFinalOutput: false } },
  {
    behavior: () => ({ isFinalOutput: true, finalOutput: "mine" }),
    final: { isFinalOutput: true, finalOutput: "mine" },
  },
] as const)("OAG-10 the agent's own toolUseBehavior stays in force: $behavior", async ({ behavior, final }) => {
  expect(await ownFinality(behavior, undefined, results)).toEqual(final);
});

it("OAG-11 local tools without a function are refused; tools of the provider pass", () => {
  for (const type of ["computer", "shell", "apply_patch"])
    expect(() => assertGuardable({ type, name: "x" })).toThrow(`of type '${type}'`);
  expect(() => assertGuardable({ type: "hosted_tool", name: "web_search" })).not.toThrow();
});

it("OAG-12 arguments are read as the model wrote them, and error texts are recognised", () => {
  expect(argumentsOf('{"a":1}')).toEqual({ a: 1 });
  expect(argumentsOf(" ")).toEqual({});
  expect(argumentsOf("[1]")).toBe("[1]");
  expect(isErrorText("An error occurred while running the tool. Please try again.")).toBe(true);
  expect(isErrorText({ exitCode: 1 })).toBe(false);
});
