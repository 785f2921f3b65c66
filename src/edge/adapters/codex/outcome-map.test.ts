import { describe, expect, it } from "vitest";
import {
  isStillRunning,
  partsOf,
  resultOfUse,
  resultWithoutHook,
  traceCall,
  traceOf,
  turnFacts,
} from "./outcome-map.ts";
import { recordedEvent, recordedPath, recordedText } from "./test/recorded.ts";

const tools = recordedText("rollout-tools.jsonl");
const post = (name: string) => recordedEvent("PostToolUse", name);
const bash = { id: "c", name: "Bash", input: { command: "x" } };

describe("resultOfUse", () => {
  it("the exit code of a command is in the rollout, whatever its output says", async () => {
    const { use, response, cwd } = post("PostToolUse-exec-exit3");
    const trace = await traceCall(recordedPath("rollout-exit3.jsonl"), use.id, ({ item }) => item !== undefined);
    expect(resultOfUse(use, response, trace, cwd)).toEqual({
      outcome: "failed",
      exitCode: 3,
      parts: [{ kind: "text", text: "bad\n" }],
    });
    const ok = traceOf(recordedText("rollout-exit3.jsonl"), "call_A");
    expect(resultOfUse(post("PostToolUse-exec-ok").use, "hello\n", ok, cwd)).toMatchObject({
      outcome: "ok",
      exitCode: 0,
    });
  });

  it("so it is for a command in a script", () => {
    const { use, response, cwd } = post("PostToolUse-exec-exit3-codemode");
    const trace = traceOf(recordedText("rollout-codemode.jsonl"), use.id);
    expect(resultOfUse(use, response, trace, cwd)).toMatchObject({ outcome: "failed", exitCode: 3 });
  });

  it("without a rollout the outcome of a command is unknown", () => {
    const { use, response, cwd } = post("PostToolUse-exec-ephemeral");
    expect(resultOfUse(use, response, {}, cwd)).toMatchObject({ outcome: "unknown" });
  });

  it.each([
    [{ cwd: "file:///elsewhere" }, "unknown"],
    [{ cwd: 7 }, "unknown"],
    [{ command: ["/bin/true", "-lc", "x"] }, "unknown"],
    [{ exit_code: null, status: "declined" }, "denied"],
    [{ exit_code: null, status: "failed" }, "failed"],
    [{}, "ok"],
  ])("a command that ran with %j is %s", (change, outcome) => {
    const item = { exit_code: 0, cwd: "file:///workspace", command: ["/bin/bash", "-lc", "x"], ...change };
    expect(resultOfUse(bash, "", { item }, "/workspace").outcome).toBe(outcome);
  });

  it("a patch is judged by the line that Codex writes itself", () => {
    const { use, response } = post("PostToolUse-apply_patch");
    expect(resultOfUse(use, response, {}, "/").outcome).toBe("ok");
    expect(resultOfUse(use, "Exit code: 1\nno", {}, "/").outcome).toBe("failed");
    expect(resultOfUse(use, "?", {}, "/").outcome).toBe("unknown");
  });

  it("an MCP tool tells whether it failed", () => {
    const { use, response } = post("PostToolUse-mcp__demo__echo");
    expect(resultOfUse(use, response, {}, "/")).toEqual({
      outcome: "ok",
      parts: [{ kind: "text", text: "echo:hi" }],
    });
    expect(resultOfUse(use, { content: [], isError: true }, {}, "/").outcome).toBe("failed");
    expect(resultOfUse(use, response, traceOf(tools, "c_mcpfail"), "/").outcome).toBe("failed");
  });
});

describe("resultWithoutHook", () => {
  it("a patch that did not apply has failed", () => {
    const trace = traceOf(recordedText("rollout-bad-patch.jsonl"), "call_7");
    const result = resultWithoutHook({ id: "call_7", name: "apply_patch", input: {} }, trace, "/workspace");
    expect(result).toMatchObject({ outcome: "failed" });
    expect(JSON.stringify(result?.parts)).toContain("apply_patch verification failed");
  });

  it("a command that still runs has no result; when it has ended it has", () => {
    const started = traceOf(tools.slice(0, tools.indexOf('"call_id":"c_poll"')), "c_long");
    expect(isStillRunning(started)).toBe(true);
    expect(resultWithoutHook(bash, traceOf(tools, "c_long"), "/workspace")).toMatchObject({
      outcome: "failed",
      exitCode: 4,
    });
  });

  it("what the rollout does not know has no result yet", () => {
    expect(resultWithoutHook(bash, {}, "/")).toBeUndefined();
    expect(resultWithoutHook(bash, { output: "blocked" }, "/")).toMatchObject({ outcome: "unknown" });
  });
});

describe("rollout", () => {
  it("the window and the folder of the turn", async () => {
    expect(await turnFacts(recordedPath("rollout-tools.jsonl"))).toEqual({ window: 258_400, cwd: "/workspace" });
    expect(await turnFacts("/nonexistent")).toEqual({});
    expect(await turnFacts(undefined)).toEqual({});
  });

  it("a rollout that cannot be read says nothing", async () => {
    expect(await traceCall("/nonexistent", "c", () => false)).toEqual({});
    expect(traceOf('{"half a line "c"\n{"type":"x","payload":{"call_id":"c"}}\n', "c")).toEqual({});
  });
});

describe("partsOf", () => {
  it("pictures are pictures, objects are JSON", () => {
    const [picture] = partsOf(post("PostToolUse-view_image").response);
    expect(picture).toMatchObject({ kind: "image", mime: "application/octet-stream" });
    expect(partsOf(post("PostToolUse-get_goal").response)).toMatchObject([{ kind: "json", value: { goal: null } }]);
    expect(partsOf({ content: [{ type: "image", data: "aa", mimeType: "image/png" }, { type: "odd" }] })).toEqual([
      { kind: "image", mime: "image/png", data: "aa" },
      { kind: "json", value: { type: "odd" } },
    ]);
    expect(partsOf(undefined)).toEqual([]);
  });
});
