import { spawnSync } from "node:child_process";
import { chmodSync, lstatSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { claudeCode } from "./claude-code.ts";
import { readRecord, recordFolder } from "./install-record.ts";
import { makeChanges, type Plan, planInstall, planUndo, takeBack } from "./plan.ts";
import type { InstallableRuntime, InstallPlace } from "./runtime.ts";
import { INSTALLABLE } from "./runtimes.ts";
import { filesOf, useHome } from "./test/test-install.ts";

const { at, place, read, write } = useHome();

function changesOf(plan: Plan) {
  if ("refused" in plan) throw new Error(`${plan.path}: ${plan.refused}`);
  return plan.changes;
}

async function install(runtime: InstallableRuntime, given: InstallPlace = place()) {
  const folder = recordFolder(given.home, runtime.name, given.project);
  const changes = changesOf(await planInstall(filesOf(runtime, given)));
  const about = {
    runtime: runtime.name,
    at: "2026-11-15T11:00:00.000Z",
    by: "cli:ann",
    last: await readRecord(folder),
  };
  return makeChanges(folder, changes, about);
}

async function undo(runtime: InstallableRuntime, given: InstallPlace = place()) {
  const folder = recordFolder(given.home, runtime.name, given.project);
  const record = await readRecord(folder);
  if (record === undefined) throw new Error("there is no record");
  await takeBack(folder, changesOf(await planUndo(filesOf(runtime, given), record, folder)), record);
}

/** What a person has in the files that Conduct changes, in a style of their own. */
const BEFORE: { readonly [path: string]: string } = {
  ".claude/settings.json":
    '{ "model": "x", "hooks": { "Stop": [ { "hooks": [ { "type": "command", "command": "mine" } ] } ] } }',
  ".claude.json": '{"numStartups": 3,\n "mcpServers": {"mine": {"type": "stdio", "command": "x"}}}',
  ".codex/hooks.json": '{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "mine"}]}]}}',
  ".codex/config.toml": 'model = "gpt-5.5"\n[features]\nplugins = false\n',
  ".gemini/settings.json":
    '{\n  // mine\n  "ui": {"theme": "x"},\n  "hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "mine"}]}]},\n}',
  ".cursor/hooks.json": '{\n  // mine\n  "version": 1, "hooks": {"stop": [{"command": "mine"}]}\n}\n',
  ".copilot/mcp-config.json": '{"mcpServers": {"mine": {"type": "local", "command": "x"}}}',
  ".openclaw/openclaw.json": '{"gateway": {"mode": "local"},\n "tools": {"profile": "coding"}}\n',
};
const OTHER = { ".config/opencode/plugin/mine.js": "//", ".pi/agent/extensions/mine.ts": "//" };

const files = () =>
  Object.fromEntries([...Object.keys(BEFORE), ...Object.keys(OTHER)].map((path) => [path, read(path)]));
const tree = () =>
  readdirSync(at.root, { recursive: true, encoding: "utf8" })
    .filter((path) => !path.startsWith(".conduct"))
    .sort();

describe.each(INSTALLABLE)("$name", (runtime) => {
  it("INS-20 install adds Conduct to existing settings once, and undo restores them byte for byte", async () => {
    for (const [path, text] of Object.entries({ ...BEFORE, ...OTHER })) write(path, text);
    const before = { tree: tree(), files: files() };
    await install(runtime);
    for (const file of filesOf(runtime, place()))
      expect(file.faults(read(file.path.slice(at.root.length + 1)))).toEqual([]);
    expect(changesOf(await planInstall(filesOf(runtime, place())))).toEqual([]);
    await undo(runtime);
    expect({ tree: tree(), files: files() }).toEqual(before);
  });

  it("INS-21 install works without existing settings, and undo leaves no file behind", async () => {
    const before = tree();
    await install(runtime);
    for (const { path } of filesOf(runtime, place())) expect(statSync(path).mode & 0o077, path).toBe(0);
    await undo(runtime);
    expect(tree()).toEqual(before);
    expect(readdirSync(join(at.root, ".conduct", "init"))).toEqual([]);
  });

  it("INS-22 the check lists missing entries before the install and none after it", async () => {
    const faults = (given: InstallPlace) =>
      filesOf(runtime, given).flatMap((file) => file.faults(read(file.path.slice(at.root.length + 1))));
    expect(faults(place()).length).toBeGreaterThan(0);
    await install(runtime);
    expect(faults(place())).toEqual([]);
  });
});

const named = (name: string) => {
  const found = INSTALLABLE.find((runtime) => runtime.name === name);
  if (found === undefined) throw new Error(name);
  return found;
};

describe("taking it back later", () => {
  it("INS-30 undo keeps later changes of a person, and removes only Conduct's entries", async () => {
    for (const [path, text] of Object.entries(BEFORE)) write(path, text);
    for (const name of ["claude-code", "codex", "openclaw"]) await install(named(name));
    const edit = (path: string, change: (value: { [key: string]: unknown }) => void) => {
      const value = JSON.parse(read(path) ?? "");
      change(value);
      write(path, JSON.stringify(value));
    };
    edit(".claude/settings.json", (value) => Object.assign(value, { theirs: 1 }));
    edit(".claude.json", (value) => Object.assign(value, { numStartups: 4 }));
    edit(".codex/hooks.json", (value) => Object.assign(value, { theirs: 1 }));
    edit(".openclaw/openclaw.json", (value) => Object.assign(value, { theirs: 1 }));
    write(".codex/config.toml", `${read(".codex/config.toml")}[theirs]\nx = 1\n`);
    for (const name of ["claude-code", "codex", "openclaw"]) await undo(named(name));
    const left = (path: string) => JSON.parse(read(path) ?? "");
    const old = (path: string) => JSON.parse(BEFORE[path] ?? "");
    expect(left(".claude/settings.json")).toEqual({ ...old(".claude/settings.json"), theirs: 1 });
    expect(left(".claude.json")).toEqual({ ...old(".claude.json"), numStartups: 4 });
    expect(left(".codex/hooks.json")).toEqual({ ...old(".codex/hooks.json"), theirs: 1 });
    expect(left(".openclaw/openclaw.json")).toEqual({ ...old(".openclaw/openclaw.json"), theirs: 1 });
    expect(read(".codex/config.toml")).toBe(`${BEFORE[".codex/config.toml"]}[theirs]\nx = 1\n`);
  });

  it("INS-31 after a second install by a newer Conduct, undo restores the state before the first install", async () => {
    for (const [path, text] of Object.entries(BEFORE)) write(path, text);
    await install(named("codex"));
    const newer = place({ launcher: "/newer/bin/conduct" });
    await install(named("codex"), newer);
    expect(read(".codex/hooks.json")).toContain("/newer/bin/conduct hook");
    expect(read(".codex/hooks.json")).not.toContain(`${place().launcher} hook`);
    await undo(named("codex"), newer);
    expect(read(".codex/hooks.json")).toBe(BEFORE[".codex/hooks.json"]);
  });
});

describe("writing", () => {
  it("INS-40 install preserves symbolic links, and closes a file with the token to other accounts until the undo", async () => {
    write("dotfiles/settings.json", "{}\n");
    chmodSync(join(at.root, "dotfiles/settings.json"), 0o644);
    mkdirSync(join(at.root, ".claude"));
    symlinkSync(join(at.root, "dotfiles/settings.json"), join(at.root, ".claude/settings.json"));
    await install(named("claude-code"));
    expect(lstatSync(join(at.root, ".claude/settings.json")).isSymbolicLink()).toBe(true);
    expect(read("dotfiles/settings.json")).toContain("hooks/claude-code");
    expect(statSync(join(at.root, "dotfiles/settings.json")).mode & 0o777).toBe(0o600);
    await undo(named("claude-code"));
    expect(statSync(join(at.root, "dotfiles/settings.json")).mode & 0o777).toBe(0o644);
    expect(read("dotfiles/settings.json")).toBe("{}\n");
  });

  it("INS-45 install and undo preserve a symbolic link to a file that does not exist yet", async () => {
    const link = join(at.root, ".claude", "settings.json");
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync("../dotfiles/claude.json", link);
    await install(claudeCode);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(read("dotfiles/claude.json")).toContain("PreToolUse");
    await undo(claudeCode);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(read("dotfiles/claude.json")).toBeUndefined();
    expect(tree()).not.toContain("dotfiles");
  });

  it("INS-46 a read-only file stops the install, and no file is changed", async () => {
    write(".claude/settings.json", "{}");
    const path = join(at.root, ".claude", "settings.json");
    chmodSync(path, 0o444);
    expect(await planInstall(filesOf(claudeCode, place()))).toEqual({
      path,
      refused: "it is read-only",
      fix: `chmod u+w ${path}`,
      readOnly: true,
    });
    write("store/claude.json", "{}");
    chmodSync(join(at.root, "store", "claude.json"), 0o444);
    rmSync(path);
    symlinkSync(join(at.root, "store", "claude.json"), path);
    expect(await planInstall(filesOf(claudeCode, place()))).toMatchObject({
      refused: `it is read-only (it links to ${join(at.root, "store", "claude.json")})`,
    });
  });

  it("INS-47 a folder in place of a settings file is reported", async () => {
    mkdirSync(join(at.root, ".claude", "settings.json"), { recursive: true });
    await expect(planInstall(filesOf(claudeCode, place()))).rejects.toThrow(/settings\.json is a folder/);
  });

  it("INS-41 a file that changed during the confirmation stops the install, and no file is changed", async () => {
    for (const [path, text] of Object.entries(BEFORE)) write(path, text);
    const changes = changesOf(await planInstall(filesOf(named("codex"), place())));
    write(".codex/config.toml", "# mine\n");
    const about = { runtime: "codex", at: "", by: "", last: undefined } as const;
    const folder = recordFolder(place().home, "codex");
    await expect(makeChanges(folder, changes, about)).rejects.toThrow("was changed in the meantime");
    expect(read(".codex/hooks.json")).toBe(BEFORE[".codex/hooks.json"]);
    expect(await readRecord(folder)).toBeUndefined();
  });

  it("INS-42 if the second file cannot be written, the first one is restored", async () => {
    for (const [path, text] of Object.entries(BEFORE)) write(path, text);
    const [hooks, config] = changesOf(await planInstall(filesOf(named("codex"), place())));
    if (hooks === undefined || config === undefined) throw new Error("two changes were expected");
    const blocked = {
      ...config,
      file: { ...config.file, path: join(at.root, ".codex/hooks.json/below") },
      before: undefined,
    };
    const about = { runtime: "codex", at: "", by: "", last: undefined } as const;
    const folder = recordFolder(place().home, "codex");
    await expect(makeChanges(folder, [hooks, blocked], about)).rejects.toThrow();
    expect(read(".codex/hooks.json")).toBe(BEFORE[".codex/hooks.json"]);
    expect(await readRecord(folder)).toBeUndefined();
  });

  it("INS-43 install records and backups are readable only by their own account", async () => {
    for (const [path, text] of Object.entries(BEFORE)) write(path, text);
    await install(named("claude-code"));
    const folder = recordFolder(place().home, "claude-code");
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o077, name).toBe(0);
    expect(statSync(dirname(folder)).mode & 0o077).toBe(0);
  });

  it("INS-44 an invalid install record is reported", async () => {
    const folder = recordFolder(place().home, "pi");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "record.json"), "{");
    await expect(readRecord(folder)).rejects.toThrow(`${folder}/record.json is not valid`);
  });
});

