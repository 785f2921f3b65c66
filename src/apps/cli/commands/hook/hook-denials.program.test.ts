import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { conductProgram } from "../../../../edge/host/node/package-files.ts";

let root = "";
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "conduct-hook-")));
  for (const folder of ["home", "work"]) mkdirSync(join(root, folder), { mode: 0o700 });
  // No daemon can start, so the hook decides itself.
  writeFileSync(join(root, "home/run"), "");
  writeFileSync(join(root, "work/a.js"), "1");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** What the agent reads when the shipped program decides on its call; `allowed` if it may go on. */
function call(tool_name: string, tool_input: object): string {
  const cwd = join(root, "work");
  const event = { hook_event_name: "PreToolUse", session_id: randomUUID(), cwd, tool_use_id: "c1" };
  const { stdout } = spawnSync(process.execPath, [conductProgram(), "hook", "codex"], {
    cwd,
    env: { PATH: process.env.PATH, HOME: root, CONDUCT_HOME: join(root, "home") },
    input: JSON.stringify({ ...event, tool_name, tool_input }),
    encoding: "utf8",
  });
  return String(JSON.parse(stdout).hookSpecificOutput?.permissionDecisionReason ?? "allowed");
}
const shell = (command: string) => call("Bash", { command });

describe("what an agent reads", { timeout: 240_000 }, () => {
  it("HKD-1 a denial by several rules lists every need once, and one next step", () => {
    const checks = "{ id: checks, on: git.commit, require: { all: [lints.run, tests.run] }, say: Run the linter. }";
    writeFileSync(join(root, "home/conduct.yaml"), `agents: { coding: { rules: [packs/coding, ${checks}] } }\n`);
    const denied = shell("git commit -m done");
    expect(denied.match(/^Missing: .*$/m)?.[0]).toBe(
      "Missing: run the tests (not done in this session); run the linter (not done in this session)",
    );
    expect(denied).toContain("Next: First: run the tests, then run the linter. Then repeat this call in a later step.");
  });

  it.each([
    ["pkill -f conduct", "Denied by builtin:protected-paths: This command may stop Conduct."],
    ["systemctl --user stop conduct", "This command may stop Conduct."],
    ["git merge feature", "add --no-commit"],
    ["git merge --no-commit feature", "allowed"],
    ["git merge --ff-only origin/main", "allowed"],
    ["git pull", "allowed"],
    ["terraform apply -auto-approve", "infrastructure-asks"],
    ["terraform plan", "allowed"],
  ])("HKD-2 the call %s gets the answer %s", (command, answer) => {
    expect(shell(command)).toContain(answer);
  });

  it("HKD-3 a file that was not read is to be read, by no tool's name that the runtime does not have", () => {
    const denied = call("apply_patch", {
      command: "*** Begin Patch\n*** Update File: a.js\n@@\n-1\n+2\n*** End Patch",
    });
    expect(denied).toContain("Missing: read a.js (not done in this session)");
    expect(denied).not.toMatch(/_file/);
  });
});
