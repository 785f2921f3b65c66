import { describe, expect, it } from "vitest";
import { asObject } from "../../../base/kernel/json.ts";
import { failed, gave } from "./test/recorded.ts";
import { failedResult, resultOf } from "./translate.ts";

const result = (id: string) => {
  const { tool, output } = gave(id);
  return resultOf(tool, output);
};

describe("outcome map", () => {
  it.each([
    { id: "bash", outcome: { outcome: "ok", exitCode: 0 } },
    { id: "bash-fails", outcome: { outcome: "failed", exitCode: 3 } },
    { id: "bash-killed", outcome: { outcome: "failed" } },
    { id: "read", outcome: { outcome: "ok" } },
    { id: "write", outcome: { outcome: "ok" } },
    { id: "task", outcome: { outcome: "ok" } },
    { id: "mcp-text", outcome: { outcome: "ok" } },
    // OpenCode answers a call of a tool that is not there itself, and calls that a success.
    { id: "webfetch-denied", outcome: { outcome: "failed" } },
  ])("OC-5 the recorded $id has the outcome $outcome.outcome", ({ id, outcome }) => {
    const { parts: _, ...rest } = result(id);
    expect(rest).toEqual(outcome);
  });

  it.each([
    { id: "read-missing", text: "File not found: /ws/missing.txt" },
    { id: "mcp-fail", text: "nope" },
  ])("OC-6 the recorded $id, for which no hook ran, counts as failed", ({ id, text }) => {
    expect(failedResult(failed(id))).toEqual({ outcome: "failed", parts: [{ kind: "text", text }] });
  });

  it.each([
    { state: { error: "Tool execution aborted", metadata: { interrupted: true } }, outcome: "cancelled" },
    { state: { error: "The user rejected permission to use this specific tool call." }, outcome: "denied" },
    { state: { error: "The user has specified a rule which prevents you from using it" }, outcome: "denied" },
    { state: { error: "It says: The user rejected permission to use it" }, outcome: "failed" },
    { state: {}, outcome: "failed" },
  ])("OC-6 the error $state.error counts as $outcome", ({ state, outcome }) => {
    expect(failedResult(asObject(state)).outcome).toBe(outcome);
  });

  it("OC-5 a command without an exit code has an unknown outcome, whatever it printed", () => {
    expect(resultOf("bash", { output: "exit 0", metadata: {} }).outcome).toBe("unknown");
    expect(resultOf("bash", undefined).outcome).toBe("unknown");
  });

  it("OC-7 a picture is a separate part, from files and from servers", () => {
    for (const id of ["read-image", "mcp-image"]) {
      expect(result(id).parts.at(-1)).toMatchObject({ kind: "image", mime: "image/png" });
    }
  });

  it("OC-7 a server's requirements are read from structured content, and never from text", () => {
    expect(result("mcp-data")).toEqual({
      outcome: "ok",
      parts: [{ kind: "text", text: "x" }],
      requirements: [{ requireBeforeNext: ["verify_context"] }],
    });
    expect(result("mcp-text").requirements).toBeUndefined();
  });
});
