import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { launcherScript, watchedCondition } from "./launcher-script.ts";

const SHELLS = ["/bin/sh", "/bin/dash", "/bin/bash", "/bin/busybox"].filter((path) => existsSync(path));
const shellWords = (shell: string) => (shell.endsWith("busybox") ? [shell, "sh"] : [shell]);

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "conduct-launcher-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

type Home = { readonly folder: string; readonly node: string; readonly program: string };

/** A home whose installation is a shell script that prints its arguments; every name is hard to quote. */
function home(name = `it's a "home" $HOME`, runs = 'printf "%s|" "$CONDUCT_HOME" "$@"'): Home {
  const folder = join(root, name);
  const [node, program] = [join(root, `${name} node`), join(root, `${name} conduct.mjs`)];
  mkdirSync(join(folder, "bin"), { recursive: true });
  writeFileSync(node, `#!/bin/sh\nshift\n${runs}\n`);
  chmodSync(node, 0o755);
  writeFileSync(program, "");
  writeFileSync(join(folder, "bin", "conduct"), launcherScript(folder, { node, program }));
  return { folder, node, program };
}

function setModes(folder: string, modes: Readonly<Record<string, string>>, indent: number | undefined = 2): void {
  const entries = Object.entries(modes).map(([runtime, enforcement]) => [
    runtime,
    { agent: "codex", enforcement, operator: false, since: "" },
  ]);
  writeFileSync(join(folder, "runtimes.json"), JSON.stringify(Object.fromEntries(entries), null, indent));
}

function run(shell: string, { folder }: Home, words: readonly string[], input = "") {
  const [program = "", ...first] = shellWords(shell);
  const env = { PATH: process.env.PATH ?? "", CONDUCT_HOME: "/another/home" };
  return spawnSync(program, [...first, join(folder, "bin", "conduct"), ...words], { env, input, encoding: "utf8" });
}

