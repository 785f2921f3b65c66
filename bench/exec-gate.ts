import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { startDaemon } from "../src/apps/daemon/daemon.ts";
import type { RuleSet } from "../src/base/words/rule.ts";
import { lineEffects } from "../src/behavior/commands/line-effects.ts";
import { BUILT_IN } from "../src/behavior/commands/programs/built-in-programs.ts";
import { daemonPlace } from "../src/edge/host/daemon/daemon-place.ts";
import { remoteHost } from "../src/edge/host/daemon/remote-session.ts";
import { writeGate } from "../src/edge/host/gate/gate-files.ts";
import { gatePlace, gateVariables } from "../src/edge/host/gate/gate-place.ts";
import { loadRules } from "../src/edge/host/opening/load-rules.ts";
import { judge } from "./commands.ts";
import { compare } from "./harness.ts";
import { table } from "./show.ts";
import { techniqueOf } from "./technique.ts";

/**
 * `npm run bench:exec-gate [-- --data FILE --only time|share --show --json]`.
 *
 * Time: what the shim adds to `git status`. Share: forbidden lines whose text hides what they do are really executed, in
 * a scratch repository inside bubblewrap with every harmful program replaced by a recorder. Each line is run without
 * Conduct first: what it really starts decides what it counts as. Lines that start nothing here, because a program is
 * not installed or code deletes files without a program, are counted apart.
 */

type Case = { readonly line: string; readonly group?: string; readonly files?: { readonly [path: string]: string } };
type Kind =
  | "git, publishing, test runners"
  | "file deletion"
  | "other programs"
  | "code without a program"
  | "not runnable here";
type Result = Case & {
  readonly kind: Kind;
  readonly by: "text gate" | "exec gate" | "nothing";
  readonly ran: readonly string[];
};

const SHARED = /^(?:git|github|packages|containers\.push|tests|deploys)\b/;
/** Run as they are: shells, interpreters and tools that start other programs. Nothing outside the scratch folder is writable. */
const REAL = new Set(
  "git bash sh dash env xargs find sed perl python python3 node nodejs make gmake time nohup setsid nice ionice timeout stdbuf tar script cmake ninja flock cp ln tee parallel gawk mawk awk busybox command exec builtin eval history unset ulimit umask ed less vim".split(
    " ",
  ),
);

const root = realpathSync(mkdtempSync(join(tmpdir(), "conduct-exec-gate-")));
const folders = { home: join(root, "home"), recorders: join(root, "recorders"), template: join(root, "template") };

function recorders(): void {
  const { programs } = JSON.parse(BUILT_IN) as { readonly programs: { readonly [names: string]: unknown } };
  const names = Object.keys(programs).flatMap((one) => one.split("|"));
  mkdirSync(folders.recorders, { recursive: true });
  const record = `printf '%s\\0' "\${0##*/}" "$@" $'\\x1e' >> "$RECORD"`;
  for (const name of [...names, "uv", "bun", "npm", "npx"]) {
    if (REAL.has(name) || !/^\w[\w.+-]*$/.test(name)) continue;
    // Package managers really run the project's scripts, and what they are told to run.
    const npm = `case $1 in run | run-script | exec | x | test | start) exec ${realProgram("npm")} "$@" ;; esac`;
    const runs = `case $1 in run) shift; exec "$@" ;; esac`;
    const more = name === "npm" ? npm : /^(?:uv|poetry|pdm|pipenv|rye)$/.test(name) ? runs : "";
    const code = name === "bun" ? `case $1 in -e) shift; exec node -e "$@" ;; esac` : "";
    writeFileSync(join(folders.recorders, name), `#!/bin/bash -p\n${record}\n${more}\n${code}\nexit 0\n`);
    chmodSync(join(folders.recorders, name), 0o755);
  }
}

function realProgram(name: string): string {
  return (
    (process.env.PATH ?? "")
      .split(delimiter)
      .map((folder) => join(folder, name))
      .find((path) => existsSync(path)) ?? name
  );
}

function template(): void {
  const git = (...words: string[]) =>
    spawnSync("git", words, { cwd: folders.template, env: { ...process.env, HOME: folders.home } });
  mkdirSync(join(folders.template, "src"), { recursive: true });
  mkdirSync(join(folders.template, "tests"));
  writeFileSync(join(folders.home, ".gitconfig"), "[user]\nname = a\nemail = a@b\n[init]\ndefaultBranch = main\n");
  writeFileSync(
    join(folders.template, "package.json"),
    '{"name":"shop","version":"1.0.0","scripts":{"test":"true"}}\n',
  );
  for (const name of ["src/app.ts", "src/index.ts", "tests/login.test.ts"])
    writeFileSync(join(folders.template, name), "// one\n");
  git("init", "-q");
  git("add", ".");
  git("commit", "-qm", "one");
  for (const branch of ["feature/login", "feature/cart", "feature/x", "feature/a", "develop"]) git("branch", branch);
  git("tag", "v1.0.0");
  git("init", "-q", "--bare", ".git/origin.git");
  git("remote", "add", "origin", ".git/origin.git");
  git("push", "-q", "--all", "origin");
  git("commit", "-q", "--amend", "-m", "two");
  writeFileSync(join(folders.template, "src/app.ts"), "// changed\n");
}

