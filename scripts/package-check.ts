import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { findBrowser, openBrowser } from "../src/apps/gateway/test/test-browser.ts";
import { findPython, runInPty } from "../src/edge/host/switch/test/test-pty.ts";
import { runSiteTool, SITE } from "./site-tools.ts";

/**
 * `npm run test:package`: packs the package, installs it outside the checkout with the oldest and the newest supported
 * Node, and uses it as a stranger does. Prints a short report; exits with 1 at the first failure.
 */

const ROOT = join(import.meta.dirname, "..");
const MAX_MB = 30;
const MAX_PACKAGES = 60;
type Manifest = {
  readonly exports: Readonly<Record<string, unknown>>;
  readonly engines: { readonly node: string };
  readonly version: string;
};
const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as Manifest;
/** `>=24` is tested with 24.0.0. */
const OLDEST = `${manifest.engines.node.replace(">=", "")}.0.0`.split(".").slice(0, 3).join(".");
const SUBPATHS = Object.keys(manifest.exports).filter((path) => !/\*|\.json$/.test(path));
/** Their declarations import the runtime's own, which their users have. */
const NEEDS_RUNTIME = ["./pi", "./pi-extension"];

const world = mkdtempSync(join(tmpdir(), "conduct-package-"));
const running = new Set<ChildProcess>();
try {
  await checkPackage();
} catch (error) {
  console.error(`\n  ✗ ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
} finally {
  for (const child of running) child.kill("SIGKILL");
  rmSync(world, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}

async function checkPackage(): Promise<void> {
  const started = Date.now();
  const archive = await pack();
  lint(archive);
  const nodes = { [OLDEST]: await installNode(OLDEST), [process.versions.node]: join(ROOT, "node_modules/node/bin") };
  for (const [version, bin] of Object.entries(nodes)) {
    const place = await install(version, bin, archive);
    importFromJavaScript(place);
    await useRuntimes(place);
    await openGateway(place);
  }
  const newest = { ...(await install("types", nodes[process.versions.node] ?? "", archive)), version: "TypeScript" };
  importFromTypeScript(newest);
  await missPackages(newest.bin, archive);
  refuseOldNode();
  say("done", `${Math.round((Date.now() - started) / 1_000)} s`);
}

/** An empty project with the package, the Node that runs it, and a home that has never seen Conduct. */
type Place = {
  readonly version: string;
  readonly bin: string;
  readonly project: string;
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
};

async function pack(): Promise<string> {
  const { stdout } = await promisify(execFile)("npm", ["pack", "--json", "--pack-destination", world], {
    cwd: ROOT,
    maxBuffer: 1e8,
  });
  const report: unknown = JSON.parse(stdout.slice(stdout.search(/^[[{]/m)));
  const [packed] = Object.values(report as Record<string, { readonly filename: string; readonly size: number }>);
  const archive = join(world, readdirSync(world).find((name) => name.endsWith(".tgz")) ?? "");
  if (packed === undefined) throw new Error("npm pack reported nothing");
  say("pack", `${basename(archive)}, ${(packed.size / 1e6).toFixed(1)} MB`);
  const files = (packed as unknown as { readonly files: readonly { readonly path: string }[] }).files;
  checkFiles(files.map(({ path }) => path));
  return archive;
}

/** Only built files and data: no sources, no tests, and no source map that is missing. */
function checkFiles(files: readonly string[]): void {
  const allowed =
    /^(dist\/|packs\/|docs\/schema\/|docs\/coverage\.json$|examples\/release\/(conduct\.yaml$|project\/)|(package\.json|README\.md|LICENSE|CHANGELOG\.md|SECURITY\.md)$)/;
  const wrong = files.filter((path) => !allowed.test(path) || /\.test\.(?!cjs$)|golden|\.tsx?$/.test(path));
  if (wrong.length > 0) throw new Error(`the package contains files that do not belong there: ${wrong.join(", ")}`);
  for (const path of files.filter((one) => one.endsWith(".mjs"))) {
    const [, map] = /\/\/# sourceMappingURL=(\S+)\s*$/.exec(readFileSync(join(ROOT, path), "utf8")) ?? [];
    if (map !== undefined && !existsSync(join(ROOT, path, "..", map)))
      throw new Error(`${path} names ${map}, which is missing`);
  }
  say("files", `${files.length}, no sources and no tests`);
}

function lint(archive: string): void {
  if (runSiteTool("publint", ["run", archive, "--strict"]) !== 0) throw new Error("publint found something; see above");
  // Schemas are data, which the linter takes for code.
  const args = [archive, "--profile", "esm-only", "--quiet", "--exclude-entrypoints", "./schema"];
  if (runSiteTool("attw", args) !== 0) throw new Error("are-the-types-wrong found something; see above");
  say("linters", "publint and are-the-types-wrong find nothing");
}

/** A Node of another version, as the package `node` of the registry. Installing is tried three times. */
async function installNode(version: string): Promise<string> {
  const folder = join(world, `node-${version}`);
  emptyProject(folder);
  installPackages(folder, [`node@${version}`], process.env, []);
  return join(folder, "node_modules/node/bin");
}

async function install(name: string, bin: string, archive: string): Promise<Place> {
  const [project, home] = [join(world, `project-${name}`), join(world, `home-${name}`)];
  emptyProject(project);
  mkdirSync(join(home, ".claude"), { recursive: true });
  const programs = standIns(join(world, `bin-${name}`));
  const path = [bin, programs, "/usr/local/bin", "/usr/bin", "/bin"].join(delimiter);
  // Nothing of the checkout's environment: no NODE_PATH, no NODE_OPTIONS, no CONDUCT_*.
  const env = { PATH: path, HOME: home, TERM: "xterm", LANG: "C.UTF-8" };
  installPackages(project, [archive], process.env, ["--omit=dev"]);
  const modules = join(project, "node_modules");
  const packages = globSync("{*,@*/*}/package.json", { cwd: modules }).length;
  const mb = sizeOf(modules) / 1e6;
  if (mb > MAX_MB || packages > MAX_PACKAGES)
    throw new Error(
      `installed it takes ${mb.toFixed(1)} MB in ${packages} packages; at most ${MAX_MB} and ${MAX_PACKAGES}`,
    );
  say(`Node ${name}`, `installed: ${mb.toFixed(1)} MB, ${packages} package${packages === 1 ? "" : "s"}`);
  return { version: name, bin, project, home, env };
}

function importFromJavaScript({ version, project, env }: Place): void {
  const imports = SUBPATHS.map((path) => `await import(${JSON.stringify(`agent-conduct${path.slice(1)}`)})`);
  const schema = `import config from "agent-conduct/schema/conduct.schema.json" with { type: "json" };`;
  writeFileSync(
    join(project, "all.mjs"),
    `${schema}\nconst all = [${imports.join(",\n")}];\nif (all.some((one) => Object.keys(one).length === 0) || config.type !== "object") process.exit(1);\nconsole.log(all.length);\n`,
  );
  run("node", ["all.mjs"], { cwd: project, env });
  say(`Node ${version}`, `imports ${SUBPATHS.length} subpaths and a schema from JavaScript`);
}

/** A project with nothing but TypeScript can use what a developer needs first. */
function compileWithoutNodeTypes(project: string, env: NodeJS.ProcessEnv): void {
  const paths = ["", "/policies", "/completion", "/feedback", "/prompt", "/testing", "/client", "/claude"];
  const text = paths.map((path, at) => `import * as part${at} from "agent-conduct${path}";\nexport { part${at} };`);
  writeFileSync(join(project, "plain.ts"), `${text.join("\n")}\n`);
  const args = ["--noEmit", "--strict", "--skipLibCheck", "false", "--target", "es2024", "--module", "nodenext"];
  run("node", [join(ROOT, "node_modules/typescript/bin/tsc"), ...args, "plain.ts"], { cwd: project, env });
  say("TypeScript", `compiles ${paths.length} subpaths without @types/node`);
}

function importFromTypeScript({ project, env }: Place): void {
  compileWithoutNodeTypes(project, env);
  installPackages(project, ["@types/node@24"], process.env, []);
  const paths = SUBPATHS.filter((path) => !NEEDS_RUNTIME.includes(path));
  const imports = paths.map((path, at) => `import * as part${at} from "agent-conduct${path.slice(1)}";`);
  const good = `${imports.join("\n")}\nimport { defineAgent, openConduct } from "agent-conduct";
import { conductClient } from "agent-conduct/client";
export const conduct = openConduct({ agents: [defineAgent({ name: "assistant" })] });
export const crons: Promise<string[]> = conductClient().call("GET /api/schedules").then(({ schedules }) => schedules.map(({ cron }) => cron));
console.log(${paths.map((_, at) => `part${at}`).join(", ")});\n`;
  writeFileSync(join(project, "good.ts"), good);
  writeFileSync(join(project, "bad.ts"), `import { defineAgent } from "agent-conduct";\ndefineAgent({ name: 1 });\n`);
  const compilers = {
    7: join(ROOT, "node_modules/typescript/bin/tsc"),
    5.9: join(SITE, "node_modules/typescript/bin/tsc"),
  };
  const strict = ["--noEmit", "--strict", "--skipLibCheck", "false", "--target", "es2024", "--types", "node"];
  for (const [version, compiler] of Object.entries(compilers)) {
    for (const [resolution, module] of [
      ["nodenext", "nodenext"],
      ["bundler", "esnext"],
    ] as const) {
      const args = [compiler, ...strict, "--module", module, "--moduleResolution", resolution];
      run("node", [...args, "good.ts"], { cwd: project, env });
      const bad = spawnSync("node", [...args, "bad.ts"], { cwd: project, env, encoding: "utf8" });
      if (!bad.stdout.includes("TS2322"))
        throw new Error(`TypeScript ${version} does not notice a wrong type: ${bad.stdout}`);
    }
    say("TypeScript", `${version} compiles ${paths.length} subpaths strictly, with nodenext and bundler`);
  }
}

/** `init`, `doctor`, `enforce` and undo. Only a person in a terminal may undo, so that step runs in one. */
async function useRuntimes({ version, project, env, home }: Place): Promise<void> {
  if (findPython() === undefined) {
    say(`Node ${version}`, "init and undo were NOT tested, because there is no python3 to make a terminal");
    return;
  }
  const conduct = join(project, "node_modules/.bin/conduct");
  const settings = join(home, ".claude/settings.json");
  const before = `{\n  "model": "opus"\n}\n`;
  writeFileSync(settings, before);
  const cwd = project;
  try {
    for (const runtime of ["claude-code", "codex"]) {
      run(conduct, ["init", runtime, "--yes"], { cwd, env });
      // Claude Code connects to the daemon's port before its first hook, which would start the daemon.
      const daemon = JSON.parse(run(conduct, ["daemon", "status", "--json"], { cwd, env }));
      if (typeof daemon.result?.pid !== "number") throw new Error(`init ${runtime} leaves no daemon running`);
      const checked = spawnSync(conduct, ["doctor", runtime], { cwd, env, encoding: "utf8" });
      if (!/self-test {2}a forbidden call/.test(checked.stdout))
        throw new Error(`doctor ${runtime}: the self-test failed:\n${checked.stdout}${checked.stderr}`);
      run(conduct, ["enforce", runtime, "--yes"], { cwd, env });
      const bound = run(conduct, ["status"], { cwd, env });
      if (!new RegExp(`${runtime} · enforced`).test(bound)) throw new Error(`${runtime} is not enforced:\n${bound}`);
      await undo(conduct, runtime, cwd, env);
    }
  } finally {
    spawnSync(conduct, ["daemon", "stop"], { cwd, env });
  }
  if (readFileSync(settings, "utf8") !== before) throw new Error("undo did not restore ~/.claude/settings.json");
  if (existsSync(join(home, ".codex/hooks.json"))) throw new Error("undo left ~/.codex/hooks.json");
  say(`Node ${version}`, "init, doctor, enforce and undo: Claude Code and Codex (stand-ins for their programs)");
}

/** Types the code that `init --undo` asks for. */
async function undo(conduct: string, runtime: string, cwd: string, env: NodeJS.ProcessEnv): Promise<void> {
  const line = `cd '${cwd}' && exec '${conduct}' init ${runtime} --undo --yes`;
  const { code, shown } = await runInPty("xterm", ["/bin/sh", "-c", line], env);
  if (code !== 0) throw new Error(`init ${runtime} --undo ended with ${code}: ${shown}`);
}

/** Programs that only answer `--version`. The real ones are tested by `npm run compat`. */
function standIns(folder: string): string {
  mkdirSync(folder, { recursive: true });
  for (const [name, answer] of [
    ["claude", "2.1.325 (Claude Code)"],
    ["codex", "codex-cli 0.166.0"],
  ] as const) {
    writeFileSync(join(folder, name), `#!/bin/sh\necho "${answer}"\n`);
    chmodSync(join(folder, name), 0o755);
  }
  return folder;
}

