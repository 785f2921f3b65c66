import { expect, it } from "vitest";
import { isHeld, modelName, ownStatus, stopReason, withPrompt } from "./translate.ts";

it.each([
  { own: undefined, told: "P" },
  { own: "", told: "P" },
  { own: "Be kind.", told: "Be kind.\n\nP" },
  {
    own: { role: "system", content: "A" },
    told: [
      { role: "system", content: "A" },
      { role: "system", content: "P" },
    ],
  },
  {
    own: [{ role: "system", content: "A" }],
    told: [
      { role: "system", content: "A" },
      { role: "system", content: "P" },
    ],
  },
] as const)("AIS-1 the prompt follows the application's own instructions: $own", ({ own, told }) => {
  expect(withPrompt(own, "P")).toEqual(told);
  expect(withPrompt(own, "")).toBe(own);
});

const asked = { toolCall: { toolCallId: "c1", toolName: "pay", input: { amount: 7 } }, messages: [] };
const isLarge = (input: unknown) => (input as { amount: number }).amount > 5;

it.each([
  { settings: {}, status: undefined },
  { settings: { tools: { pay: { needsApproval: true } } }, status: "user-approval" },
  { settings: { tools: { pay: { needsApproval: isLarge } } }, status: "user-approval" },
  { settings: { tools: { pay: { needsApproval: false } } }, status: undefined },
  { settings: { toolApproval: { pay: "denied" }, tools: { pay: { needsApproval: true } } }, status: "denied" },
  { settings: { toolApproval: { pay: () => "approved" } }, status: "approved" },
  { settings: { toolApproval: { other: "denied" } }, status: undefined },
  { settings: { toolApproval: () => ({ type: "denied", reason: "no" }) }, status: { type: "denied", reason: "no" } },
])("AIS-2 the application's own approvals stay in force: $settings gives $status", async ({ settings, status }) => {
  expect(await ownStatus(settings, asked)).toEqual(status);
});

it.each([
  [undefined, false],
  ["approved", false],
  ["not-applicable", false],
  ["denied", true],
  [{ type: "user-approval", reason: "?" }, true],
])("AIS-3 a status of %j holds the call: %s", (status, held) => {
  expect(isHeld(status)).toBe(held);
});

it("AIS-4 models and finish reasons have the names of every other runtime", () => {
  expect(modelName("openai/gpt-5")).toBe("openai/gpt-5");
  expect(modelName({ provider: "anthropic.messages", modelId: "m" })).toBe("anthropic.messages/m");
  expect(modelName(undefined)).toBeUndefined();
  expect(["stop", "length", "content-filter"].map(stopReason)).toEqual(["end_turn", "max_tokens", "content-filter"]);
});
