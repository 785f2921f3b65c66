import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { PROGRAMS } from "../../../behavior/commands/programs/program-table.ts";
import { gateFaults, writeGate } from "./gate-files.ts";
import { gatePlace, gateScript, gateVariables } from "./gate-place.ts";
import { GATED_PROGRAMS } from "./shim-scripts.ts";

let root: string;
const home = () => join(root, "my home");
const work = () => join(root, "my work");
const bin = () => gatePlace(home()).bin;
const SYSTEM = "/usr/bin:/bin";

/** A real program, behind the shims. It prints its words, or does what the first one says. */
const REAL = `#!/bin/bash
case $1 in
  exit) exit "$2" ;;
  cat) cat ;;
  die) kill -"$2" $$ ;;
  wait) trap 'echo got TERM; exit 9' TERM; echo ready; sleep 20 & wait ;;
  *) printf '%s|' "$#" "$@" ;;
esac
`;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "conduct-shims-")));
  for (const folder of [home(), work(), join(root, "real")]) mkdirSync(folder);
  writeFileSync(join(root, "real", "pytest"), REAL);
  chmodSync(join(root, "real", "pytest"), 0o755);
  writeGate(home(), `${join(root, "real")}:${SYSTEM}`);
  // An enforced session whose daemon nobody runs: port 9 refuses.
  writeFileSync(gatePlace(home()).sessions, `9 none\ne\ts\t${work()}\n`);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function run(
  words: readonly string[],
  { path = `${bin()}:${join(root, "real")}:${SYSTEM}`, cwd = work(), input = "" } = {},
) {
  const [program = "", ...args] = words;
  const env = { PATH: path, HOME: root };
  const { status, signal, stdout, stderr } = spawnSync(program, args, {
    cwd,
    env,
    input,
    encoding: "utf8",
    timeout: 20_000,
  });
  return { status, signal, stdout, stderr };
}