describe("for one project", () => {
  it("INS-53 the file with the token is ignored by git and readable by its owner only; undo restores both", async () => {
    const project = join(at.root, "work", "app");
    mkdirSync(project, { recursive: true });
    const git = (...args: string[]) => spawnSync("git", args, { cwd: project, encoding: "utf8" });
    git("init", "-q", join(at.root, "work"));
    const [exclude, settings] = ["work/.git/info/exclude", "work/app/.claude/settings.local.json"];
    const before = read(exclude);
    write(settings, "{}");
    chmodSync(join(at.root, settings), 0o644);
    await install(claudeCode, place({ project }));
    expect(git("check-ignore", ".claude/settings.local.json").status).toBe(0);
    expect(git("status", "--short").stdout).toBe("");
    expect(statSync(join(at.root, settings)).mode & 0o777).toBe(0o600);
    await undo(claudeCode, place({ project }));
    expect(read(exclude)).toBe(before);
    expect(statSync(join(at.root, settings)).mode & 0o777).toBe(0o644);
  });

  it("INS-54 a file that git tracks never gets the token, and an open file is closed by the next install", async () => {
    const project = join(at.root, "work");
    mkdirSync(project, { recursive: true });
    spawnSync("git", ["init", "-q"], { cwd: project });
    write("work/.claude/settings.local.json", "{}");
    spawnSync("git", ["add", "-f", ".claude"], { cwd: project });
    const plan = await planInstall(filesOf(claudeCode, place({ project })));
    expect(plan).toMatchObject({ refused: expect.stringContaining("git tracks it") });
    symlinkSync("work/.claude", join(at.root, ".claude"));
    write("work/.claude/settings.json", "{}");
    spawnSync("git", ["add", "-f", ".claude"], { cwd: project });
    expect(await planInstall(filesOf(claudeCode, place()))).toMatchObject({
      refused: expect.stringContaining("git tracks it"),
    });
    spawnSync("git", ["rm", "-q", "-r", "--cached", ".claude"], { cwd: project });
    await install(claudeCode);
    const common = join(at.root, ".claude/settings.json");
    chmodSync(common, 0o644);
    await install(claudeCode);
    expect(statSync(common).mode & 0o777).toBe(0o600);
  });

  it.each([
    ["claude-code", "work/.claude/settings.local.json"],
    ["opencode", "work/.opencode/plugin/conduct.js"],
    ["pi", "work/.pi/extensions/conduct.ts"],
  ])("INS-50 a project install of %s writes %s", async (name, path) => {
    const given = place({ project: join(at.root, "work") });
    await install(named(name), given);
    expect(read(path)).toBeDefined();
    await undo(named(name), given);
    expect(read(path)).toBeUndefined();
    expect(readdirSync(join(at.root, "work"))).toEqual([]);
  });

  it.each([
    [
      "the file",
      (work: string, out: string) =>
        symlinkSync(join(out, "victim.json"), join(work, ".claude", "settings.local.json")),
    ],
    [
      "its folder",
      (work: string, out: string) => {
        rmSync(join(work, ".claude"), { recursive: true });
        symlinkSync(out, join(work, ".claude"));
      },
    ],
  ])("INS-52 a project install is rejected if a link leads %s out of the project", async (_what, link) => {
    const [work, out] = [join(at.root, "work"), join(at.root, "outside")];
    mkdirSync(join(work, ".claude"), { recursive: true });
    mkdirSync(out, { recursive: true });
    link(work, out);
    const files = filesOf(claudeCode, place({ project: work })).map((file) => ({ ...file, within: work }));
    expect(await planInstall(files.slice(0, 1))).toMatchObject({ refused: `a link leads it out of ${work}` });
    expect(readdirSync(out)).toEqual([]);
  });

  it.each(["codex", "openclaw"])("INS-51 a project install of %s is rejected with the reason", (name) => {
    expect(named(name).files(place({ project: "/p" }))).toMatchObject({
      refused: expect.any(String),
      fix: `conduct init ${name}`,
    });
  });
});

