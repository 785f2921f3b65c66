import { expect, it } from "vitest";
import { senderOf } from "./messages.ts";
import { recorded } from "./test/recorded.ts";

const operators = ["telegram:7"];

it.each([
  ["telegram", "7", { id: "telegram:7", role: "operator" }],
  ["telegram", "8", { id: "telegram:8", role: "user" }],
  ["discord", "7", { id: "discord:7", role: "user" }],
  ["telegram", undefined, { id: "telegram", role: "viewer" }],
  ["webchat", "gateway-client", undefined],
  [undefined, undefined, undefined],
])("OCL-20 on channel %s, the sender %s maps to %j", (channel, senderId, sender) => {
  expect(senderOf({ channel, senderId, trigger: "user" }, "KEEP: x", operators)).toEqual(sender);
});

it.each(["before_agent_reply-subagent", "before_agent_reply-inter-session"])(
  "OCL-21 the recorded %s does not come from a person and gives no directive",
  (name) => {
    const { event, context } = recorded(name);
    expect(senderOf(context, event.cleanedBody, operators)).toEqual({ id: "openclaw", role: "viewer" });
  },
);

it.each(["heartbeat", "cron"])("OCL-22 a run that OpenClaw starts at a %s has no person as sender", (trigger) => {
  expect(senderOf({ trigger }, "go", operators)?.role).toBe("viewer");
});

it("OCL-23 the host decides on the rights of the local person's message", () => {
  const { event, context } = recorded("before_agent_reply");
  expect(senderOf(context, event.cleanedBody, operators)).toBeUndefined();
});
