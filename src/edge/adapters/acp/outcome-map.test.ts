import { describe, expect, it } from "vitest";
import { asObject } from "../../../base/kernel/json.ts";
import { seenCall } from "./test/recorded.ts";
import { mergeSeen } from "./translate.ts";
import { resultOf } from "./updates.ts";

describe("outcomes", () => {
  it.each([
    { id: "call_1", tool: "read_file", result: { outcome: "ok", parts: [{ kind: "text", text: "old" }] } },
    {
      id: "call_2",
      tool: "shell",
      result: { outcome: "failed", exitCode: 3, parts: [{ kind: "text", text: "hi\n" }] },
    },
    { id: "call_4", tool: "edit_file", result: { outcome: "ok" } },
    { id: "call_5", tool: "shell", result: { outcome: "denied" } },
  ])("ACO-1 OpenCode's recorded $id has the outcome $result.outcome", ({ id, tool, result }) => {
    expect(resultOf(seenCall(id, "over"), tool)).toMatchObject(result);
  });

  it.each([
    { status: "completed", rawOutput: { exit_code: 0 }, outcome: "ok" },
    { status: "completed", rawOutput: { metadata: { exit: null } }, outcome: "failed" },
    { status: "completed", rawOutput: { output: "all green" }, outcome: "unknown" },
    { status: "completed", rawOutput: "all green", outcome: "unknown" },
    { status: "failed", rawOutput: { error: "no such command" }, outcome: "failed" },
    { status: "failed", rawOutput: { error: "Permission denied" }, outcome: "failed" },
    { status: "failed", rawOutput: { error: "User declined the call" }, outcome: "denied" },
  ])(
    "ACO-2 a command with status $status and $rawOutput is $outcome: only exit code 0 proves success",
    ({ outcome, ...told }) => {
      expect(resultOf(mergeSeen(undefined, asObject({ toolCallId: "c", ...told })), "shell").outcome).toBe(outcome);
    },
  );
});
