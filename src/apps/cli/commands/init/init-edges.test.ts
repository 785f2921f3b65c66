import { chmodSync, existsSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Given, useInitWorld } from "../../test/init-test-world.ts";
import { init as runInit } from "./init.ts";

const { at, journaled, asked, world, read, write, run } = useInitWorld();
const MINE = '{"hooks": {"Stop": [{ "hooks": [{ "type": "command", "command": "mine" }] }]}}\n';

const init = (args: object, given: Given = {}) =>
  run((terminal) => runInit({ runtime: "claude-code", ...args }, terminal, world(given)), given.terminal);

describe("conduct init at its edges", () => {
  it("INI-25 init --project does not follow a repository's link out of it", async () => {
    const [work, victim] = [join(at.root, "work"), join(at.root, "victim.json")];
    mkdirSync(join(work, ".claude"), { recursive: true });
    symlinkSync(victim, join(work, ".claude", "settings.local.json"));
    const { outcome } = await init({ project: true, yes: true }, { terminal: { cwd: work } });
    expect(outcome).toMatchObject({ ok: false, message: expect.stringContaining("a link leads it out of") });
    expect(existsSync(victim)).toBe(false);
  });

  it("INI-16 acp: init writes the launcher and prints the complete command for the editor, with an absolute path", async () => {
    const { outcome, said } = await init({ runtime: "acp" }, { terminal: { columns: 80 } });
    expect(outcome).toMatchObject({
      ok: true,
      result: { enforcement: "enforce", entry: { command: join(at.root, ".conduct/bin/conduct"), env: {} } },
      next: [{ command: "conduct doctor acp" }],
    });
    const line = said.split("\n").find((one) => one.includes("agent_servers")) ?? "";
    expect(JSON.parse(`{${line}}`)).toEqual({
      agent_servers: {
        "OpenCode, conducted": {
          type: "custom",
          command: "/home/ann/.conduct/bin/conduct",
          args: ["acp", "--", "opencode", "acp"],
          env: {},
        },
      },
    });
    for (const one of said.split("\n")) if (one !== line) expect(one.length).toBeLessThanOrEqual(80);
    const elsewhere = await init({ runtime: "acp" }, { home: join(at.root, "elsewhere") });
    expect(elsewhere.outcome.result).toMatchObject({ entry: { command: join(at.root, "elsewhere/bin/conduct") } });
    expect(read(".conduct/bin/conduct")).toContain("#!/bin/sh");
    expect((await init({ runtime: "acp", undo: true })).said).toContain("from the client's settings");
    expect([read(".conduct/bin/conduct"), read(".conduct/runtimes.json")]).toEqual([undefined, "{}\n"]);
    expect((await init({ runtime: "zed" })).outcome).toMatchObject({
      message: expect.stringContaining("openclaw, acp, mcp"),
    });
    expect(journaled).toEqual([]);
  });

  it("INI-26 mcp: init writes the launcher and prints the complete configuration for the client (golden)", async () => {
    const { outcome, said } = await init({ runtime: "mcp" }, { terminal: { columns: 80 } });
    expect(outcome).toMatchObject({
      ok: true,
      result: { enforcement: "enforce" },
      next: [{ command: "conduct doctor mcp" }],
    });
    await expect(said).toMatchFileSnapshot("init-mcp.golden.txt");
    const lines = said.split("\n").filter((one) => one.includes('"command"'));
    expect(JSON.parse(`{${lines.join(",")}}`)).toMatchObject({
      conduct: { command: "/home/ann/.conduct/bin/conduct", args: ["mcp"], env: {} },
      files: { args: ["mcp", "proxy", "--name", "files", "--", "npx", "-y", expect.anything(), "."] },
    });
    for (const one of said.split("\n")) if (!lines.includes(one)) expect(one.length).toBeLessThanOrEqual(80);
    const elsewhere = await init({ runtime: "mcp" }, { home: join(at.root, "elsewhere") });
    const command = join(at.root, "elsewhere/bin/conduct");
    expect(elsewhere.outcome.result).toMatchObject({ entries: { conduct: { command }, files: { command } } });
    expect((await init({ runtime: "mcp", undo: true })).said).toContain("from the client's settings");
    expect(journaled).toEqual([]);
  });

  it("INI-17 read-only settings stop init before it asks, and no file is changed", async () => {
    write(".claude/settings.json", MINE);
    chmodSync(join(at.root, ".claude/settings.json"), 0o444);
    const { outcome } = await init({}, { answers: [true] });
    expect(outcome).toMatchObject({
      ok: false,
      code: "SETTINGS_READ_ONLY",
      message: expect.stringContaining("settings.json  it is read-only"),
      fix: expect.stringContaining("chmod u+w"),
    });
    expect(asked).toEqual([]);
    expect(read(".claude/settings.json")).toBe(MINE);
    expect(read(".conduct/conduct.yaml")).toBeUndefined();
  });

  it.each([
    ["claude", "claude-code"],
    ["Claud", "claude-code"],
    ["opncode", "opencode"],
    ["open", "opencode"],
  ])("INI-18 the unknown runtime '%s' is rejected with the nearest name and the full list", async (given, meant) => {
    expect((await init({ runtime: given })).outcome).toMatchObject({
      code: "BAD_ARGUMENT",
      message: `there is no runtime '${given}': did you mean '${meant}'? known: claude-code, codex, gemini, copilot, cursor, opencode, pi, openclaw, acp, mcp`,
      fix: `conduct init ${meant}`,
    });
  });

  it.each([80, 120])("INI-19 no output line of init exceeds a terminal of %i columns", async (columns) => {
    write(".claude/settings.json", MINE);
    for (const runtime of ["claude-code", "codex"]) {
      const made = await init({ runtime }, { answers: [true, false], terminal: { columns } });
      const undone = await init({ runtime, undo: true, yes: true }, { terminal: { columns } });
      for (const line of `${made.said}\n${undone.said}`.split("\n"))
        expect(line.length, line).toBeLessThanOrEqual(columns);
    }
  });
});
