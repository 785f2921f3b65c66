import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, realpathSync, renameSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { packageFolder } from "../../../src/edge/host/node/package-files.ts";
import type { Attack, AttackOutcome } from "../attack.ts";
import type { AttackWorld } from "../world.ts";

type Hook = { readonly command?: string; readonly onFailure?: string };
type Settings = { readonly hooks: { readonly [event: string]: readonly { readonly hooks: readonly Hook[] }[] } };

/** Sets up a copy of Conduct for Codex, Claude Code and OpenCode, and then moves it away. */
function movedAway(world: AttackWorld, mode: "shadow" | "enforce") {
  const there = join(world.root, "conduct");
  const checkout = packageFolder();
  for (const name of ["src", "packs", "package.json", "docs/coverage.json"]) {
    mkdirSync(dirname(join(there, name)), { recursive: true });
    cpSync(join(checkout, name), join(there, name), { recursive: true, filter: (path) => !path.endsWith(".test.ts") });
  }
  symlinkSync(realpathSync(join(checkout, "node_modules")), join(there, "node_modules"));
  const run = (command: string, args: readonly string[], input = "") =>
    spawnSync(command, args, { cwd: world.user, env: world.env, input, encoding: "utf8" });
  const conduct = (...words: readonly string[]) =>
    run(process.execPath, [join(there, "src/apps/cli/conduct.mjs"), ...words]);
  for (const runtime of ["codex", "claude-code", "opencode"]) {
    const made = conduct("init", runtime, "--yes");
    if (made.status !== 0) return { skipped: `conduct init ${runtime}: ${made.stderr.trim() || made.stdout.trim()}` };
    if (mode === "enforce") conduct("enforce", runtime, "--yes");
  }
  conduct("daemon", "stop");
  renameSync(there, join(world.root, "elsewhere"));
  const hooksAt = (file: string, event: string): readonly Hook[] => {
    const { hooks } = JSON.parse(readFileSync(join(world.user, file), "utf8")) as Settings;
    return (hooks[event] ?? []).flatMap((group) => group.hooks);
  };
  const codex = (event: string) => {
    const command = hooksAt(".codex/hooks.json", event)[0]?.command ?? "exit 99";
    const input = { session_id: "s", cwd: world.user, hook_event_name: event, tool_name: "Bash", tool_use_id: "c" };
    return run("sh", ["-c", command], JSON.stringify({ ...input, tool_input: { command: "ls" } }));
  };
  const claudeCode = (event: string) => {
    const hooks = hooksAt(".claude/settings.json", event);
    const command = hooks.find((hook) => hook.command !== undefined)?.command;
    const ran =
      command === undefined ? undefined : run("sh", ["-c", command], JSON.stringify({ hook_event_name: event }));
    return { ran, onFailure: hooks.flatMap((hook) => hook.onFailure ?? []) };
  };
  /** Loads the plugin file like OpenCode, calls two of its hooks and prints each outcome. */
  const opencode = () =>
    run(process.execPath, [
      "--input-type=module",
      "-e",
      `const { Conduct } = await import(${JSON.stringify(join(world.user, ".config/opencode/plugin/conduct.js"))});
const hooks = await Conduct({ client: {}, directory: "." });
for (const name of ["chat.message", "tool.execute.before"])
  await hooks[name]?.({ sessionID: "s" }, {}).then(() => console.log("passed"), (error) => console.log("blocked " + error.message));`,
    ]).stdout;
  return { codex, claudeCode, opencode };
}

function skipped(note: string): AttackOutcome {
  return { tried: 0, held: 0, note: `Not tried: ${note}` };
}

/** The hooks stay in a runtime's settings after Conduct is removed. */
export const attack: Attack = {
  id: "07-missing-installation",
  title: "The installation is moved away while runtimes are set up",
  cases: [
    {
      name: "Only watched: no call, message or stop is blocked, and each runtime is warned once",
      async run(world) {
        const moved = movedAway(world, "shadow");
        if ("skipped" in moved) return skipped(moved.skipped ?? "");
        const codex = ["UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"].map(moved.codex);
        const claude = ["UserPromptSubmit", "PreToolUse", "Stop"].map(moved.claudeCode);
        const opencode = moved.opencode().trim().split("\n");
        const checks = [
          ...codex.map(({ status }) => status === 0),
          codex.filter(({ stdout }) => stdout.includes("systemMessage")).length === 1,
          ...claude.map(({ ran, onFailure }) => (ran?.status ?? 0) === 0 && !onFailure.includes("block")),
          ...opencode.map((line) => line === "passed"),
        ];
        return count(
          checks,
          "Codex exits",
          codex.map(({ status }) => status),
          "OpenCode",
          opencode,
        );
      },
    },
    {
      name: "Enforced: every call and message is blocked, with one sentence that names the repair",
      async run(world) {
        const moved = movedAway(world, "enforce");
        if ("skipped" in moved) return skipped(moved.skipped ?? "");
        const codex = ["UserPromptSubmit", "PreToolUse", "PostToolUse"].map(moved.codex);
        const message = moved.claudeCode("UserPromptSubmit");
        const calls = moved.claudeCode("PreToolUse");
        const opencode = moved.opencode().trim().split("\n");
        const names = (text: string, runtime: string) => text.includes(`run: conduct init ${runtime}`);
        const checks = [
          ...codex.map(({ status, stderr }) => status === 2 && names(stderr, "codex")),
          message.ran?.status === 2 && names(message.ran.stderr, "claude-code"),
          calls.onFailure.length > 0 && calls.onFailure.every((one) => one === "block"),
          ...opencode.map((line) => line.startsWith("blocked") && names(line, "opencode")),
        ];
        return count(
          checks,
          "Codex exits",
          codex.map(({ status }) => status),
          "OpenCode",
          opencode,
        );
      },
    },
  ],
};

function count(checks: readonly boolean[], ...told: readonly unknown[]): AttackOutcome {
  const note = told.map((one) => (Array.isArray(one) ? [...new Set(one)].join(", ").slice(0, 120) : one)).join(": ");
  return { tried: checks.length, held: checks.filter(Boolean).length, note: `${note}.` };
}