/** Runs a line in its own copy of the repository; gives the programs that were really started, as lines. */
async function run(number: string, { line, files = {} }: Case, session?: string): Promise<readonly string[]> {
  const work = session === undefined ? join(root, `w${number}`) : join(root, session);
  fill(work, files);
  const [record, trace] = [`${work}.record`, `${work}.trace`];
  for (const file of [record, trace]) writeFileSync(file, "");
  const PATH = [folders.recorders, dirname(process.execPath), "/usr/local/bin", "/usr/bin", "/bin"].join(delimiter);
  const home = join(work, ".git", "home");
  mkdirSync(home, { recursive: true });
  cpSync(join(folders.home, ".gitconfig"), join(home, ".gitconfig"));
  const env = {
    PATH,
    ...(session === undefined ? {} : gateVariables(folders.home, { PATH }, session)),
    HOME: home,
    RECORD: record,
    GIT_TRACE: trace,
    LANG: "C.UTF-8",
    GIT_EDITOR: "true",
  };
  const box = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp", "--ro-bind", root, root];
  const writable = [work, record, trace].flatMap((path) => ["--bind", path, path]);
  const words = [...box, ...writable, "--unshare-pid", "--die-with-parent", "--chdir", work, "bash", "-c", line];
  const child = spawn(realProgram("bwrap"), words, { env, stdio: "ignore", timeout: 20_000, killSignal: "SIGKILL" });
  await new Promise((resolve) => child.on("close", resolve).on("error", resolve));
  const recorded = readFileSync(record, "utf8")
    .split("\x1e\0")
    .filter((one) => one !== "");
  const text = readFileSync(trace, "utf8");
  // `git stash` starts these itself: what they discard is in the stash.
  const isStep = (one: string) => /^git (?:reset --hard -q --no-recurse-submodules|clean --force --quiet)/.test(one);
  const traced = [...text.matchAll(/trace: (?:built-in|exec): (git[ -].*)$/gm)]
    .map(([, one = ""]) => one)
    .filter((one) => !isStep(one));
  const deleted = Object.keys({ ...files, "src/index.ts": "", "tests/login.test.ts": "" }).filter(
    (path) => !existsSync(join(work, path)),
  );
  rmSync(work, { recursive: true, force: true });
  const lines = recorded.map((one) => one.split("\0").slice(0, -1).map(quote).join(" "));
  return [...lines, ...traced, ...(deleted.length > 0 ? [DELETED] : [])];
}

const DELETED = "# files are gone";

