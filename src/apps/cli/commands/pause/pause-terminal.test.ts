import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readPause } from "../../../../edge/host/daemon/paused.ts";
import { conductProgram } from "../../../../edge/host/node/package-files.ts";
import { findPython, runInPty } from "../../../../edge/host/switch/test/test-pty.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "conduct-pause-tty-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const env = () => ({ PATH: process.env.PATH ?? "", HOME: home, CONDUCT_HOME: home, NO_COLOR: "1" });
const PAUSE = () => [process.execPath, conductProgram(), "pause", "10m"];

describe.skipIf(findPython() === undefined)("conduct pause, the shipped program", () => {
  it("PAU-20 a person who types the code in a real terminal pauses Conduct, and the journal records the proof", async () => {
    const { code, shown } = await runInPty("xterm", PAUSE(), env());
    expect(shown).toContain("paused for 10 minutes");
    expect(code).toBe(0);
    expect(readPause(home)?.proof).toMatch(/^typed a code at pts\/\d+ under xterm$/);
  });

  it("PAU-21 a pseudo-terminal that a program created is rejected, even if the program types the code", async () => {
    const { code, shown } = await runInPty("python3", PAUSE(), env());
    expect(shown.replace(/\s+/g, " ")).toContain("no terminal program or login is among its parent processes");
    expect(shown).not.toContain("Type ");
    expect(code).not.toBe(0);
    expect(existsSync(join(home, "paused"))).toBe(false);
  });

  it("PAU-22 a detached process without a terminal and without its environment cannot pause Conduct", async () => {
    const out = join(home, "out");
    const line = `env -i CONDUCT_HOME=${home} setsid -f ${PAUSE().join(" ")} >${out} 2>&1; yes | ${PAUSE().join(" ")}`;
    const piped = spawnSync("sh", ["-c", line], { env: env(), encoding: "utf8" });
    expect(piped.stderr).toContain("it does not run in a terminal");
    for (let tries = 0; tries < 200 && !/run it in/.test(readFileSync(out, "utf8")); tries++) await sleep(100);
    expect(readFileSync(out, "utf8")).toContain("it does not run in a terminal");
    expect(existsSync(join(home, "paused"))).toBe(false);
  });
});
