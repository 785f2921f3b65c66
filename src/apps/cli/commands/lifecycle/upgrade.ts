import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { errorText } from "../../../../base/kernel/error-text.ts";
import { asList, asObject, asString, parseObject } from "../../../../base/kernel/json.ts";
import { ensureDaemon, helloDaemon } from "../../../../edge/host/daemon/daemon-client.ts";
import { compareVersions } from "../../../../edge/host/daemon/daemon-place.ts";
import { packagePlace, placeVersion, versionsFolder } from "../../../../edge/host/node/installed-copy.ts";
import { conductVersion, packageFolder } from "../../../../edge/host/node/package-files.ts";
import { readRuntimes } from "../../../../edge/host/opening/runtime-settings.ts";
import { isInstalled } from "../../../install/install-record.ts";
import { launcherPath, readLauncher, writeLauncher } from "../../../install/launcher/launcher-files.ts";
import { INSTALLABLE } from "../../../install/runtimes.ts";
import { readSettings } from "../../../install/settings-file.ts";
import { quoted } from "../../../shared/printable.ts";
import type { UpgradeArgs } from "../../declared/setup-commands.ts";
import { badArgument, done, failed, type Outcome } from "../../line/outcome.ts";
import { askFirst } from "../../line/person.ts";
import type { Terminal } from "../../line/terminal.ts";
import { describeOtherVersion } from "../daemon/daemon.ts";
import { type InitWorld, initWorld, knownDaemon, refusedHere } from "../init/init-world.ts";
import { shortPath } from "../init/render.ts";

const PACKAGE = "agent-conduct";
/** Until the first release, the name on the registry may belong to somebody else. */
const IS_PUBLISHED = false;

/** How the new version is installed, as it is shown, and the program that results. Rejects with the reason. */
type Installer = { readonly shown: string; install(): Promise<string> };

/** Installs the newest version, makes the launcher start it, and restarts an older daemon. Shows everything first. */
export async function upgrade(args: UpgradeArgs, terminal: Terminal, world: InitWorld = initWorld()): Promise<Outcome> {
  const refused = refusedHere(world, "can upgrade Conduct", "conduct upgrade");
  if (refused !== undefined) return refused;
  if (args.refresh === true) return refresh(world, terminal);
  const from = args.from === undefined ? undefined : resolve(terminal.cwd, args.from);
  if (from !== undefined && !existsSync(from)) return badArgument(`there is no ${from}`, "conduct upgrade");
  const installer = installerFor(world.home, from);
  if (installer === undefined) {
    const message = `this Conduct runs from a checkout (${packageFolder()}), which npm does not upgrade`;
    return failed("CHECKOUT", message, "git pull && npm install there, then: conduct upgrade --refresh");
  }
  if (from === undefined && !IS_PUBLISHED) {
    const message = `${PACKAGE} is not published yet, so there is no newest version to install`;
    return failed(
      "NOT_PUBLISHED",
      message,
      "conduct upgrade --from FILE.tgz (npm pack writes that file in a checkout)",
    );
  }
  const version = conductVersion();
  const shown = renderPlan(installer.shown, version, world.home, terminal);
  const question = { yes: args.yes, shown, question: "Upgrade Conduct?" };
  const unconfirmed = await askFirst(
    question,
    `conduct upgrade --from ${quoted(args.from ?? "")} --yes`,
    { version },
    terminal,
    world.ask,
  );
  if (unconfirmed !== undefined) return unconfirmed;
  try {
    const program = await installer.install();
    const refreshed = runRefresh(program, world);
    const text = renderUpgraded(version, refreshed, world.home, terminal);
    const result = { before: version, ...refreshed };
    return done(result, args.yes === true ? `${shown}${text}` : text, NEXT);
  } catch (error) {
    return failed("UPGRADE_FAILED", errorText(error), "correct that, then run: conduct upgrade");
  }
}

const NEXT: Outcome["next"] = [{ command: "conduct doctor", description: "Check that it works" }];

/** `undefined` for a checkout. */
function installerFor(home: string, from: string | undefined): Installer | undefined {
  const place = packagePlace(home);
  switch (place.kind) {
    case "checkout":
      return undefined;
    case "global": {
      const words = ["install", "-g", "--prefix", place.prefix, from ?? `${PACKAGE}@latest`];
      return {
        shown: `npm ${words.map((word) => shortPath(word, homedir())).join(" ")}`,
        async install() {
          runProgram("npm", [...words, "--no-audit", "--no-fund", "--loglevel=error"]);
          return programIn(join(place.prefix, "lib", "node_modules", PACKAGE));
        },
      };
    }
    case "copy":
    case "volatile": {
      const versions = shortPath(versionsFolder(home), homedir());
      const source = from === undefined ? `npm pack ${PACKAGE}@latest` : shortPath(from, homedir());
      return { shown: `${source}, unpacked into ${versions}`, install: () => unpack(home, from) };
    }
  }
}

