import { asObject, asString, parseObject } from "../../../base/kernel/json.ts";

export type PluginFileSettings = {
  /** Conduct's folder; by default the environment's. It names the module to load, which changes with every installation. */
  readonly home?: string;
  /** The module itself, for programs without such a folder. */
  readonly plugin?: string;
};

/** The one line of settings in a plugin file. */
export type WrittenSettings = PluginFileSettings & { readonly runtime: string; readonly options: object };

/**
 * The text of a runtime's plugin file. The file imports nothing of Conduct, so that it can apply the failure rule when
 * Conduct cannot be loaded: `body` can use `isWatched()`, `warnOnce(why)` and `blockedText(why)`.
 */
export function pluginFileText(firstLine: string, settings: WrittenSettings, body: string): string {
  return `${firstLine}
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";

const settings = ${JSON.stringify(settings)};
const home = settings.home ?? (process.env.CONDUCT_HOME || homedir() + "/.conduct");
const readText = (name) => {
  try {
    return readFileSync(home + "/" + name, "utf8");
  } catch {
    return "";
  }
};
const readJson = (name) => {
  try {
    return JSON.parse(readText(name));
  } catch {
    return undefined;
  }
};
const modulePath = () => settings.plugin ?? readJson("bin/installation.json")?.plugins?.[settings.runtime];
/** The launcher finds a package that was moved, and its daemon then corrects bin/installation.json. */
const findAgain = () => {
  if (settings.plugin !== undefined || existsSync(String(modulePath()))) return;
  const env = { ...process.env, CONDUCT_HOME: home };
  spawnSync(home + "/bin/conduct", ["daemon", "start"], { env, stdio: "ignore", timeout: 20_000 });
};
const loadConduct = async () => {
  findAgain();
  const path = modulePath();
  if (typeof path !== "string") throw new Error(home + "/bin/installation.json does not name it");
  return import(path);
};
const whyMissing = (error) => {
  const path = modulePath();
  if (typeof path === "string" && !existsSync(path)) return "Conduct is not where it was installed (" + path + ").";
  return "Conduct cannot be loaded (" + String(error?.message ?? error).split("\\n")[0] + ").";
};
/** In doubt it is enforced. */
const isWatched = () => readJson("runtimes.json")?.[settings.runtime]?.enforcement === "shadow";
const repair = "Install Conduct again, then run: conduct init " + settings.runtime;
/** The warning, once an hour; undefined when it was given already. */
const warnOnce = (why) => {
  const hour = new Date().toISOString().slice(0, 13).replace(/\\D/g, "");
  if (readText("bin/.warned-" + settings.runtime).trim() === hour) return undefined;
  try {
    mkdirSync(home + "/bin", { recursive: true, mode: 0o700 });
    writeFileSync(home + "/bin/.warned-" + settings.runtime, hour + "\\n", { mode: 0o600 });
  } catch {}
  return why + " " + settings.runtime + " is only watched, so nothing is blocked and nothing is recorded. " + repair;
};
const blockedText = (why) =>
  why + " Everything is blocked because " + settings.runtime + " is enforced. " + repair + " (to remove it by hand: " + home + "/bin/README)";

${body}`;
}

/** The settings in a plugin file; `undefined` if it has no readable ones. */
export function readPluginSettings(text: string): WrittenSettings | undefined {
  const written = parseObject(/^const settings = (\{[^\n]*\});$/m.exec(text)?.[1] ?? "");
  if (written === undefined) return undefined;
  const { runtime, home, plugin, options } = written;
  return {
    runtime: asString(runtime),
    home: typeof home === "string" ? home : undefined,
    plugin: typeof plugin === "string" ? plugin : undefined,
    options: asObject(options),
  };
}

/** The change of a plugin file. `refuse`: the file is not ours and stays unchanged. */
export type PluginChange =
  | { readonly kind: "write"; readonly text: string }
  | { readonly kind: "delete" }
  | { readonly kind: "none" }
  | { readonly kind: "refuse"; readonly why: string };

/** The change from `text` to `wanted`; `undefined` means no file. */
export function pluginChange(
  text: string | undefined,
  wanted: string | undefined,
  isOurs: (text: string) => boolean,
): PluginChange {
  if (text === wanted) return { kind: "none" };
  if (text !== undefined && !isOurs(text)) return { kind: "refuse", why: FOREIGN };
  return wanted === undefined ? { kind: "delete" } : { kind: "write", text: wanted };
}

const FOREIGN =
  "the file exists and was not written by Conduct, or was changed since: move it away, or remove it by hand";
