import { expect, it } from "vitest";
import { configSchema } from "./config-schema.ts";

it.each([
  ["telegram", ["U012AB3CD"], "must be a number"],
  ["slack", [4711], "must be a Slack id, such as U012AB3CD"],
  ["slack", ["ann"], "must be a Slack id, such as U012AB3CD"],
])("CFG-30 an operator's id of another form is an error: %s %j", (channel, operators, message) => {
  const read = configSchema.safeParse({ agents: { a: {} }, channels: { [channel]: { operators } } });
  expect(read.error?.issues).toMatchObject([{ path: ["channels", channel, "operators", 0], message }]);
});

it("CFG-31 both chat services have operators by their own ids", () => {
  const channels = { telegram: { operators: [4711] }, slack: { operators: ["U012AB3CD"] } };
  expect(configSchema.safeParse({ agents: { a: {} }, channels }).success).toBe(true);
});
