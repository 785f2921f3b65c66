import { execFileSync, spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { daemonPlace } from "../../edge/host/daemon/daemon-place.ts";
import { remoteHost } from "../../edge/host/daemon/remote-session.ts";
import { writeGate } from "../../edge/host/gate/gate-files.ts";
import { gatePlace } from "../../edge/host/gate/gate-place.ts";
import { conductProgram } from "../../edge/host/node/package-files.ts";
import { writeRuntime } from "../../edge/host/opening/runtime-settings.ts";
import { useDaemons } from "./test/test-daemon.ts";

const daemons = useDaemons();
const { place, start, configure } = daemons;

const RULES = `
agents:
  coder:
    rules:
      - { id: no-force, on: git.push, when: "has(args.force) && args.force", say: "A force push rewrites history." }
      - { id: tests-first, on: git.commit, require: tests.run, say: "Run the tests first." }
      - { id: discard, on: git.discard, effect: ask, say: "This throws work away." }
      - { id: publish, on: packages.publish, effect: deny, say: "Nobody publishes." }
      - { id: twice, on: git.tag, atMost: { count: 2, per: [program] } }
`;

const PUSH = "#!/bin/sh\ngit push -f origin HEAD:main\n";

type Ran = {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
};

/** Runs a command as a runtime's shell does: without a terminal, with the gate first on PATH. */
function shell(command: string, options: { cwd?: string; env?: NodeJS.ProcessEnv; input?: string } = {}): Promise<Ran> {
  const PATH = [gatePlace(place.home).bin, process.env.PATH].join(delimiter);
  const { CI: _, ...outer } = process.env;
  return new Promise((resolve) => {
    const child = spawn("bash", ["-c", command], {
      cwd: options.cwd ?? place.workspace,
      env: { ...outer, PATH, HOME: place.home, GIT_CONFIG_NOSYSTEM: "1", ...options.env },
      stdio: ["pipe", "pipe", "pipe"],
    });
    let [stdout, stderr] = ["", ""];
    child.stdout.on("data", (text) => (stdout += text));
    child.stderr.on("data", (text) => (stderr += text));
    child.stdin.on("error", () => undefined);
    child.stdin.end(options.input ?? "");
    child.on("close", (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
}

let calls = 0;
const open = (id = "s", runtime = "opencode") =>
  remoteHost({ socket: daemonPlace(place.home).socket }).open({ runtime, id, cwd: place.workspace });

/** A whole tool call: the text gate decides, the command runs, its result is reported. */
async function call(
  command: string,
  id = "s",
  options: Parameters<typeof shell>[1] = {},
): Promise<Ran & { denied?: string }> {
  const session = await open(id);
  const made = { id: `c${++calls}`, tool: "shell", args: { command } };
  const decision = await session.onCall(made);
  if (decision.kind !== "allow") {
    const denied = decision.kind === "deny" ? decision.rule : `ask ${decision.approval}`;
    return { denied, code: null, signal: null, stdout: "", stderr: "" };
  }
  const ran = await shell(command, options);
  await session.onResult(made, { outcome: ran.code === 0 ? "ok" : "failed", exitCode: ran.code ?? 1, parts: [] });
  return ran;
}

function write(name: string, text: string): void {
  mkdirSync(dirname(join(place.workspace, name)), { recursive: true });
  writeFileSync(join(place.workspace, name), text);
  if (text.startsWith("#!")) chmodSync(join(place.workspace, name), 0o755);
}

const git = (...args: string[]) =>
  execFileSync("git", args, {
    cwd: place.workspace,
    env: { ...process.env, HOME: place.home },
    stdio: "pipe",
  }).toString();
const remoteHead = () => git("ls-remote", "origin", "main").split("\t")[0];

beforeEach(() => {
  configure(RULES);
  writeGate(place.home);
  writeFileSync(join(place.home, ".gitconfig"), "[user]\nname = a\nemail = a@b\n[init]\ndefaultBranch = main\n");
  git("init", "-q");
  write("a.txt", "one\n");
  write("package.json", JSON.stringify({ name: "x", version: "1.0.0", scripts: { test: "node check.js" } }));
  write("check.js", "process.exit(0)");
  for (const message of ["before", "between"]) git("commit", "-qm", message, "--allow-empty");
  git("add", ".");
  git("commit", "-qm", "one");
  git("init", "-q", "--bare", "../remote");
  git("remote", "add", "origin", "../remote");
  git("push", "-q", "origin", "HEAD:main");
  git("commit", "-q", "--amend", "-m", "two");
});

describe("the exec gate", () => {
  it.each([
    ["a variable", ". ./vars; git $P $F origin HEAD:main", { vars: "F=-f P=push" }],
    ["a script", "./push.sh", { "push.sh": "#!/bin/sh\ngit push -f origin HEAD:main\n" }],
    ["a Makefile", "make ship", { Makefile: "ship:\n\tgit push --force origin HEAD:main\n" }],
    ["an npm script", "npm run ship", { "package.json": '{"scripts":{"ship":"git push -f origin HEAD:main"}}' }],
    [
      "python",
      "python3 x.py",
      { "x.py": "import subprocess\nsubprocess.run(['git','push','-'+'f','origin','HEAD:main'])" },
    ],
    [
      "node",
      "node x.cjs",
      { "x.cjs": "require('child_process').execFileSync('git',['push','-f','origin','HEAD:main'])" },
    ],
    ["text for a shell", "cat x | sh", { x: "git push -f origin HEAD:main" }],
    ["an alias", "sh x", { x: "git config alias.up 'push -f'; git up origin HEAD:main" }],
    [
      "an alias of an alias",
      "sh x",
      { x: "git config alias.p push; git config alias.up 'p -f'; git up origin HEAD:main" },
    ],
    ["a shell alias", "sh x", { x: "git config alias.up '!git push -f'; git up origin HEAD:main" }],
    ["a git command of one's own", "PATH=$PWD:$PATH git up", { "git-up": "#!/bin/sh\ngit push -f origin HEAD:main\n" }],
    ["a git hook", "sh x", { ".git/hooks/post-checkout": PUSH, x: "git checkout -q -b other" }],
    [
      "a git hook that becomes git",
      "sh x",
      { ".git/hooks/post-checkout": PUSH.replace("git", "exec git"), x: "git checkout -q -b other" },
    ],
    [
      "a hook in another folder",
      "sh x",
      { "h/post-checkout": PUSH, x: "git -c core.hooksPath=h checkout -q -b other" },
    ],
    ["a shell alias in a variable", '. ./v; git -c alias.x="$A" x', { v: "A='!git push -f origin HEAD:main'" }],
    ["a shell alias with an absolute path", "sh x", { x: "git config alias.up '!/usr/bin/git push -f'; git up" }],
    ["git's editor", "sh x", { e: PUSH, x: "GIT_EDITOR=./e git tag -a v1" }],
    [
      "a filter",
      "sh x",
      { e: PUSH, x: "echo '* diff=x' > .git/info/attributes; git config diff.x.textconv ./e; git log -p" },
    ],
    ["a helper of git's settings", "sh x", { x: "git config core.fsmonitor ./e; git status", e: PUSH }],
    ["git rebase --exec", "sh x", { e: PUSH, x: "git rebase -q --exec ./e HEAD~1" }],
    ["git bisect run", "sh x", { e: PUSH, x: "git bisect start HEAD HEAD~2; git bisect run ./e; git bisect reset" }],
    ["a filter of git filter-branch", "sh x", { e: PUSH, x: 'git filter-branch --msg-filter "$PWD/e" HEAD~1..' }],
    ["a refspec", "sh x", { x: "git push origin +HEAD:main" }],
    ["clustered options", "sh x", { x: "git push -qf origin HEAD:main" }],
    ["a folder option", "sh x", { x: 'cd /; git -C "$OLDPWD" push -f origin HEAD:main' }],
    ["a git folder option", "sh x", { x: 'W=$PWD; cd /; git --git-dir="$W/.git" push -f "$W/../remote" main' }],
  ])("EXG-1 a force push by %s does not start", async (_how, command, files) => {
    await start();
    for (const [name, text] of Object.entries(files)) write(name, text);
    const before = remoteHead();
    const ran = await call(command);
    expect(ran.denied, JSON.stringify(ran)).toBeUndefined();
    expect(ran.stderr).toMatch(
      /^conduct: not started: git .*\nDenied by no-force: A force push rewrites history\.\nNext: /m,
    );
    expect(ran.stderr).not.toMatch(/^[0-9a-f]+\r?$/m);
    expect(remoteHead()).toBe(before);
  });

  it("EXG-2 what the rules allow starts, with its output, input and exit code", async () => {
    await start();
    write("x", "git status --short; git log -1 --format=%s; git push -q origin HEAD:other; git ls-remote origin other");
    const ran = await call("sh x");
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    expect(ran.stdout).toContain("two");
    expect(ran.stdout).toContain("refs/heads/other");
    expect(await call("git hash-object --stdin", "s", { input: "hello\n" })).toMatchObject({
      code: 0,
      stdout: "ce013625030ba8dba906f756967f9e9ca394464a\n",
    });
    expect((await call("git no-such-command")).code).toBe(1);
  });

  it("EXG-3 a question is for a person; after the answer the same program starts once", async () => {
    await start();
    write("x", "git checkout -- a.txt");
    write("a.txt", "changed\n");
    const asked = await call("sh x");
    const approval = /conduct approve (\S+)/.exec(asked.stderr)?.[1] ?? "";
    expect(asked.stderr).toContain("This throws work away.");
    expect(readFileSync(join(place.workspace, "a.txt"), "utf8")).toBe("changed\n");
    await (await open()).resolve(approval, "yes", "ann");
    expect(await call("sh x")).toMatchObject({ code: 0 });
    expect(readFileSync(join(place.workspace, "a.txt"), "utf8")).toBe("one\n");
    write("a.txt", "changed\n");
    expect((await call("sh x")).stderr).toContain("This throws work away.");
  });

  it("EXG-4 what a person approved for the call is not asked about again, nor counted twice", async () => {
    await start();
    write("a.txt", "changed\n");
    const asked = await call("git checkout -- a.txt");
    await (await open()).resolve((asked.denied ?? "").slice("ask ".length), "yes", "ann");
    expect(await call("git checkout -- a.txt")).toMatchObject({ code: 0, stderr: "" });
    for (const name of ["v1", "v2"]) expect(await call(`git tag ${name}`)).toMatchObject({ code: 0, stderr: "" });
    expect((await call("git tag v3")).denied).toBe("twice");
    write("x", "git tag v4");
    expect((await call("sh x")).stderr).toContain("Denied by twice");
  });

  it.each([["npm test | tail -1"], ["npm test; echo done"], ["npm test || true"], ["sh x"], ["npm test & wait"]])(
    "EXG-5 `%s` proves the tests by their own exit code",
    async (command) => {
      await start();
      write("x", "npm test");
      write("check.js", "process.exit(3)");
      expect((await call(command)).code).toBeLessThan(4);
      const denied = await call("git commit -qm x --allow-empty");
      expect(denied.denied).toBe("tests-first");
      write("check.js", "process.exit(0)");
      expect((await call(command)).code).toBe(0);
      expect(await call("git commit -qm x --allow-empty")).toMatchObject({ code: 0 });
    },
  );

  it("EXG-6 a failed run is told with its exit code; runs that test nothing prove nothing", async () => {
    await start();
    write("check.js", "process.exit(3)");
    await call("npm test | cat");
    const session = await open();
    const commit = { tool: "shell", args: { command: "git commit -m x" } };
    const decision = await session.onCall({ id: "why", ...commit });
    expect(JSON.stringify(decision)).toMatch(/failed with exit code 3/);
    for (const command of ["npm test --help | cat", "npm run none --if-present | cat", "npm --version | cat"]) {
      await call(command);
      expect((await call("git commit -qm x --allow-empty")).denied, command).toBe("tests-first");
    }
  });

  it("EXG-7 tests and commit in one script: the commit starts if the tests passed just before", async () => {
    await start();
    write("x", "npm test >/dev/null 2>&1; git commit -qm three --allow-empty");
    write("check.js", "process.exit(1)");
    expect((await call("sh x")).stderr).toContain("Denied by tests-first");
    write("check.js", "");
    expect(await call("sh x")).toMatchObject({ code: 0, stderr: "" });
    expect(git("log", "-1", "--format=%s")).toBe("three\n");
  });

  it("EXG-8 in shadow nothing is stopped, with a daemon and without one", async () => {
    await writeRuntime(place.home, "opencode", () => ({
      agent: "coder",
      enforcement: "shadow",
      operator: false,
      since: new Date(0).toISOString(),
    }));
    const daemon = await start();
    write("x", "git push -qf origin HEAD:main");
    expect(await call("sh x")).toMatchObject({ code: 0, stderr: "" });
    await daemon.end("killed");
    git("commit", "-q", "--amend", "-m", "three");
    expect(await shell("sh x")).toMatchObject({ code: 0, stderr: "" });
  });

  it("EXG-9 without a daemon, an enforced session starts nothing that rules may be on; the next daemon goes on", async () => {
    const daemon = await start();
    write("x", "git push -f origin HEAD:main");
    await call("ls");
    await daemon.end("killed");
    const alone = await shell("git status --short; git push origin HEAD:other; sh x");
    expect(alone.code).toBe(126);
    expect(alone.stderr).toContain("the Conduct daemon does not answer");
    expect(alone.stdout).toContain("?? x");
    await start();
    expect((await shell("sh x")).stderr).toContain("Denied by no-force");
  });

  it("EXG-10 only the workspace of a session is gated: other repositories are neither asked about nor proof", async () => {
    const daemon = await start();
    const other = join(place.home, "..", "fixture");
    mkdirSync(other);
    await call("ls");
    await daemon.end("killed");
    const ran = await shell(
      "git init -q && git commit -q --allow-empty -m one && git push -q ../remote HEAD:fixture && git push -qf ../remote HEAD:fixture",
      { cwd: other },
    );
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    expect((await shell(`git -C '${other}' push -qf ../remote HEAD:fixture`)).code).toBe(0);
    await start();
    writeFileSync(join(other, "package.json"), '{"scripts":{"test":"true"}}');
    await call(`(cd '${other}' && npm test) | cat`);
    expect((await call("git commit -qm x --allow-empty")).denied).toBe("tests-first");
  });

  it("EXG-11 a link to the workspace, a folder below it and the repository around it are gated too", async () => {
    await start();
    const link = join(place.home, "..", "my link");
    symlinkSync(place.workspace, link);
    mkdirSync(join(place.workspace, "a b"));
    write("x", "git push -f origin HEAD:main");
    await call("ls");
    expect((await shell("sh x", { cwd: link })).stderr).toContain("Denied by no-force");
    expect((await shell("sh ../x", { cwd: join(place.workspace, "a b") })).stderr).toContain("Denied by no-force");
  });

  it("EXG-12 two sessions at once: each is judged by its own evidence", async () => {
    await start();
    write("x", "git commit -qm x --allow-empty");
    await call("npm test | cat", "one");
    const [one, two] = await Promise.all([open("one"), open("two")]);
    const made = { id: "both", tool: "shell", args: { command: "sh x" } };
    await one.onCall(made);
    await two.onCall(made);
    expect((await shell("sh x", { env: { CONDUCT_GATE_SESSION: "one" } })).code).toBe(0);
    expect((await shell("sh x", { env: { CONDUCT_GATE_SESSION: "two" } })).stderr).toContain("Denied by tests-first");
  });

  it("EXG-13 a run in the background that ends after its call proves nothing, unless it failed", async () => {
    await start();
    const session = await open();
    const made = { id: "bg", tool: "shell", args: { command: "npm test &" } };
    await session.onCall(made);
    await session.onResult(made, { outcome: "ok", exitCode: 0, parts: [] });
    await shell("npm test");
    expect((await call("git commit -qm x --allow-empty")).denied).toBe("tests-first");
  });

  it("EXG-14 publishing is judged before it starts", async () => {
    await start();
    write("x", "npm publish --dry-run=false --registry=http://127.0.0.1:9");
    const ran = await call("sh x");
    expect(ran).toMatchObject({ code: 126 });
    expect(ran.stderr).toContain("Denied by publish: Nobody publishes.");
  });

  it("EXG-15 ten thousand words are judged as a whole", async () => {
    await start();
    write("x", "git push origin $(seq -f 'HEAD:refs/heads/branch-%g' 1 10000) -f");
    const ran = await call("sh x");
    expect(ran.stderr).toContain("Denied by no-force");
    expect(ran.code).toBe(126);
  });

  it("EXG-16 with a token that is not the daemon's, an enforced session starts nothing that rules may be on", async () => {
    await start();
    await call("ls");
    const { sessions } = gatePlace(place.home);
    writeFileSync(sessions, readFileSync(sessions, "utf8").replace(/^(\d+) \w+/, "$1 stale"));
    expect(await shell("git push origin HEAD:other")).toMatchObject({ code: 126 });
    expect(await shell("git status")).toMatchObject({ code: 0 });
  });

  it("EXG-17 a program in a script is in the journal, and why it was denied", async () => {
    await start();
    write("x", "git push -f origin HEAD:main");
    await call("sh x");
    const env = { ...process.env, CONDUCT_HOME: place.home, HOME: place.home, CONDUCT_STORE: "" };
    const why = () =>
      spawnSync(process.execPath, [conductProgram(), "why"], { env, cwd: place.workspace, encoding: "utf8" }).stdout;
    await expect.poll(why, { timeout: 20_000, interval: 500 }).toMatch(/git push -f origin HEAD:main[\s\S]*no-force/);
  });

  it("EXG-18 a git command inside a git hook goes on, and set -e scripts end at a denied program", async () => {
    await start();
    write(".git/hooks/pre-commit", "#!/bin/sh\ngit status --short >/dev/null && git add a.txt\n");
    expect((await call("npm test")).code).toBe(0);
    expect(await call("git commit -qm hooked --allow-empty")).toMatchObject({ code: 0 });
    write("x", "set -e\ngit push -f origin HEAD:main\necho still here");
    expect(await call("bash x")).toMatchObject({ code: 126, stdout: "" });
  });

  it.each([
    ["in the workspace, first on PATH", "PATH=$PWD/bin:$PATH npm test | cat"],
    ["in the workspace, behind the gate", "sh x"],
    ["in the workspace, by its path", "./bin/npm test"],
    ["in a temporary folder", "sh y"],
    ["in the workspace, in bash", "PATH=$PWD/bin:$PATH bash -c 'npm test'"],
  ])("EXG-19 a runner that the agent wrote proves nothing: %s", async (_where, command) => {
    await start();
    const { bin } = gatePlace(place.home);
    const elsewhere = join(place.home, "../fake");
    for (const folder of [join(place.workspace, "bin"), elsewhere]) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, "npm"), "#!/bin/sh\nexit 0\n");
      chmodSync(join(folder, "npm"), 0o755);
    }
    write("x", `PATH="${bin}:$PWD/bin:/usr/bin:/bin" npm test`);
    write("y", `PATH="${bin}:${elsewhere}:/usr/bin:/bin" npm test`);
    write("check.js", "process.exit(1)");
    await call(command);
    expect((await call("git commit -qm x --allow-empty")).denied).toBe("tests-first");
  });

  it("EXG-27 a runner in node_modules/.bin and one on the person's own PATH prove the tests", async () => {
    await start();
    write("node_modules/.bin/jest", "#!/bin/sh\nexit 0\n");
    writeGate(place.home, `${join(place.workspace, "node_modules/.bin")}:${process.env.PATH}`);
    write("x", `PATH="${gatePlace(place.home).bin}:$PWD/node_modules/.bin:$PATH" jest`);
    await call("sh x");
    expect(await call("git commit -qm x --allow-empty")).toMatchObject({ code: 0 });
  });

  it("EXG-28 git's own steps are no second decision: stash, pull, rebase and hook managers go on", async () => {
    await start();
    write("a.txt", "changed\n");
    write("x", "git stash -q && git stash pop -q && git stash -q && git pull -q --rebase origin main; git stash list");
    const ran = await call("sh x");
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining("stash@{0}") });
    expect(ran.stderr).not.toContain("conduct");
    write("a.txt", "changed again\n");
    write(
      "node_modules/lint-staged/index.cjs",
      "require('child_process').execFileSync('git', ['checkout', '--', 'a.txt'])",
    );
    write(".git/hooks/pre-commit", "#!/bin/sh\nexec node node_modules/lint-staged/index.cjs\n");
    await call("npm test");
    expect(await call("git commit -qm hooked --allow-empty")).toMatchObject({ code: 0, stderr: "" });
    expect(readFileSync(join(place.workspace, "a.txt"), "utf8")).toBe("one\n");
  });
});
