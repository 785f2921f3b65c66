import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { asList, asObject, asString, parseObject } from "../../../../base/kernel/json.ts";
import type { EventJournal } from "../../../../base/ports/stores/event-journal.ts";
import { gateFaults } from "../../../../edge/host/gate/gate-files.ts";
import { gatePlace } from "../../../../edge/host/gate/gate-place.ts";
import { packageFolder } from "../../../../edge/host/node/package-files.ts";
import { type RuntimesSettings, readRuntimes, UNSET_RUNTIME } from "../../../../edge/host/opening/runtime-settings.ts";
import { codexFolder } from "../../../install/codex.ts";
import { launcherPath } from "../../../install/launcher/launcher-files.ts";
import { isOpenSecret } from "../../../install/plan.ts";
import type { InstallableRuntime, SettingsFile } from "../../../install/runtime.ts";
import { readSettings } from "../../../install/settings-file.ts";
import { hasNoRules } from "../init/init-world.ts";
import { bindingOf, checkEnd, checked, checkLauncher, type DoctorWorld, openOf } from "./check.ts";
import { probeRuntime } from "./probe.ts";
import { type Check, fails, holds, type RuntimeCheckup, warns } from "./render.ts";

/** Checks an installed runtime: is its version verified, do its hooks lead here, and does a denial arrive? */
export async function checkRuntime(
  runtime: InstallableRuntime,
  world: DoctorWorld,
  journal: EventJournal | undefined,
): Promise<RuntimeCheckup> {
  const { name, title } = runtime;
  const again = `conduct init ${name}`;
  const { env, home } = world;
  const { [name]: bound = UNSET_RUNTIME } = await readRuntimes(home).catch(() => ({}) as RuntimesSettings);
  const place = { env, home, launcher: launcherPath(home), enforcement: bound.enforcement };
  const files = runtime.files({ ...place, daemon: await world.daemon() });
  const settings = "refused" in files ? [] : files;
  const hooks = await Promise.all(settings.map((file) => checkFile(file, again)));
  const checks = [
    await checked("version", again, () => checkVersion(runtime, world)),
    await checked("agent", again, () => checkBinding(runtime, world)),
    await checked("launcher", again, () => checkLauncher(home, again)),
    ...hooks,
    ...(await checkSurroundings(runtime, world)),
  ];
  const reached = hooks.some(({ kind }) => kind === "fails")
    ? []
    : [await checked("self-test", again, () => checkProbe(runtime, settings, world, journal))];
  const programs = await checked("programs", again, async () => checkGate(runtime, world, again));
  return { runtime: name, title, checks: [...checks, ...reached, programs], open: openOf(runtime) };
}

/** Starts bash as the runtime does after a login script has reset PATH, and asks the daemon as a shim does. */
async function checkGate(runtime: InstallableRuntime, { env, home }: DoctorWorld, again: string): Promise<Check> {
  const place = gatePlace(home);
  const { neverGated } = runtime;
  if (neverGated !== undefined) return warns("programs", `not gated: ${neverGated}`);
  const not = (why: string) => warns("programs", `not gated: ${why}`, again);
  const [why = runtime.whyNotGated?.(env)] = gateFaults(home);
  if (why !== undefined) return not(why);
  const { stdout, error } = spawnSync("/bin/bash", ["-c", "command -v git"], {
    env: { ...env, BASH_ENV: place.env },
    encoding: "utf8",
    // With a socket as its input, bash would take itself for a remote shell and read another file.
    stdio: ["ignore", "pipe", "ignore"],
    timeout: SHELL_MS,
  });
  const found = stdout.trim();
  if (found === "") return not(error?.message ?? "git is not on the PATH");
  if (found !== join(place.bin, "git")) return not(`bash finds ${found} first`);
  const [port = "", token = ""] = (await readSettings(place.sessions))?.split("\n")[0]?.split(" ") ?? [];
  if (port === "") return not("no daemon has run since conduct init");
  const answer = await fetch(`http://127.0.0.1:${port}/exec`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
    body: "kind=ask\0cwd=/\0\0git\0status\0",
    signal: AbortSignal.timeout(SHELL_MS),
  }).catch(() => undefined);
  if (answer?.status !== 204) return not("the daemon does not answer the programs");
  return holds("programs", "git, test runners and publishing tools are checked when a command starts them");
}

const SHELL_MS = 5_000;

async function checkVersion({ program, coverage, title }: InstallableRuntime, world: DoctorWorld): Promise<Check> {
  const path = world.find(program);
  if (path === undefined) return warns("version", `${program} is not on the PATH; is ${title} installed?`);
  const version = world.version(path);
  const map = parseObject(await readFile(join(packageFolder(), "docs", "coverage.json"), "utf8"));
  const column = asList(map?.columns).find((one) => asObject(one).runtime === coverage);
  const proven = asString(asObject(column).version);
  if (version === undefined) return warns("version", `${path} does not print its version`);
  if (proven === "") return warns("version", `${version}; not in the coverage map, so untested`);
  if (version === proven) return holds("version", `${version}, the tested version`);
  const how = isOlder(version, proven) ? "older than" : "newer than";
  return warns("version", `${version} is ${how} ${proven}, the tested version`);
}

