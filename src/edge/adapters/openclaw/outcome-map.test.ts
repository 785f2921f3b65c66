import { expect, it } from "vitest";
import { recorded } from "./test/recorded.ts";
import { outcomeOf, resultLimit } from "./translate.ts";

it.each([
  ["result-exec-ok", "shell", { outcome: "ok", exitCode: 0 }],
  ["result-exec-failed", "shell", { outcome: "failed", exitCode: 3 }],
  ["result-read", "read_file", { outcome: "ok" }],
  ["result-read-missing", "read_file", { outcome: "failed" }],
  ["result-mcp", "demo/echo", { outcome: "ok" }],
])("OCL-10 the recorded %s of %j gets its real outcome", (name, tool, wanted) => {
  expect(outcomeOf(tool, recorded(name).event)).toEqual(wanted);
});

it.each([
  ["shell", { status: "running", sessionId: "x" }, false, "unknown"],
  ["shell", { status: "completed", exitCode: null, exitSignal: "SIGKILL" }, false, "unknown"],
  ["shell", undefined, false, "unknown"],
  ["shell", { truncated: true, originalSizeBytes: 131_072 }, false, "unknown"],
  ["shell", { status: "failed", exitCode: 0 }, false, "failed"],
  ["read_file", { status: "blocked" }, true, "denied"],
  ["read_file", undefined, true, "failed"],
  ["read_file", { status: "toString" }, false, "ok"],
])("OCL-11 a %s with the details %j and isError %s counts as %s", (tool, details, isError, outcome) => {
  expect(outcomeOf(tool, { isError, result: { content: [], details } }).outcome).toBe(outcome);
});

it.each([
  [undefined, 16_000],
  [8_000, 4_000],
  [40_000, 16_000],
  [128_000, 32_000],
  [200_000, 64_000],
])("OCL-90 with a window of %s, OpenClaw passes on %s characters of a result", (window, chars) => {
  expect(resultLimit(window)).toBe(chars);
});
