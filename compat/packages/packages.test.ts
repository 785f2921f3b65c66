import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { writePackages } from "../../scripts/packages.ts";
import { SequentialDependencyPolicy } from "../../src/behavior/policy/builtin/sequential-dependency-policy.ts";
import { piExtensionText } from "../../src/edge/adapters/pi-extension/install.ts";
import { defineAgent } from "../../src/engine/agent/define-agent.ts";
import type { LocalRun } from "../../src/testing/kit/local-run.ts";
import { CLAUDE } from "../claude-code/cli.ts";
import { localOpencodeRun } from "../opencode/in-process.ts";
import { PLUGIN_FILE } from "../opencode/place.ts";
import { ALONE, piEnv } from "../pi-extension/place.ts";
import { bash, eventsOf, given, useScenes } from "../pi-extension/play.ts";
import { PACKAGE_VARIABLE } from "../shipped/install.ts";

const run = promisify(execFile);
const scene = useScenes();
const INSTALLED = process.env[PACKAGE_VARIABLE] ?? "";
let packages: string;
let home: string;

/** The packages as npm leaves them: each with the one package as its dependency. */
beforeEach(() => {
  const root = mkdtempSync(join(tmpdir(), "conduct-packages-"));
  [packages, home] = [join(root, "packages"), join(root, "home")];
  mkdirSync(home);
  writePackages(packages);
  for (const name of ["pi", "opencode", "openclaw"]) {
    mkdirSync(join(packages, name, "node_modules"));
    const into = join(packages, name, "node_modules/agent-conduct");
    // OpenClaw's installer refuses links that lead out of the plugin.
    if (name !== "openclaw") symlinkSync(INSTALLED, into);
    else
      for (const part of ["package.json", "dist"]) cpSync(join(INSTALLED, part), join(into, part), { recursive: true });
  }
});
afterEach(() => rmSync(join(packages, ".."), { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }));

const env = () => ({ PATH: process.env.PATH, HOME: home, ...ALONE });

describe("the package for Pi", () => {
  const PI = join(import.meta.dirname, "../pi-extension/node_modules/.bin/pi");
  const agent = defineAgent({
    name: "plain",
    soul: "Be PLAIN-7.",
    actions: { ship: { tool: "shell", command: "ship *" }, test: { tool: "shell", command: "test *" } },
    policies: [new SequentialDependencyPolicy({ dependencies: { ship: ["test"] } })],
  });
  const SCRIPT = [{ calls: [bash("call_1", "ship it")] }, { text: "Done." }];

  it("PKG-1 `pi install` adds it, and the prompt and every call of Pi pass Conduct", async () => {
    const { place, server, daemon, pi } = await scene(SCRIPT, { extension: null });
    const installed = await run(PI, ["install", join(packages, "pi")], { env: piEnv(place), cwd: place.workspace });
    expect(installed.stdout).toContain("Installed");
    await daemon(agent);
    await pi().prompt("go");
    expect(server.requests[0]?.system).toContain("PLAIN-7");
    expect(given(server.requests, "call_1")).toContain("Denied by");
  });

  it("PKG-2 next to what `conduct init pi` wrote it does nothing, so that a call is decided once", async () => {
    const extension = piExtensionText({ plugin: join(INSTALLED, "dist/pi-plugin.mjs") });
    const { place, server, daemon, pi } = await scene(SCRIPT, { extension });
    await run(PI, ["install", join(packages, "pi")], { env: piEnv(place), cwd: place.workspace });
    const started = await daemon(agent);
    await pi().prompt("go");
    expect(given(server.requests, "call_1")).toContain("Denied by");
    expect(eventsOf(started, "call")).toHaveLength(1);
  });
});

describe("the plugin for Claude Code", () => {
  const claude = (...args: readonly string[]) => run(CLAUDE, ["plugin", ...args], { env: env(), cwd: home });

  it("PKG-3 Claude Code's own validator accepts marketplace and plugin, and its installer enables the plugin", async () => {
    const folder = join(packages, "claude-code");
    expect((await claude("validate", folder)).stdout).toContain("Validation passed");
    expect((await claude("validate", join(folder, "conduct"))).stdout).toContain("Validation passed");
    await claude("marketplace", "add", folder);
    await claude("install", "conduct@conduct");
    expect((await claude("list")).stdout).toMatch(/conduct@conduct[\s\S]*enabled/);
  });

  it("PKG-4 its hook tells the person how to set up Conduct, and is silent where that was done", async () => {
    const hooks = await import(join(packages, "claude-code/conduct/hooks/hooks.json"), { with: { type: "json" } });
    const { command } = hooks.default.hooks.SessionStart[0].hooks[0];
    const hint = await run("sh", ["-c", command], { env: env() });
    expect(JSON.parse(hint.stdout).systemMessage).toContain("conduct init claude-code");
    mkdirSync(join(home, ".conduct/bin"), { recursive: true });
    writeFileSync(join(home, ".conduct/bin/conduct"), "#!/bin/sh\n", { mode: 0o755 });
    expect((await run("sh", ["-c", command], { env: env() })).stdout).toBe("");
  });
});

describe("the package for OpenCode", () => {
  const strict = defineAgent({
    name: "strict",
    policies: [{ name: "never", check: () => ({ kind: "deny", reason: "not here", next: "Do without." }) }],
  });
  const ship: LocalRun = {
    agent: strict,
    message: "run it",
    files: { "run.sh": "echo ran > ran.txt" },
    script: [{ calls: [{ id: "call_1", tool: "shell", args: { command: "sh run.sh" } }] }, { text: "Done." }],
  };

  it.each([
    { what: "alone", files: { [PLUGIN_FILE]: undefined } },
    { what: "next to what `conduct init opencode` wrote", files: {} },
  ])("PKG-5 OpenCode loads it from its configuration, and a call is decided once: $what", async ({ files }) => {
    const driver = localOpencodeRun({ config: { plugin: [join(packages, "opencode")] }, files });
    try {
      const outcome = await driver.run(ship);
      expect(outcome.file("ran.txt")).toBeUndefined();
      expect(outcome.events.filter(({ type }) => type === "call")).toHaveLength(1);
    } finally {
      await driver.close?.();
    }
  });
});

describe("the package for OpenClaw", () => {
  const OPENCLAW = join(import.meta.dirname, "../openclaw/node_modules/.bin/openclaw");
  const openclaw = (...args: readonly string[]) => run(OPENCLAW, ["plugins", ...args], { env: env(), cwd: home });

  it("PKG-6 OpenClaw's own installer accepts it after its scan, and loads its hooks and tools", async () => {
    // A local folder is not reviewed by ClawHub, so a person has to confirm it, and what the plugin may do.
    await openclaw("install", "--force", "--accept-capabilities", join(packages, "openclaw"));
    const { stdout } = await openclaw("inspect", "conduct", "--runtime");
    expect(stdout).toContain("Status: loaded");
    expect(stdout).toContain("before_tool_call");
    expect(stdout).toContain("read_result, verify_context");
  });
});