/** Starts `conduct gateway`, and signs in with a real browser. */
async function openGateway({ version, project, env }: Place): Promise<void> {
  const chromium = findBrowser();
  const conduct = join(project, "node_modules/.bin/conduct");
  const gateway = spawn(conduct, ["gateway", "--port", "0", "--json"], {
    cwd: project,
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  running.add(gateway);
  try {
    const { login } = await firstLine(gateway);
    if (chromium === undefined) {
      say(`Node ${version}`, "the gateway starts; its page was NOT tested, because there is no browser");
      return;
    }
    const browser = await openBrowser(chromium);
    try {
      const page = await browser.newPage();
      const errors: string[] = [];
      page.on("pageerror", (error) => errors.push(error.message));
      await page.goto(login);
      await page.waitForSelector("nav", { timeout: 30_000 });
      const title = await page.title();
      if (errors.length > 0 || !title.includes("Conduct"))
        throw new Error(`the console: ${title} ${errors.join("; ")}`);
      say(`Node ${version}`, "the gateway's first screen opens in a browser");
    } finally {
      await browser.close();
    }
  } finally {
    gateway.kill("SIGTERM");
    await once(gateway, "exit");
    running.delete(gateway);
  }
}

function firstLine(gateway: ChildProcess): Promise<{ readonly login: string }> {
  return new Promise((resolve, reject) => {
    if (gateway.stdout === null) return reject(new Error("no output"));
    createInterface({ input: gateway.stdout }).on("line", (line) => {
      if (line.includes('"event":"started"')) resolve(JSON.parse(line));
    });
    gateway.once("exit", (code) => reject(new Error(`the gateway ended with ${code} before it had started`)));
  });
}

/** Without its package, a setting answers with a command; after that command the package is found. */
async function missPackages(bin: string, archive: string): Promise<void> {
  const prefix = join(world, "prefix");
  mkdirSync(prefix);
  installPackages(world, [archive], process.env, ["-g", "--prefix", prefix]);
  const env = { PATH: [bin, "/usr/bin", "/bin"].join(delimiter), HOME: join(world, "home-global") };
  mkdirSync(env.HOME);
  const conduct = join(prefix, "bin/conduct");
  const ask = (more: NodeJS.ProcessEnv, ...args: readonly string[]) =>
    spawnSync(conduct, args, { cwd: env.HOME, env: { ...env, ...more }, encoding: "utf8" });
  const postgres = { CONDUCT_STORE: "postgres://conduct@127.0.0.1:1/none" };
  for (const args of [["behavior", "list"], ["status"], ["gateway", "--port", "0"]]) {
    const { stderr } = ask(postgres, ...args);
    if (!stderr.includes("PACKAGE_MISSING") || !stderr.includes(`npm install -g --prefix ${prefix} pg@8`))
      throw new Error(`conduct ${args.join(" ")} without pg:\n${stderr}`);
  }
  installPackages(world, ["pg@8"], process.env, ["-g", "--prefix", prefix]);
  const { stderr } = ask(postgres, "behavior", "list");
  if (!stderr.includes("STORE_UNAVAILABLE")) throw new Error(`pg was installed and is not found:\n${stderr}`);
  say("optional", "a missing package is answered with a command that works, also for a global installation");
}

/** An old Node gets one sentence and exit code 1. The Node that runs npm may be one. */
function refuseOldNode(): void {
  const old = (process.env.PATH ?? "")
    .split(delimiter)
    .map((folder) => join(folder, "node"))
    .find(
      (node) =>
        existsSync(node) && /^v(?:1\d|2[0-3])\./.test(spawnSync(node, ["--version"], { encoding: "utf8" }).stdout),
    );
  if (old === undefined) {
    say("old Node", "not tested: there is none on the PATH");
    return;
  }
  const { status, stderr, stdout } = spawnSync(old, [join(ROOT, "dist/conduct.mjs"), "status"], { encoding: "utf8" });
  if (status !== 1 || stdout !== "" || !/^conduct needs Node \d+ or newer, [^\n]+\n$/.test(stderr))
    throw new Error(`an old Node gets: ${status} ${stdout}${stderr}`);
  say("old Node", stderr.trim());
}

function emptyProject(folder: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), `${JSON.stringify({ private: true, type: "module" })}\n`);
}

function installPackages(
  cwd: string,
  packages: readonly string[],
  env: NodeJS.ProcessEnv,
  flags: readonly string[],
): void {
  const args = ["install", "--no-audit", "--no-fund", "--loglevel=error", ...flags, ...packages];
  let last = "";
  for (let attempt = 1; attempt <= 3; attempt++) {
    const { status, stderr } = spawnSync("npm", args, { cwd, env, encoding: "utf8" });
    if (status === 0) return;
    last = stderr;
  }
  throw new Error(`npm ${args.join(" ")} failed three times: ${last}`);
}

function run(
  command: string,
  args: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, env, encoding: "utf8" });
  if (status !== 0)
    throw new Error(`${command} ${args.join(" ")} ended with ${status}: ${stdout}${stderr}${error ?? ""}`);
  return stdout;
}

function sizeOf(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

function say(what: string, text: string): void {
  console.log(`  ✓ ${what.padEnd(14)} ${text}`);
}
