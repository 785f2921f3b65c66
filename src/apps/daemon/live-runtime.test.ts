import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { conductProgram } from "../../edge/host/node/package-files.ts";
import { findPython } from "../../edge/host/switch/test/test-pty.ts";
import { liveRuntimes } from "../../edge/host/trust/live-runtimes.ts";
import { useDaemons } from "./test/test-daemon.ts";

const daemons = useDaemons();
const { place, start } = daemons;

/** A runtime: runs its SessionStart hook through a shell, then a command of its agent without its variables. */
const RUNTIME = `
import subprocess, sys
node, conduct, event, *command = sys.argv[1:]
subprocess.run(["/bin/sh", "-c", f"'{node}' '{conduct}' hook claude-code; true"], input=event, text=True, capture_output=True)
ran = subprocess.run(command, capture_output=True, text=True)
print(ran.stdout + ran.stderr)
`;

describe.skipIf(findPython() === undefined)("a runtime that Conduct knows", () => {
  it.each([
    ["as its child", (pause: readonly string[]) => pause],
    ["in a terminal that script makes", (pause: readonly string[]) => ["script", "-qec", pause.join(" "), "/dev/null"]],
  ])("LRT-1 a command of a runtime whose program is called bash is no person's: %s", async (_how, words) => {
    await start();
    const bash = join(place.home, "bash");
    const python = findPython();
    copyFileSync(python?.program ?? "", bash);
    const file = join(place.home, "runtime.py");
    writeFileSync(file, RUNTIME);
    const event = JSON.stringify({
      hook_event_name: "SessionStart",
      session_id: "s-1",
      source: "startup",
      cwd: place.workspace,
    });
    const env = { PATH: process.env.PATH, HOME: place.home, CONDUCT_HOME: place.home, PYTHONHOME: python?.prefix };
    const pause = [process.execPath, conductProgram(), "pause", "10m"];
    const given = [file, process.execPath, conductProgram(), event, ...words(pause)];
    const { stdout, pid } = spawnSync(bash, given, { env, encoding: "utf8", cwd: place.workspace });
    expect(stdout.replace(/\s+/g, " ")).toContain(`its parent process ${pid} is claude-code`);
    expect(existsSync(join(place.home, "paused"))).toBe(false);
    // It has ended, so its note goes with the next look.
    expect(readdirSync(join(place.home, "runtimes"))).toEqual([String(pid)]);
    expect(liveRuntimes(place.home).size).toBe(0);
    expect(readdirSync(join(place.home, "runtimes"))).toEqual([]);
  });

  it("LRT-2 a later process with the same id is not taken for a runtime", () => {
    mkdirSync(join(place.home, "runtimes"), { recursive: true });
    writeFileSync(join(place.home, "runtimes", String(process.pid)), "codex\t1\n");
    expect(liveRuntimes(place.home).size).toBe(0);
  });
});