/** Unpacks the package into `CONDUCT_HOME/versions/VERSION`. */
async function unpack(home: string, from: string | undefined): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "conduct-upgrade-"));
  try {
    if (from === undefined)
      runProgram("npm", ["pack", `${PACKAGE}@latest`, "--loglevel=error", "--pack-destination", folder]);
    const tarball = from ?? join(folder, readdirSync(folder)[0] ?? "");
    const unpacked = join(folder, "unpacked");
    await mkdir(unpacked);
    runProgram("tar", ["-xzf", tarball, "-C", unpacked, "--strip-components=1"]);
    const target = join(versionsFolder(home), versionIn(unpacked, tarball));
    await placeVersion(target, async (draft) => {
      await mkdir(draft, { recursive: true, mode: 0o700 });
      runProgram("tar", ["-xzf", tarball, "-C", draft, "--strip-components=1"]);
    });
    return programIn(target);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function versionIn(folder: string, what: string): string {
  const file = join(folder, "package.json");
  const { name, version } = parseObject(existsSync(file) ? readFileSync(file, "utf8") : "") ?? {};
  if (name === PACKAGE && /^\d+\.\d+\.\d+[\w.+-]*$/.test(asString(version))) return asString(version);
  throw new Error(`${what} is not a package of ${PACKAGE}`);
}

function programIn(folder: string): string {
  versionIn(folder, folder);
  return join(folder, "dist", "conduct.mjs");
}

function runProgram(program: string, words: readonly string[]): void {
  const { status, stderr, error } = spawnSync(program, words, {
    encoding: "utf8",
    stdio: ["ignore", "ignore", "pipe"],
  });
  if (status === 0) return;
  const why = error?.message ?? (stderr ?? "").trim().split("\n").slice(-5).join("; ");
  throw new Error(`${program} ${words[0]} failed: ${why}`);
}

/** Only the new version knows its launcher. */
function runRefresh(program: string, { home, env }: InitWorld): Refreshed {
  const words = [program, "upgrade", "--refresh", "--json"];
  const { stdout, stderr } = spawnSync(process.execPath, words, {
    env: { ...env, CONDUCT_HOME: home },
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
  const { ok, result, error } = parseObject(stdout) ?? {};
  const { version, launcher, daemon, outdated } = asObject(result);
  if (ok !== true) {
    const why = asString(asObject(error).message) || stderr.trim();
    throw new Error(`${program} was installed, but does not work: ${why}`);
  }
  return {
    version: asString(version),
    launcher: launcher === true,
    daemon: asString(daemon),
    outdated: asList(outdated).map(asString),
  };
}

type Refreshed = {
  readonly version: string;
  /** Whether there is a launcher, which then starts this version. */
  readonly launcher: boolean;
  /** The daemon's state in words. */
  readonly daemon: string;
  /** Runtimes whose settings another version wrote. */
  readonly outdated: readonly string[];
};

/** Makes the launcher start this version, and replaces an older daemon that is idle. Installs nothing. */
async function refresh(world: InitWorld, terminal: Terminal): Promise<Outcome> {
  const { home } = world;
  const version = conductVersion();
  try {
    const launcher = (await readLauncher(home)).kind !== "missing";
    if (launcher) await writeLauncher(home);
    const runs = await helloDaemon(home).catch(() => undefined);
    const now = runs === undefined ? undefined : await ensureDaemon(home);
    await dropOldVersions(home);
    const refreshed = {
      version,
      launcher,
      daemon: daemonText(runs?.version, now?.version),
      outdated: await outdated(world),
    };
    return done(refreshed, renderUpgraded(version, refreshed, home, terminal), NEXT);
  } catch (error) {
    return failed("UPGRADE_FAILED", errorText(error), "conduct doctor");
  }
}

function daemonText(before: string | undefined, now: string | undefined): string {
  if (now === undefined) return "not running; the next hook starts it";
  const other = describeOtherVersion(now);
  if (other !== undefined) return `runs ${now}, ${other.text} (${other.fix})`;
  return before === now ? "runs this version" : "restarted";
}

/** Sessions may still use the version before this one, so the newest other copy stays too. */
async function dropOldVersions(home: string): Promise<void> {
  const folder = versionsFolder(home);
  const names = (await readdir(folder).catch(() => [])).filter((name) => name !== conductVersion());
  const old = names.sort(compareVersions).slice(0, -1);
  for (const name of old) await rm(join(folder, name), { recursive: true, force: true });
}

async function outdated({ env, home }: InitWorld): Promise<readonly string[]> {
  const runtimes = await readRuntimes(home);
  const found: string[] = [];
  for (const runtime of INSTALLABLE) {
    const { enforcement } = runtimes[runtime.name] ?? {};
    if (enforcement === undefined || !(await isInstalled(home, runtime.name))) continue;
    const files = runtime.files({ env, home, launcher: launcherPath(home), enforcement, daemon: knownDaemon(home) });
    const settings = "refused" in files ? [] : files;
    const texts = await Promise.all(settings.map(({ path }) => readSettings(path)));
    if (settings.some((file, at) => file.faults(texts[at]).length > 0)) found.push(runtime.name);
  }
  return found;
}

function renderPlan(install: string, version: string, home: string, { paint }: Terminal): string {
  return [
    "",
    `  ${paint("bold", `Upgrade Conduct ${version}`)}`,
    "",
    `  1  ${install}`,
    `  2  make ${shortPath(launcherPath(home), homedir())} start the new version`,
    "  3  restart the daemon, as soon as it is idle",
    "",
    "",
  ].join("\n");
}

function renderUpgraded(before: string, refreshed: Refreshed, home: string, { paint, invocation }: Terminal): string {
  const { version, launcher, daemon, outdated: old } = refreshed;
  const row = (label: string, text: string) => `    ${paint("dim", label.padEnd(8))}  ${text}`;
  const change = compareVersions(version, before) === 0 ? "" : ` (before: ${before})`;
  return [
    "",
    `  ${paint("green", "✓")} Conduct ${version} is installed${change}`,
    row("launcher", launcher ? `${shortPath(launcherPath(home), homedir())} starts it` : "none: no runtime is set up"),
    row("daemon", daemon),
    ...old.map((name) => row("settings", `${paint("amber", "outdated:")} ${invocation} init ${name}`)),
    "",
    "",
  ].join("\n");
}
