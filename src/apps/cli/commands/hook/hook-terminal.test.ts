import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { conductProgram } from "../../../../edge/host/node/package-files.ts";
import { findPython, runInPty } from "../../../../edge/host/switch/test/test-pty.ts";

it.skipIf(findPython() === undefined).each([
  ["claude-code", "Claude Code"],
  ["codex", "Codex"],
  ["gemini", "Gemini CLI"],
])("HKT-1 conduct hook %s in a person's terminal says what it is for, and ends", async (runtime, name) => {
  const home = mkdtempSync(join(tmpdir(), "conduct-hook-tty-"));
  try {
    const env = { PATH: process.env.PATH ?? "", HOME: home, CONDUCT_HOME: home, NO_COLOR: "1" };
    const { code, shown } = await runInPty("xterm", [process.execPath, conductProgram(), "hook", runtime], env);
    expect(code).toBe(0);
    expect(shown).toContain(`${name} runs this command at its hooks and sends it the event`);
    expect(shown).toContain(`doctor ${runtime}`);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});
