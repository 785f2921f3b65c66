import { asString, isObject } from "../../base/kernel/json.ts";

/** What a plugin file of ours says about where Conduct is. */
export type PluginFileSettings = {
  /** Conduct's folder; that of the environment unless given. It names the module to load, which changes with every installation. */
  readonly home?: string;
  /** The module itself, for programs that have no such folder. */
  readonly plugin?: string;
};

/** All that stands in the one line of settings. */
export type WrittenSettings = PluginFileSettings & { readonly runtime: string; readonly options: object };

/**
 * JavaScript that stands in the plugin file of a runtime, after its first line. It needs nothing of Conduct, so that the file can
 * apply the failure rule when Conduct cannot be loaded: `isWatched()`, `warnOnce(why)` and `blockedText(why)`.
 */
export function pluginFileText(firstLine: string, settings: WrittenSettings, body: string): string {
  return `${firstLine}
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
const loadConduct = async () => {
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

/** The settings that stand in a plugin file; `undefined` when there are none that can be read. */
export function readPluginSettings(text: string): WrittenSettings | undefined {
  const written = /^const settings = (\{[^\n]*\});$/m.exec(text)?.[1];
  if (written === undefined) return undefined;
  try {
    const { runtime, home, plugin, options } = JSON.parse(written);
    return {
      ...(typeof home === "string" ? { home } : {}),
      ...(typeof plugin === "string" ? { plugin } : {}),
      runtime: asString(runtime),
      options: isObject(options) ? options : {},
    };
  } catch {
    return undefined;
  }
}
