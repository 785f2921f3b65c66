import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { basename, delimiter, dirname, join, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { findPython, runInPty } from "../src/edge/host/switch/test/test-pty.ts";

/**
 * `node scripts/package-lifecycle.ts TARBALL`: the life of an installation, with the packed package and nothing of the
 * checkout. Installs it globally and with npx, sets up runtimes, upgrades, moves and uninstalls it.
 */

const NEWER = "99.0.0";
/** Settings of a person, with a mode of their own. */
const SETTINGS = '{\n\t"model": "sonnet",\n\t"hooks": {}\n}';
const TOML = 'model = "x" # mine\n';

/** Checks the package. Throws at the first fault; `log` gets one line for each step. */
export async function checkLifecycle(tarball: string, log: (line: string) => void = console.log): Promise<void> {
  if (findPython() === undefined) return log("NOT tested: there is no python3 to make a terminal");
  const root = realpathSync(mkdtempSync(join(tmpdir(), "conduct-life-")));
  const machines: Machine[] = [];
  try {
    const newer = repack(tarball, root);
    for (const [name, live] of [
      ["bob", npxLife],
      ["ann", globalLife],
    ] as const) {
      const at = machine(join(root, name));
      machines.push(at);
      await live(at, { tarball, newer }, log);
    }
  } finally {
    for (const one of machines) one.conduct(["daemon", "stop"]);
    rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

type Packages = { readonly tarball: string; readonly newer: string };

/** `npm i -g`, init, upgrade, move, uninstall. */
async function globalLife(at: Machine, { tarball, newer }: Packages, log: (line: string) => void): Promise<void> {
  const version = versionOf(tarball, at.root);
  const prefix = join(at.user, ".npm-global");
  at.npm(["install", "-g", "--prefix", prefix, tarball]);
  const conduct = join(prefix, "bin", "conduct");
  at.ok(conduct, ["init", "--yes"], "package.json, script test");
  const config = JSON.parse(at.ok(at.launcher, ["config", "check", "--json"]));
  check("the project's file is in force", JSON.stringify(config).includes("/projects/shop-"), true);
  const settings = ["settings.json", "../.codex/hooks.json"].map((name) => at.read(join(".claude", name))).join("");
  check("settings name the launcher, not the package", /node_modules|versions\//.test(settings), false);
  check("a hook decides", at.hook().status, 0);
  log(`✓ npm install -g, conduct init: ${version}`);

  at.ok(at.launcher, ["daemon", "start"]);
  at.ok(conduct, ["upgrade", "--from", newer, "--yes"], `Conduct ${NEWER} is installed (before: ${version})`);
  check("the launcher starts the new version", at.ok(at.launcher, ["--version"]).trim(), NEWER);
  check("the new daemon runs", at.daemonVersion(at.launcher), NEWER);
  log(`✓ conduct upgrade: ${version} -> ${NEWER}, daemon replaced`);

  const older = join(at.root, "older");
  at.npm(["install", "-g", "--prefix", older, tarball]);
  check("an older client leaves the newer daemon", at.daemonVersion(join(older, "bin", "conduct"), "start"), NEWER);
  log("✓ an older conduct uses the newer daemon and does not replace it");

  at.ok(at.launcher, ["daemon", "stop"]);
  at.npm(["uninstall", "-g", "--prefix", prefix, "agent-conduct"]);
  check("a removed package is reported", /not where it was installed/.test(at.hook().stdout), true);
  at.npm(["install", "-g", "--prefix", join(at.user, ".local"), newer]);
  check("a package that was reinstalled elsewhere is found", at.hook(), { status: 0, stdout: "{}", stderr: "" });
  check("the launcher names it again", at.read(".conduct/bin/installation.json").includes("/.local/lib/"), true);
  log("✓ a package that was removed and reinstalled elsewhere is found again");

  writeFileSync(join(at.user, ".codex/config.toml"), `${at.read(".codex/config.toml")}${trustBlocks(at)}`, {
    mode: 0o600,
  });
  await at.uninstall([], "Conduct is uninstalled");
  check("settings are as before", at.read(".claude/settings.json"), SETTINGS);
  check("Codex' settings are as before", at.read(".codex/config.toml"), TOML);
  check("modes are as before", at.modes(), [0o640, 0o644]);
  check("the launcher is gone", existsSync(at.launcher), false);
  check("the data stays", existsSync(join(at.user, ".conduct/conduct.db")), true);
  log("✓ conduct uninstall: every file is as before, to the byte; the data stays");
}

/** `npx agent-conduct init codex`, whose package npm may delete. */
async function npxLife(at: Machine, { tarball, newer }: Packages, log: (line: string) => void): Promise<void> {
  const version = versionOf(tarball, at.root);
  at.npm(["exec", "--yes", "--package", tarball, "--", "conduct", "init", "codex", "--yes"]);
  const cache = join(at.user, ".npm", "_npx");
  check("npx ran it from its cache", existsSync(cache), true);
  rmSync(cache, { recursive: true, force: true });
  check("the copy decides without npm's cache", at.hook().status, 0);
  check("the copy is in versions", existsSync(join(at.user, ".conduct/versions", version, "dist/conduct.mjs")), true);
  log("✓ npx agent-conduct init codex works after npm has emptied its cache");
  at.ok(at.launcher, ["upgrade", "--from", newer, "--yes"], `Conduct ${NEWER} is installed`);
  check("the launcher starts the new copy", at.ok(at.launcher, ["--version"]).trim(), NEWER);
  check("the daemon is the new one", at.daemonVersion(at.launcher, "start"), NEWER);
  const damaged = join(at.root, "other.tgz");
  writeFileSync(damaged, "no package");
  const refused = at.run(at.launcher, ["upgrade", "--from", damaged, "--yes"]);
  check("another file is refused", [refused.status, /tar -xzf failed/.test(refused.stderr)], [1, true]);
  check("a refused upgrade changes nothing", at.ok(at.launcher, ["--version"]).trim(), NEWER);
  log(`✓ conduct upgrade of a copy: ${version} -> ${NEWER}`);
  await at.uninstall(["--data"], "data deleted");
  check("the home is gone", existsSync(join(at.user, ".conduct")), false);
  check("Codex' settings are as before", at.read(".codex/config.toml"), TOML);
  log("✓ conduct uninstall --data deletes the home");
}

type Machine = ReturnType<typeof machine>;

/** An account that has never seen Conduct, with Codex, Claude Code and a project. */
function machine(user: string) {
  const shop = join(user, "shop");
  for (const folder of [".claude", ".codex", "shop"]) mkdirSync(join(user, folder), { recursive: true });
  writeFileSync(join(user, ".claude/settings.json"), SETTINGS, { mode: 0o640 });
  writeFileSync(join(user, ".codex/config.toml"), TOML, { mode: 0o644 });
  writeFileSync(join(shop, "package.json"), '{ "scripts": { "test": "true" } }');
  const path = [dirname(process.execPath), ...(process.env.PATH ?? "").split(delimiter)];
  const PATH = path.filter((folder) => !folder.endsWith("node_modules/.bin")).join(delimiter);
  // The registry's address and certificate are this machine's; everything else of npm is new.
  const { NODE_EXTRA_CA_CERTS, npm_config_registry, npm_config_cafile } = process.env;
  const npm = {
    NODE_EXTRA_CA_CERTS,
    npm_config_registry,
    npm_config_cafile,
    npm_config_userconfig: process.env.npm_config_userconfig ?? join(homedir(), ".npmrc"),
    npm_config_cache: join(user, ".npm"),
    npm_config_fetch_retries: "0",
  };
  const env: NodeJS.ProcessEnv = { ...npm, PATH, HOME: user, NO_COLOR: "1" };
  const launcher = join(user, ".conduct/bin/conduct");
  const run = (program: string, args: readonly string[], input = "") => {
    const { status, stdout, stderr } = spawnSync(program, args, { cwd: shop, env, input, encoding: "utf8" });
    return { status, stdout, stderr };
  };
  const ok = (program: string, args: readonly string[], says = "") => {
    const ran = run(program, args);
    if (ran.status === 0 && ran.stdout.includes(says)) return ran.stdout;
    throw new Error(`${basename(program)} ${args.join(" ")} failed (${ran.status}):\n${ran.stdout}${ran.stderr}`);
  };
  const at = {
    user,
    root: dirname(user),
    launcher,
    run,
    ok,
    npm: (words: readonly string[]) => ok("npm", ["--no-audit", "--no-fund", "--loglevel=error", ...words]),
    conduct: (words: readonly string[]) => (existsSync(launcher) ? run(launcher, words) : undefined),
    read: (name: string) => readFileSync(join(user, name), "utf8"),
    modes: () => [".claude/settings.json", ".codex/config.toml"].map((name) => statSync(join(user, name)).mode & 0o777),
    /** A harmless call through the hook that Codex' settings name. */
    hook() {
      const { hooks } = JSON.parse(at.read(".codex/hooks.json"));
      const { command } = hooks.PreToolUse[0].hooks[0];
      const event = { session_id: "s", cwd: shop, hook_event_name: "PreToolUse", tool_use_id: "c", tool_name: "Bash" };
      return run("sh", ["-c", command], JSON.stringify({ ...event, tool_input: { command: "ls" } }));
    },
    daemonVersion: (program: string, what = "status") =>
      JSON.parse(ok(program, ["daemon", what, "--json"])).result.version,
    async uninstall(words: readonly string[], says: string) {
      const command = [launcher, "uninstall", "--yes", ...words];
      const { code, shown } = await runInPty("xterm", ["/bin/sh", "-c", 'cd "$0" && exec "$@"', shop, ...command], env);
      if (code !== 0 || !shown.includes(says)) throw new Error(`conduct uninstall failed (${code}):\n${shown}`);
    },
  };
  return at;
}

/** What Codex writes when it trusts Conduct's hooks. */
function trustBlocks(at: Pick<Machine, "user" | "read">): string {
  const file = join(at.user, ".codex/hooks.json");
  const events = Object.keys(JSON.parse(at.read(".codex/hooks.json")).hooks);
  const snake = (name: string) => name.replace(/(?<=.)[A-Z]/g, "_$&").toLowerCase();
  return events.map((one) => `\n[hooks.state."${file}:${snake(one)}:0:0"]\ntrusted_hash = "sha256:1"\n`).join("");
}

/** The same package with another version. */
function repack(tarball: string, root: string): string {
  const folder = join(root, "repack", "package");
  mkdirSync(folder, { recursive: true });
  spawnSync("tar", ["-xzf", tarball, "-C", dirname(folder)]);
  const file = join(folder, "package.json");
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), version: NEWER }));
  const newer = join(root, `agent-conduct-${NEWER}.tgz`);
  spawnSync("tar", ["-czf", newer, "-C", dirname(folder), "package"]);
  return newer;
}

function versionOf(tarball: string, root: string): string {
  const folder = join(root, "version");
  mkdirSync(folder, { recursive: true });
  cpSync(tarball, join(folder, "package.tgz"));
  spawnSync("tar", ["-xzf", "package.tgz", "package/package.json"], { cwd: folder });
  return String(JSON.parse(readFileSync(join(folder, "package/package.json"), "utf8")).version);
}

function check(what: string, found: unknown, wanted: unknown): void {
  if (isDeepStrictEqual(found, wanted)) return;
  throw new Error(`${what}: found ${JSON.stringify(found)}, wanted ${JSON.stringify(wanted)}`);
}

if (import.meta.main) {
  const [, , tarball] = process.argv;
  if (tarball === undefined) throw new Error("usage: node scripts/package-lifecycle.ts TARBALL");
  await checkLifecycle(resolve(tarball));
}
