import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { guarded } from "../shared/hooks/guarded-command.ts";
import { CODEX_EVENTS, codexHooksJson } from "./hooks-json.ts";

function run(command: string, input = ""): { status: number | null; stdout: string; stderr: string } {
  return spawnSync("/bin/bash", ["-c", command], { input, encoding: "utf8" });
}

describe("guarded", () => {
  it("passes input and output through when all is well", () => {
    expect(run(guarded("cat", 5, "block"), '{"it\'s": "$HOME"}')).toMatchObject({
      status: 0,
      stdout: '{"it\'s": "$HOME"}',
    });
  });

  it.each([
    ["exit 1", "sh -c 'exit 1'", "exit 1"],
    ["a missing program", "/nonexistent", "exit 127"],
    ["a signal", "sh -c 'kill -9 $$'", "exit 137"],
    ["a hang", "sleep 20", "exit 124"],
  ])("%s becomes exit 2 where it has to block, and exit 1 where it is only told", (_what, command, says) => {
    const blocked = run(guarded(command, 1, "block"));
    expect(blocked).toMatchObject({ status: 2, stdout: "" });
    expect(blocked.stderr).toContain(`did not answer (${says}`);
    expect(run(guarded(command, 1, "tell")).status).toBe(1);
  });

  it("an exit 2 of the hook stays one, with its own words", () => {
    expect(run(guarded("sh -c 'echo why >&2; exit 2'", 5, "block"))).toMatchObject({ status: 2, stderr: "why\n" });
  });
});

describe("codexHooksJson", () => {
  it("registers every event, and Codex waits longer than we do", () => {
    const { hooks } = JSON.parse(codexHooksJson("conduct hook codex"));
    expect(Object.keys(hooks)).toEqual(CODEX_EVENTS);
    expect(hooks.PreToolUse[0].hooks[0]).toMatchObject({
      type: "command",
      timeout: 30,
      additionalContextLimit: 50_000,
    });
    expect(hooks.Stop[0].hooks[0]).toMatchObject({ timeout: 145 });
    expect(hooks.Stop[0].hooks[0].command).toContain("conduct hook codex");
  });
});