describe.each(SHELLS)("the launcher under %s", (shell) => {
  it("LCH-1 the launcher starts the installation for its own home, whatever the arguments and the paths contain", () => {
    const one = home();
    const words = ["acp", "--", "a b", "it's", '"$x"', ""];
    expect(run(shell, one, words)).toMatchObject({ status: 0, stdout: `${[one.folder, ...words].join("|")}|` });
    expect(run(shell, one, ["hook", "codex"]).stdout).toBe(`${one.folder}|hook|codex|`);
    // A person may name another home; a runtime may not.
    expect(run(shell, one, ["status"]).stdout).toBe("/another/home|status|");
  });

  it("LCH-2 two homes are independent: each has a separate installation and separate modes", () => {
    const [one, two] = [home("one"), home("two")];
    setModes(one.folder, { codex: "shadow" });
    setModes(two.folder, { codex: "enforce" });
    rmSync(one.program);
    rmSync(two.program);
    expect(run(shell, one, ["hook", "codex"])).toMatchObject({ status: 0, stderr: "" });
    expect(run(shell, two, ["hook", "codex"])).toMatchObject({ status: 3, stdout: "" });
  });

  it.each([
    { what: "the program", gone: (one: Home) => one.program, says: "not where it was installed" },
    { what: "its Node", gone: (one: Home) => one.node, says: "Node that Conduct was installed with is missing" },
  ])("LCH-3 without $what a runtime in shadow mode passes with one warning, as JSON that names the repair", (given) => {
    const one = home();
    setModes(one.folder, { "claude-code": "shadow", codex: "shadow" });
    rmSync(given.gone(one));
    for (const runtime of ["codex", "claude-code"]) {
      const first = run(shell, one, ["hook", runtime], "{}");
      expect(first).toMatchObject({ status: 0, stderr: "" });
      const { systemMessage } = JSON.parse(first.stdout);
      expect(systemMessage).toContain(given.says);
      expect(systemMessage).toContain(given.gone(one));
      expect(systemMessage).toContain(`run: conduct init ${runtime}`);
      for (let again = 0; again < 3; again++) {
        expect(run(shell, one, ["hook", runtime], "{}")).toMatchObject({ status: 0, stdout: "", stderr: "" });
      }
    }
  });

  it.each([
    { words: ["hook", "codex"], status: 3 },
    { words: ["hook", "claude-code", "--part", "2"], status: 2 },
    { words: ["acp", "--", "true"], status: 1 },
    { words: ["mcp", "proxy", "--", "true"], status: 1 },
  ])("LCH-4 without the program $words fails closed with one sentence, both enforced and without a mode", (given) => {
    for (const modes of [
      {} as Record<string, string>,
      { codex: "enforce", "claude-code": "enforce", acp: "enforce", mcp: "enforce" },
    ]) {
      const one = home();
      setModes(one.folder, modes);
      rmSync(one.program);
      const { status, stdout, stderr } = run(shell, one, given.words);
      expect({ status, stdout }).toEqual({ status: given.status, stdout: "" });
      expect(stderr.trim().split("\n")).toHaveLength(1);
      expect(stderr).toContain(`Conduct is not where it was installed (${one.program})`);
      expect(stderr).toMatch(/is enforced\. Install Conduct again, then run: conduct init [a-z-]+/);
    }
  });

  it("LCH-5 a failing hook passes in shadow mode; when enforced its own exit code and output are preserved", () => {
    const one = home("failing", "echo half; echo why >&2; exit 2");
    setModes(one.folder, { codex: "shadow", "claude-code": "enforce" });
    const first = run(shell, one, ["hook", "codex"]);
    expect(first).toMatchObject({ status: 0, stderr: "" });
    expect(JSON.parse(first.stdout).systemMessage).toContain("Conduct cannot be run");
    expect(run(shell, one, ["hook", "codex"])).toMatchObject({ status: 0, stdout: "" });
    expect(run(shell, one, ["hook", "claude-code"])).toMatchObject({ status: 2, stdout: "half\n", stderr: "why\n" });
  });

  it("LCH-6 a client in shadow mode without Conduct gets the agent or server directly, with its arguments and streams", () => {
    const one = home();
    setModes(one.folder, { acp: "shadow", mcp: "shadow" });
    rmSync(one.program);
    const agent = ["sh", "-c", 'cat; printf "%s" "$1"', "x", "a  b"];
    const first = run(shell, one, ["acp", "--any-mode", "--", ...agent], "said ");
    expect(first).toMatchObject({ status: 0, stdout: "said a  b" });
    expect(first.stderr).toContain("acp is only watched");
    const words = ["mcp", "proxy", "--name", "files", "--", ...agent];
    expect(run(shell, one, words, "said ")).toMatchObject({ status: 0, stdout: "said a  b" });
    expect(run(shell, one, ["mcp"]).status).toBe(1);
  });

  it("LCH-7 without the program codex-tools serves an empty tool list, so Codex starts and its hooks can report the fault", () => {
    const one = home();
    rmSync(one.program);
    const asked = [
      '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{}}}',
      '{"jsonrpc":"2.0","method":"notifications/initialized"}',
      '{"jsonrpc":"2.0","id":"a","method":"tools/list","params":{}}',
      '{"jsonrpc":"2.0","method":"ping","id":2}',
    ];
    const { stdout, status } = run(shell, one, ["hook", "codex-tools"], `${asked.join("\n")}\n`);
    const answers = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(status).toBe(0);
    expect(answers).toMatchObject([
      { id: 0, result: { protocolVersion: "2025-06-18", serverInfo: { name: "conduct" } } },
      { id: "a", result: { tools: [] } },
      { id: 2, result: {} },
    ]);
  });

  it("LCH-9 a package or a Node that was moved is found where npm installs, and nowhere else", () => {
    const one = home();
    setModes(one.folder, { codex: "enforce" });
    const manager = join(root, "it's .nvm");
    const found = { node: join(manager, "v24/bin/node"), program: join(manager, "v24/lib/node_modules/x/conduct.mjs") };
    const old = join(manager, "v20/bin/node");
    for (const path of [old, found.node, found.program]) mkdirSync(dirname(path), { recursive: true });
    const node = (version: string) =>
      `#!/bin/sh\nif [ "$1" = --version ]; then echo ${version}; else printf "%s|" "$@"; fi\n`;
    for (const [path, text] of [
      [old, node("v20.1.0")],
      [found.node, node("v24.1.0")],
      [found.program, ""],
    ] as const) {
      writeFileSync(path, text);
      chmodSync(path, 0o755);
    }
    const elsewhere = {
      programs: [join(manager, "*/lib/node_modules/x/conduct.mjs")],
      nodes: [join(manager, "*/bin/node")],
    };
    writeFileSync(join(one.folder, "bin", "conduct"), launcherScript(one.folder, one, elsewhere));
    rmSync(one.program);
    expect(run(shell, one, ["hook", "codex"])).toMatchObject({ status: 0, stdout: `${one.folder}|hook|codex|` });
    rmSync(one.node);
    expect(run(shell, one, ["hook", "codex"])).toMatchObject({ status: 0, stdout: `${found.program}|hook|codex|` });
    rmSync(found.program);
    // The PATH of the test has a Node and may have a conduct; neither counts.
    expect(run(shell, one, ["hook", "codex"])).toMatchObject({ status: 3, stdout: "" });
  });

  it.each([
    ["shadow", '{"codex": {"enforcement": "shadow"}}', true],
    ["shadow, on one line", '{"codex":{"enforcement":"shadow"}}', "launcher only"],
    ["enforce", '{"codex": {"enforcement": "enforce"}}', false],
    ["only another runtime", '{"claude-code": {"enforcement": "shadow"}}', false],
    ["another runtime's agent of that name", '{"pi": {"agent": "codex", "enforcement": "shadow"}}', false],
    ["an agent called shadow", '{"codex": {"agent": "shadow", "enforcement": "enforce"}}', false],
    ["an agent called enforcement", '{"codex": {"agent": "enforcement", "enforcement": "enforce"}}', false],
    ["enforced, before a watched one", '{"codex": {"enforcement": "enforce"}, "pi": {"enforcement": "shadow"}}', false],
    ["nothing of it", '{"codex": {}, "pi": {"enforcement": "shadow"}}', false],
    ["half a file", '{"codex": {"enforcement": "sha', false],
    ["no JSON", "shadow", false],
    ["no file", undefined, false],
  ])("LCH-8 %s: the launcher and the hook's guard interpret runtimes.json the same way", (_what, text, watched) => {
    const one = home();
    if (text !== undefined) writeFileSync(join(one.folder, "runtimes.json"), `${text}\n`);
    rmSync(one.program);
    expect(run(shell, one, ["hook", "codex"]).status).toBe(watched === false ? 3 : 0);
    const [program = "", ...first] = shellWords(shell);
    const guard = spawnSync(program, [...first, "-c", watchedCondition(one.folder, "codex")]);
    expect(guard.status === 0).toBe(watched === true);
  });
});