describe("shims of the exec gate", () => {
  it("EXG-20 the real program is found behind the gate: with the folder twice, by a link, with other wrappers around", () => {
    symlinkSync(bin(), join(root, "link"));
    const wrapper = join(root, "wrapper");
    mkdirSync(wrapper);
    const loop = `#!/bin/bash\nIFS=:\nfor d in $PATH; do [ "$d" = "${wrapper}" ] || [ ! -x "$d/git" ] || exec "$d/git" "$@"; done\n`;
    writeFileSync(join(wrapper, "git"), loop);
    chmodSync(join(wrapper, "git"), 0o755);
    const paths = [
      [bin(), SYSTEM],
      [bin(), bin(), SYSTEM],
      [join(root, "link"), bin(), SYSTEM],
      [bin(), join(root, "link"), SYSTEM],
      [bin(), wrapper, SYSTEM],
      [wrapper, bin(), SYSTEM],
    ];
    for (const path of paths)
      expect(run(["git", "--version"], { path: path.join(delimiter) }), path.join()).toMatchObject({ status: 0 });
    expect(run([join(bin(), "git"), "--version"], { path: SYSTEM })).toMatchObject({ status: 0 });
  });

  it("EXG-21 a program that is not there: exit 127, and no shim that pretends it is", () => {
    expect(run([join(bin(), "git"), "push"], { path: bin(), cwd: root })).toMatchObject({
      status: 127,
      stderr: "git: command not found\n",
    });
    expect(readdirSync(bin())).not.toContain("no-such-program");
    expect(readdirSync(bin()).every((name) => ["git", ...GATED_PROGRAMS].includes(name))).toBe(true);
    writeGate(home(), SYSTEM, "exact");
    expect(readdirSync(bin())).not.toContain("pytest");
  });

  it("EXG-22 words, input and exit codes are passed on", () => {
    expect(run(["pytest", "a\nb", "", "c \"d' $x *", "é"]).stdout).toBe("4|a\nb||c \"d' $x *|é|");
    expect(run(["pytest", "cat"], { input: "one\ntwo" }).stdout).toBe("one\ntwo");
    for (const code of [0, 1, 126, 130, 200, 255]) expect(run(["pytest", "exit", String(code)]).status).toBe(code);
    expect(run(["pytest", "die", "KILL"])).toMatchObject({ status: 137, stderr: "" });
    const many = Array.from({ length: 10_000 }, (_, at) => `file-${at}`);
    expect(run(["pytest", ...many]).stdout).toMatch(/^10000\|file-0\|/);
    expect(run(["bash", "-ec", "pytest exit 3; echo no"])).toMatchObject({ status: 3, stdout: "" });
  });

  it("EXG-23 a signal for the shim reaches the program; an interrupt of the group ends both", async () => {
    const env = { PATH: `${bin()}:${join(root, "real")}:${SYSTEM}`, HOME: root };
    const started = (signal: (pid: number) => void) =>
      new Promise<{ code: number | null; signal: string | null; said: string }>((resolve) => {
        const child = spawn(join(bin(), "pytest"), ["wait"], {
          cwd: work(),
          env,
          detached: true,
          stdio: ["ignore", "pipe", "ignore"],
        });
        let said = "";
        child.stdout.on("data", (text) => {
          said += text;
          if (said === "ready\n") signal(child.pid ?? 0);
        });
        child.on("close", (code, by) => resolve({ code, signal: by, said }));
      });
    expect(await started((pid) => process.kill(pid, "SIGTERM"))).toMatchObject({ code: 9, said: "ready\ngot TERM\n" });
    expect(await started((pid) => process.kill(-pid, "SIGINT"))).toMatchObject({ signal: "SIGINT" });
  });

  it("EXG-24 outside of every session, and for reading, nothing is asked", () => {
    execFileSync("git", ["init", "-q"], { cwd: work() });
    for (const words of [
      ["status"],
      ["log", "--oneline"],
      ["-C", ".", "diff"],
      ["-c", "color.ui=never", "status"],
      ["--version"],
    ])
      expect(run(["git", ...words]).stderr, words.join(" ")).not.toContain("conduct");
    expect(run(["git", "push"])).toMatchObject({ status: 126, stderr: expect.stringContaining("does not answer") });
    expect(run(["git", "-c", "core.fsmonitor=./x", "status"])).toMatchObject({ status: 126 });
    expect(run(["git", "push"], { cwd: root }).stderr).not.toContain("conduct");
    rmSync(gatePlace(home()).sessions);
    expect(run(["git", "push"]).stderr).not.toContain("conduct");
  });

  it("EXG-25 the gate comes first again in a nested login shell of bash", () => {
    const path = gateVariables(home(), { PATH: SYSTEM }, "s");
    expect(path).toMatchObject({ PATH: `${bin()}:${SYSTEM}`, CONDUCT_GATE_SESSION: "s" });
    const found = (script: string) =>
      execFileSync("/bin/bash", ["-c", script], {
        env: { PATH: SYSTEM, HOME: root },
        stdio: ["ignore", "pipe", "ignore"],
      }).toString();
    expect(
      found(`${gateScript(home(), "it's")}${gateScript(home(), "it's")}command -v git; echo "$CONDUCT_GATE_SESSION"`),
    ).toBe(`${join(bin(), "git")}\nit's\n`);
    expect(found(`${gateScript(home(), "s")}bash -lc 'command -v git'`)).toBe(`${join(bin(), "git")}\n`);
  });

  it("EXG-26 doctor notices shims that were changed; every gated program is one that the table knows", () => {
    expect(gateFaults(home())).toEqual([]);
    writeFileSync(join(gatePlace(home()).folder, "git"), '#!/bin/sh\nexec /usr/bin/git "$@"\n');
    expect(gateFaults(home())[0]).toContain("missing or outdated");
    expect(writeGate(home(), SYSTEM)).toBe(true);
    expect(gateFaults(home())).toEqual([]);
    expect(GATED_PROGRAMS.filter((name) => PROGRAMS.specsOf(name).length === 0)).toEqual([]);
  });
});