describe("settings that cannot be changed", () => {
  it.each([
    ["claude-code", ".claude/settings.json", '{\n  "a": 1,\n}\n', 3, "it is not valid JSON"],
    ["claude-code", ".claude/settings.json", '{\n  "disableAllHooks": true\n}\n', 2, "disableAllHooks is true"],
    ["claude-code", ".claude/settings.json", '{ "hooks": [] }', 1, "hooks is not an object"],
    ["claude-code", ".claude.json", "nothing", 1, "it is not valid JSON"],
    ["claude-code", ".claude.json", '{"mcpServers": {"conduct": {"command": "x"}}}', undefined, "named 'conduct'"],
    ["codex", ".codex/hooks.json", '{ "hooks": 3 }', 1, "hooks is not an object"],
    ["openclaw", ".openclaw/openclaw.json", "{\n  // mine\n  a b\n}\n", 3, "not valid JSON5"],
    ["openclaw", ".openclaw/openclaw.json", '{ "plugins": { "enabled": false } }', undefined, "plugins are turned off"],
    ["opencode", ".config/opencode/plugin/conduct.js", "// mine\n", undefined, "was not written by Conduct"],
    ["pi", ".pi/agent/extensions/conduct.ts", "// mine\n", undefined, "was not written by Conduct"],
  ])("INS-60 %s: install rejects a %s that it cannot change safely", async (name, path, text, line, why) => {
    write(path, text);
    const plan = await planInstall(filesOf(named(name), place()));
    expect(plan).toMatchObject({ path: join(at.root, path), refused: expect.stringContaining(why) });
    expect("line" in plan ? plan.line : undefined).toBe(line);
    expect(read(path)).toBe(text);
  });
});