function isOlder(version: string, than: string): boolean {
  return version.localeCompare(than, "en", { numeric: true }) < 0;
}

async function checkBinding({ name }: InstallableRuntime, world: DoctorWorld): Promise<Check> {
  const binding = await bindingOf({ name }, world);
  if (binding.kind === "broken")
    return fails("agent", "the configuration has faults, so every call is denied", "conduct doctor");
  if (binding.kind === "undecided") return fails("agent", binding.message, `conduct init ${name} --agent NAME`);
  const agent = binding.agent.name;
  const { enforcement, operator } = binding.settings;
  const who = operator ? ", the person who types is the operator" : "";
  if (!binding.isSetUp)
    return warns("agent", `not set up; its calls would be decided as ${agent}, enforced`, `conduct init ${name}`);
  if (hasNoRules(binding.agent))
    return warns("agent", `as ${agent}, which has no rules: nothing is ever blocked${who}`);
  if (enforcement === "enforce") return holds("agent", `as ${agent}, enforced${who}`);
  return warns("agent", `as ${agent}, shadow mode: nothing is blocked${who}`, `conduct enforce ${name}`);
}

async function checkFile(file: SettingsFile, again: string): Promise<Check> {
  return checked("settings", again, async () => {
    const [first, ...more] = file.faults(await readSettings(file.path));
    if (await isOpenSecret(file)) {
      return fails("settings", `other accounts can read the daemon's token in ${file.path}`, `chmod 600 ${file.path}`);
    }
    if (first === undefined) return holds("settings", `${file.path} points to this Conduct`);
    return fails("settings", `${file.path}: ${first}${more.length === 0 ? "" : ` (and ${more.length} more)`}`, again);
  });
}

/** Checks other settings that can override Conduct's. */
async function checkSurroundings(runtime: InstallableRuntime, world: DoctorWorld): Promise<readonly Check[]> {
  const { env, cwd } = world;
  if (runtime.name === "codex")
    return [await checked("trusted", "conduct init codex --trust", () => checkTrust(runtime, world))];
  if (runtime.name === "claude-code") return [...(await switchedOff(cwd)), ...proxied(env)];
  return [];
}

async function checkTrust({ program }: InstallableRuntime, world: DoctorWorld): Promise<Check> {
  const path = world.find(program);
  if (path === undefined) return warns("trusted", "codex is not on the PATH, so its trust cannot be checked");
  const { bound, hooks, faults } = await world.codexTrust(codexFolder(world.env), world.cwd, path);
  if (bound) return holds("trusted", `Codex trusts and runs ${hooks.length} hooks`);
  return fails("trusted", faults[0] ?? "Codex does not run Conduct's hooks", "conduct init codex --trust");
}

/** A repository may disable every hook silently. */
async function switchedOff(cwd: string): Promise<readonly Check[]> {
  const found: Check[] = [];
  for (const name of ["settings.json", "settings.local.json"]) {
    const path = join(cwd, ".claude", name);
    const text = await readSettings(path).catch(() => undefined);
    if (parseObject(text ?? "")?.disableAllHooks !== true) continue;
    found.push(
      fails("hooks", `${path} has disableAllHooks: no rule applies in this project`, `remove it from ${path}`),
    );
  }
  return found;
}

function proxied(env: NodeJS.ProcessEnv): readonly Check[] {
  const proxy = env.HTTP_PROXY || env.http_proxy;
  const without = `${env.NO_PROXY ?? ""},${env.no_proxy ?? ""}`;
  if (!proxy || /(^|,)\s*(127\.0\.0\.1|\*)/.test(without)) return [];
  const text = "HTTP_PROXY is set: Claude Code sends its hooks to the proxy, and everything is blocked";
  return [fails("proxy", text, "export NO_PROXY=127.0.0.1")];
}

/** Probes with a forbidden call over the path of the runtime's hooks. */
async function checkProbe(
  runtime: InstallableRuntime,
  files: readonly SettingsFile[],
  { env, home, cwd }: DoctorWorld,
  journal: EventJournal | undefined,
): Promise<Check> {
  if (journal === undefined) return warns("self-test", "skipped: there is no store yet");
  const { denied, as } = await probeRuntime(runtime, { env, home, cwd, files }, journal);
  const way = /^(?:claude-code|codex|gemini|copilot|cursor)$/.test(runtime.name) ? "its installed hook" : "its plugin";
  return checkEnd(runtime, { home, cwd }, { letThrough: !denied, as }, { way, fix: "conduct daemon status" });
}
