import { expect, it } from "vitest";
import { after, failed } from "../test/claude-events.ts";
import { failureOf, outcomeOf } from "./result-shape.ts";

it.each([
  { id: "bash", ended: { outcome: "ok", exitCode: 0 } },
  { id: "bash-background", ended: { outcome: "unknown" } },
  { id: "bash-no-match", ended: { outcome: "failed" } },
  { id: "read", ended: { outcome: "ok" } },
  { id: "mcp-text", ended: { outcome: "ok" } },
  { id: "mcp-data", ended: { outcome: "ok" } },
  { id: "agent", ended: { outcome: "ok" } },
])("OUT-1 recorded result of '$id' is $ended.outcome", ({ id, ended }) => {
  const { tool_name, tool_response } = after(id);
  expect(outcomeOf(tool_name, tool_response)).toEqual(ended);
});

it.each([
  { id: "bash-fails", ended: { outcome: "failed", exitCode: 3 } },
  { id: "read-missing", ended: { outcome: "failed" } },
  { id: "mcp-fail", ended: { outcome: "failed" } },
])("OUT-2 recorded failure of '$id' is $ended", ({ id, ended }) => {
  expect(failureOf(failed(id))).toEqual(ended);
});

it("OUT-3 a call that was interrupted or continues in the background proves nothing", () => {
  expect(failureOf({ error: "stopped", is_interrupt: true })).toEqual({ outcome: "cancelled" });
  expect(outcomeOf("Bash", { stdout: "", interrupted: true })).toEqual({ outcome: "cancelled" });
  expect(outcomeOf("Agent", { status: "async_launched" })).toEqual({ outcome: "unknown" });
});
