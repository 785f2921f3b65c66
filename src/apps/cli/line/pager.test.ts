import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { conductProgram } from "../../../edge/host/node/package-files.ts";
import { findPython, runInPty } from "../../../edge/host/switch/test/test-pty.ts";

const home = mkdtempSync(join(tmpdir(), "conduct-pager-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const PAGED = "PAGED";

/** The shipped program in a real terminal of 10 rows. */
async function shown(line: string, more: NodeJS.ProcessEnv): Promise<string> {
  const env = { PATH: process.env.PATH, HOME: home, CONDUCT_HOME: home, NO_COLOR: "1", TERM: "xterm", ...more };
  const script = `stty rows 10 cols 80; '${process.execPath}' '${conductProgram()}' ${line}`;
  return (await runInPty("xterm", ["/bin/sh", "-c", script], env)).shown;
}

describe.skipIf(findPython() === undefined)("output longer than the screen", () => {
  it.each([
    ["goes through $PAGER in a terminal", "--help", { PAGER: `sed s/^/${PAGED}/` }, true],
    ["goes through $PAGER with its arguments", "behavior", { PAGER: `sed -e 's/^/${PAGED}/'` }, true],
    ["is printed with --no-pager", "--help --no-pager", { PAGER: `sed s/^/${PAGED}/` }, false],
    ["is printed with --json", "--help --json", { PAGER: `sed s/^/${PAGED}/` }, false],
    ["is printed if it goes to a pipe", "--help | cat", { PAGER: `sed s/^/${PAGED}/` }, false],
    ["is printed if the pager does not exist", "--help", { PAGER: "no-such-pager -X" }, false],
    ["is printed without a pager", "--help", { PAGER: "" }, false],
    [
      "is printed for an agent, which would wait forever",
      "--help",
      { PAGER: `sed s/^/${PAGED}/`, CLAUDECODE: "1" },
      false,
    ],
    ["is not paged if it fits", "--version", { PAGER: `sed s/^/${PAGED}/` }, false],
  ])("PGR-1 output %s", async (_, line, env, isPaged) => {
    const text = await shown(line, env);
    expect(text).toMatch(line.startsWith("--version") ? /\d+\.\d+/ : /behavior/);
    expect(text.includes(PAGED)).toBe(isPaged);
  });
});