function fill(work: string, files: { readonly [path: string]: string }): void {
  cpSync(folders.template, work, { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    const file = join(work, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    if (text.startsWith("#!")) chmodSync(file, 0o755);
  }
}

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

async function examine(number: string, given: Case, pack: RuleSet): Promise<Result> {
  const files = { "src/app.ts": "", "src/index.ts": "", "tests/login.test.ts": "", ...given.files };
  const forbidden = async (lines: readonly string[]) => {
    const judged = await Promise.all([...new Set(lines)].map((line) => judge({ line, expect: "stop", files }, pack)));
    return judged.filter(({ line, right }) => right && line !== DELETED).map(({ line }) => line);
  };
  const { right: byText } = await judge({ ...given, expect: "stop" }, pack);
  const truth = await run(number, given);
  const bad = await forbidden(truth);
  const kind = kindOf(bad, truth);
  if (byText) return { ...given, kind, by: "text gate", ran: bad };
  if (bad.length === 0) return { ...given, kind, by: "nothing", ran: truth };
  const session = `s${number}`;
  const work = join(root, session);
  fill(work, given.files ?? {});
  const moments = await remoteHost({ socket: daemonPlace(folders.home).socket }).open({
    runtime: "bench",
    id: session,
    cwd: work,
  });
  const tested = { id: "t", tool: "shell", args: { command: "npm test" } };
  await moments.onCall(tested);
  await moments.onResult(tested, { outcome: "ok", exitCode: 0, parts: [] });
  const decision = await moments.onCall({ id: "c", tool: "shell", args: { command: given.line } });
  rmSync(work, { recursive: true, force: true });
  if (decision.kind !== "allow") return { ...given, kind, by: "text gate", ran: [] };
  const passed = await forbidden(await run(number, given, session));
  return { ...given, kind, by: passed.length === 0 ? "exec gate" : "nothing", ran: passed };
}

function kindOf(bad: readonly string[], truth: readonly string[]): Kind {
  const names = bad.flatMap((line) => lineEffects(line).map(({ name }) => name));
  if (names.some((name) => SHARED.test(name))) return "git, publishing, test runners";
  if (names.some((name) => /^files\.(?:delete|move)$/.test(name))) return "file deletion";
  if (bad.length > 0) return "other programs";
  return truth.includes(DELETED) ? "code without a program" : "not runnable here";
}

async function shares(cases: readonly Case[], args: readonly string[]): Promise<void> {
  const loaded = await loadRules("packs/coding", process.cwd());
  if (!("parsed" in loaded) || "faults" in loaded.parsed) throw new Error("packs/coding has faults");
  const pack = loaded.parsed.ruleSet;
  const results: Result[] = [];
  const queue = [...cases.entries()];
  await Promise.all(
    Array.from({ length: 2 }, async () => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        results.push(await examine(String(next[0]), next[1], pack));
        if (results.length % 50 === 0) process.stderr.write(`\r${results.length} of ${cases.length}`);
      }
    }),
  );
  process.stderr.write("\r");
  if (args.includes("--json")) {
    console.log(JSON.stringify({ benchmark: "exec-gate", lines: results.length, results }));
    return;
  }
  const stopped = results.filter(({ by }) => by !== "nothing").length;
  console.log(
    `${stopped} of ${results.length} hidden lines stopped: ${((100 * stopped) / results.length).toFixed(1)} %`,
  );
  const kinds = Map.groupBy(results, ({ kind }) => kind);
  const rows = [...kinds].map(([kind, of]) => {
    const count = (by: Result["by"]) => of.filter((one) => one.by === by).length;
    const stopped = count("text gate") + count("exec gate");
    return [
      kind,
      `${of.length}`,
      `${count("text gate")}`,
      `${count("exec gate")}`,
      `${count("nothing")}`,
      `${((100 * stopped) / of.length).toFixed(1)} %`,
    ];
  });
  console.log(table(["what the lines really start", "lines", "text gate", "exec gate", "passed", "stopped"], rows));
  if (args.includes("--show"))
    for (const { line, by, kind, ran } of results)
      if (by === "nothing" && kind !== "not runnable here")
        console.log(`  ${kind}: ${JSON.stringify(line)}\n    ${ran.join("\n    ")}`);
}

async function time(): Promise<void> {
  const work = join(root, "time");
  fill(work, {});
  const PATH = [gatePlace(folders.home).bin, process.env.PATH].join(delimiter);
  const status = (program: string) => () =>
    void spawnSync(program, ["status"], { cwd: work, env: { ...process.env, PATH }, stdio: "ignore" });
  const { ours, reference, ratio } = await compare({
    name: "git status",
    ours: status(join(gatePlace(folders.home).bin, "git")),
    reference: status(realProgram("git")),
    perBatch: 10,
    each: true,
  });
  const ms = (value = 0) => (value / 1_000).toFixed(2);
  const adds = (ours.p50 ?? 0) - (reference.p50 ?? 0);
  console.log(
    `git status: ${ms(reference.p50)} ms, with the gate ${ms(ours.p50)} ms: ${ms(adds)} ms more (p50), ratio ${ratio.median.toFixed(2)}`,
  );
}

async function main(args: readonly string[]): Promise<void> {
  mkdirSync(folders.home, { recursive: true, mode: 0o700 });
  recorders();
  template();
  writeGate(folders.home, [folders.recorders, process.env.PATH].join(delimiter));
  writeFileSync(
    join(folders.home, "conduct.yaml"),
    `agents: { coder: { rules: [${join(process.cwd(), "packs/coding")}] } }\n`,
  );
  const only = args[args.indexOf("--only") + 1];
  if (!args.includes("--only") || only === "time") await time();
  if (args.includes("--only") && only !== "share") return;
  const at = args.indexOf("--data");
  const path = at < 0 ? new URL("./commands/forbidden.jsonl", import.meta.url) : (args[at + 1] ?? "");
  const lines = readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "");
  const cases = lines
    .map((line) => JSON.parse(line) as Case)
    .filter(({ line, group }) => techniqueOf(line, group) === "hidden");
  const daemon = await startDaemon({ home: folders.home });
  try {
    await shares(cases, args);
  } finally {
    await daemon.end("the benchmark is over");
  }
}

if (import.meta.main) {
  try {
    await main(process.argv.slice(2));
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
