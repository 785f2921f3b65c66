import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { conductProgram } from "../../../../edge/host/node/package-files.ts";
import { keep, STORY } from "../../test/watch-test-world.ts";

const root = mkdtempSync(join(tmpdir(), "conduct-completion-"));
const home = join(root, "home");
const work = join(root, "work");
const bin = join(root, "bin");
const env = { PATH: `${bin}:${process.env.PATH ?? ""}`, HOME: root, CONDUCT_HOME: home, TERM: "dumb" };

beforeAll(async () => {
  for (const folder of [home, work, bin]) mkdirSync(folder);
  const program = join(bin, "conduct");
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${conductProgram()}' "$@"\n`);
  chmodSync(program, 0o755);
  writeFileSync(join(work, "conduct.yaml"), "agents:\n  from-file: {}\n");
  await keep(home, [...STORY, { ...(STORY[0] as (typeof STORY)[number]), id: "e_x", session: "x$(touch hacked)" }]);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

function runIn(shell: string, ...args: readonly string[]): string {
  const ran = spawnSync(shell, args, { env, cwd: work, encoding: "utf8" });
  if (ran.error) throw ran.error;
  return ran.stdout;
}

const has = (shell: string) => spawnSync(shell, ["-c", "exit 0"]).status === 0;
const quote = (word: string) => `'${word}'`;

/** Completes in the real shell: the words before the cursor, the last one unfinished. */
const SHELLS = {
  bash: (words: readonly string[]) =>
    runIn(
      "bash",
      "--norc",
      "-c",
      `eval "$(conduct completion bash)"
      COMP_WORDS=(conduct ${words.map(quote).join(" ")}); COMP_CWORD=${words.length}; _conduct conduct
      printf '%s\\n' "\${COMPREPLY[@]}"`,
    ),
  // Without the line editor: the functions that would show the suggestions print them.
  zsh: (words: readonly string[]) =>
    runIn(
      "zsh",
      "-fc",
      `compdef() { : }; _files() { print FILES }; _describe() { print -l -- \${\${(P)3}%%:*} }
      eval "$(conduct completion zsh)"
      words=(conduct ${words.map(quote).join(" ")}); CURRENT=$#words; _conduct`,
    ),
  fish: (words: readonly string[]) =>
    runIn("fish", "--no-config", "-c", `conduct completion fish | source; complete -C 'conduct ${words.join(" ")}'`),
};

describe.each(["bash", "zsh", "fish"] as const)("completion in %s", (shell) => {
  const complete = (...words: readonly string[]) =>
    SHELLS[shell](words)
      .split("\n")
      .map((line) => line.split("\t")[0] ?? "")
      .filter((line) => line !== "");

  it.skipIf(!has(shell)).each([
    [["behav"], ["behavior"]],
    [["hoo"], []],
    [
      ["journal", ""],
      ["verify", "repair", "rebuild", "export"],
    ],
    [
      ["init", "c"],
      ["claude-code", "codex", "copilot", "cursor"],
    ],
    [["watch", "--on"], ["--once"]],
    [
      ["behavior", "add", "--type", "st"],
      ["stop", "start"],
    ],
    [["why", "d_8"], ["d_8kq2ab"]],
    [["watch", "--session", "s_"], ["s_8kq2v0x3m7t1za"]],
    [["watch", "--session", "x"], []],
    [
      ["prompt", "lint", "--agent", ""],
      ["from-file", "bob", "assistant"],
    ],
    [["nonsense", ""], []],
  ])("CMP-1 after %j the shell offers %j", (words, offered) => {
    expect(complete(...words).toSorted()).toEqual(offered.toSorted());
  });
});

describe("conduct completion", () => {
  it("CMP-2 bash splits words at = and :, and gets only the part after them", () => {
    const given = ["--", "behavior", "add", "--type", "=", "st"];
    expect(runIn("conduct", "completion", "bash", ...given)).toBe("stop\nstart\n");
    expect(runIn("conduct", "completion", "zsh", "--", "behavior", "add", "--type=st")).toBe(
      "--type=stop\n--type=start\n",
    );
  });

  it("CMP-3 an argument that is a file is left to the shell", () => {
    for (const words of [
      ["policy", "check", ""],
      ["policy", "check", "a.yaml", ""],
      ["trust", ""],
    ])
      expect(runIn("conduct", "completion", "fish", "--", ...words)).toBe(":files\n");
  });

  it("CMP-4 without a shell, completion shows the line for each; an unknown shell is rejected", () => {
    const how = runIn("conduct", "completion");
    for (const shell of ["bash", "zsh", "fish"]) expect(how).toContain(`conduct -- completion ${shell}`);
    const ran = spawnSync(join(bin, "conduct"), ["completion", "tcsh"], { env, encoding: "utf8" });
    expect([ran.status, ran.stderr]).toEqual([2, expect.stringContaining("there is no completion for 'tcsh'")]);
  });
});
