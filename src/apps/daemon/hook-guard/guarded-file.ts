import { basename } from "node:path";
import { isSameJson } from "../../../base/kernel/canonical-json.ts";
import { asList, asObject, isObject, parseObject } from "../../../base/kernel/json.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";
import {
  type ClaudeCodeSettings,
  isConductHook,
  mergeClaudeCodeSettings,
  removeFromClaudeCodeSettings,
} from "../../../edge/adapters/claude-code/settings.ts";
import { editJson5 } from "../../install/json5/edit-json5.ts";
import { parseJson5 } from "../../install/json5/parse-json5.ts";
import { codexConfig, codexHooks, missingHooks } from "./codex-settings.ts";
import { cursorHooksFile } from "./cursor-hooks.ts";
import { geminiProject, geminiSettings } from "./gemini-settings.ts";

const OFF = "disableAllHooks is true: Claude Code runs no hook";

/** The settings file with the hooks of `conduct init claude-code`. */
export const claudeSettings: GuardedKind = {
  has: (text) => Object.keys(oursIn(read(text ?? "") ?? {}).hooks).length > 0,
  off(text, good) {
    if (text === undefined) return "the file is gone";
    const settings = read(text);
    if (settings === undefined) return "it is no longer a JSON object, so Claude Code ignores it";
    if (settings.disableAllHooks === true) return OFF;
    return missingHooks(settings, { ...oursIn(read(good) ?? {}).hooks } as unknown as Parameters<
      typeof missingHooks
    >[1]);
  },
  restore(text, good) {
    if (text === undefined || read(text) === undefined) return good;
    try {
      const ours = oursIn(read(good) ?? {});
      return withoutOff(mergeClaudeCodeSettings(removeFromClaudeCodeSettings(text), ours));
    } catch {
      // A malformed hook entry: fall back to the last good file.
      return good;
    }
  },
};

/** A project's own settings, where one key switches every hook off. */
export const claudeProject: GuardedKind = {
  has: () => true,
  off: (text) => (read(text ?? "")?.disableAllHooks === true ? OFF : undefined),
  restore: (text) => withoutOff(text ?? ""),
};

/** Conduct's hooks in a file, whichever version wrote them. */
function oursIn(settings: JsonObject): ClaudeCodeSettings {
  const hooks = Object.entries(asObject(settings.hooks)).flatMap(([event, groups]) => {
    const ours = asList(groups).flatMap((group): readonly Json[] => {
      if (!isObject(group)) return [];
      const own = asList(group.hooks).filter(isConductHook);
      return own.length === 0 ? [] : [{ ...group, hooks: own }];
    });
    return ours.length === 0 ? [] : [[event, ours] as const];
  });
  return { hooks: Object.fromEntries(hooks) } as unknown as ClaudeCodeSettings;
}

/** Removes the key and leaves the rest of the text unchanged, including line breaks and order. */
function withoutOff(text: string): string {
  if (read(text)?.disableAllHooks !== true) return text;
  const cut = text.replace(/\s*"disableAllHooks"\s*:\s*true\s*,|,?\s*"disableAllHooks"\s*:\s*true(?=\s*\})/, "");
  if (read(cut) !== undefined && read(cut)?.disableAllHooks !== true) return cut;
  const { disableAllHooks: _, ...rest } = read(text) ?? {};
  return `${JSON.stringify(rest, null, 2)}\n`;
}

function read(text: string): JsonObject | undefined {
  const plain = text.replace(/^\uFEFF/, "");
  return plain.trim() === "" ? {} : parseObject(plain);
}

const ID = "conduct";

/** Compared as JSON, which has no `undefined`. */
function withoutUndefined(value: object): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject;
}

function readJson5(text: string): JsonObject | undefined {
  try {
    const { value } = parseJson5(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The files of Conduct's own plugin folder. */
const OPENCLAW_PLUGIN_FILES = ["openclaw.plugin.json", "index.ts"];

/** `openclaw.json`, which is JSON5. A file that cannot be read is only reported. */
export const openclawConfig: GuardedKind = {
  has: (text) => pluginsOf(readJson5(text ?? "") ?? {}).entry !== undefined,
  off(text, good) {
    if (text === undefined) return "the file is gone";
    const config = readJson5(text);
    if (config === undefined) return "it is no longer valid JSON5, so OpenClaw cannot read it";
    const [is, was] = [pluginsOf(config), pluginsOf(readJson5(good) ?? {})];
    if (is.enabled === false) return "plugins.enabled is false: OpenClaw loads no plugin";
    if (is.deny.includes(ID)) return "plugins.deny names conduct";
    if (is.allow.length > 0 && !is.allow.includes(ID)) return "plugins.allow does not name conduct";
    if (!isSameJson(is.entry, was.entry)) return "the entry of Conduct's plugin is missing or changed";
    if (was.paths.some((path) => !is.paths.includes(path))) return "the path of Conduct's plugin is missing";
    return undefined;
  },
  restore(text, good) {
    if (text === undefined) return good;
    const config = readJson5(text);
    if (config === undefined) return undefined;
    const [is, was] = [pluginsOf(config), pluginsOf(readJson5(good) ?? {})];
    const plugins = asObject(config.plugins);
    const deny = is.deny.filter((name) => name !== ID);
    const whole = {
      ...config,
      plugins: {
        ...plugins,
        enabled: is.enabled === false ? undefined : is.enabled,
        deny: deny.length === 0 ? undefined : deny,
        allow: is.allow.length === 0 ? undefined : [...new Set([...is.allow, ID])],
        load: { ...asObject(plugins.load), paths: [...new Set([...is.paths, ...was.paths])] },
        entries: { ...asObject(plugins.entries), [ID]: was.entry },
      },
    };
    return editJson5(text, withoutUndefined(whole));
  },
};

function pluginsOf(config: JsonObject) {
  const plugins = asObject(config.plugins);
  return {
    enabled: plugins.enabled,
    deny: asList(plugins.deny),
    allow: asList(plugins.allow),
    paths: asList(asObject(plugins.load).paths),
    entry: asObject(plugins.entries)[ID],
  };
}

/** How one kind of settings file is checked and repaired. `good` is the last text with complete hooks. */
export type GuardedKind = {
  /** Whether the file contains anything of Conduct's. */
  has(text: string | undefined): boolean;
  /** Why the runtime would not run Conduct's hooks with this text; `undefined` if it would. */
  off(text: string | undefined, good: string): string | undefined;
  /** Returns the text with the hooks restored and all else unchanged; `undefined` if that is impossible. */
  restore(text: string | undefined, good: string): string | undefined;
};

/** A plugin or extension that belongs to Conduct as a whole. */
const wholeFile: GuardedKind = {
  has: (text) => text !== undefined,
  off(text, good) {
    if (text === good) return undefined;
    return text === undefined ? "the file is gone" : "the file was changed";
  },
  restore: (_text, good) => good,
};

/** `CONDUCT_HOME/bin/conduct`. Starting another installation of Conduct is not tampering. */
const launcher: GuardedKind = {
  has: (text) => text !== undefined,
  off(text, good) {
    if (text === undefined) return "the file is gone";
    return withoutPlace(text) === withoutPlace(good) ? undefined : "the file was changed";
  },
  restore: (_text, good) => good,
};

/** The script without the paths of Node and the program; only a `conduct.mjs` counts as the program. */
function withoutPlace(script: string): string {
  const node = /^node=(.*)$/m.exec(script)?.[1];
  const program = /^program=(.*conduct\.mjs.?)$/m.exec(script)?.[1];
  const bare = (path: string) => path.replace(/^'|'$/g, "");
  return [program, node].reduce<string>(
    (text, path) => (path === undefined || bare(path) === "" ? text : text.replaceAll(bare(path), "…")),
    script,
  );
}

/** The runtime name of `CONDUCT_HOME/bin/conduct` in the setup record; the hooks of every runtime start it. */
export const LAUNCHER = "launcher";

/**
 * `undefined` for files that cannot switch hooks off: `.claude.json` only lists our tools, and Claude Code rewrites
 * it; `conduct.yaml`, which the first `conduct init` writes, is the person's to edit.
 */
export function guardedKind(runtime: string, path: string): GuardedKind | undefined {
  const name = basename(path);
  if (name === "conduct.yaml") return undefined;
  switch (runtime) {
    case "claude-code":
      return name.startsWith("settings") ? claudeSettings : undefined;
    case "codex":
      return name === "hooks.json" ? codexHooks : name === "config.toml" ? codexConfig : undefined;
    case "copilot":
      return name === "conduct.json" ? wholeFile : undefined;
    case "cursor":
      return cursorHooksFile;
    case "gemini":
      return geminiSettings;
    case "openclaw":
      return OPENCLAW_PLUGIN_FILES.includes(name) ? wholeFile : openclawConfig;
    case LAUNCHER:
      return launcher;
    case "opencode":
    case "pi":
      return wholeFile;
    default:
      return undefined;
  }
}

/** Project files that can switch a runtime's hooks off although Conduct never wrote them. */
export function projectSwitches(runtime: string): readonly { readonly path: string; readonly kind: GuardedKind }[] {
  if (runtime === "claude-code") {
    return [".claude/settings.json", ".claude/settings.local.json"].map((path) => ({ path, kind: claudeProject }));
  }
  if (runtime === "gemini") return [{ path: ".gemini/settings.json", kind: geminiProject }];
  return runtime === "codex" ? [{ path: ".codex/config.toml", kind: codexConfig }] : [];
}

/**
 * A change of a file that Conduct depends on by anything but its own commands, or a pause by a person (`paused`).
 * `restored`: reverted. `reported`: left unchanged. `given-up`: something keeps reverting the repair.
 */
export type GuardReport = {
  readonly code: "hooks-removed" | "hooks-silent" | "pause-forged" | "setup-changed" | "config-changed" | "paused";
  readonly runtime?: string;
  /** The file; for `hooks-silent` the session. */
  readonly where: string;
  readonly outcome: "restored" | "reported" | "given-up";
  /** One or two sentences for a person: what happened and what to do. */
  readonly message: string;
};

export function hooksRemoved(
  runtime: string,
  where: string,
  why: string,
  outcome: GuardReport["outcome"],
  fault?: string,
): GuardReport {
  // The hooks of all runtimes use the launcher, so it belongs to none of them.
  if (runtime === LAUNCHER) return setupChanged(where, why, outcome, "Check it with: conduct doctor");
  const what = `Conduct's hooks for ${runtime} were switched off in ${where}: ${why}.`;
  const undo = `To remove Conduct, run: conduct init ${runtime} --undo`;
  const again = `If that was not you, run: conduct init ${runtime}`;
  const becauseOf = fault === undefined ? "" : ` They cannot be restored: ${fault}.`;
  const message = {
    restored: `${what} They were restored immediately. ${undo}`,
    reported: `${what}${becauseOf} ${again}. ${undo}`,
    "given-up": `${what} Something keeps removing them, so Conduct has stopped restoring them. Find the cause. ${again}`,
  }[outcome];
  return { code: "hooks-removed", runtime, where, outcome, message };
}

export function setupChanged(where: string, what: string, outcome: GuardReport["outcome"], fix: string): GuardReport {
  const done = outcome === "restored" ? " It was restored immediately." : "";
  const message = `${where} was changed by something other than Conduct: ${what}.${done} ${fix}`;
  return { code: "setup-changed", where, outcome, message };
}

/** Drops the oldest entries of a map or set until it has at most `most`. */
export function dropOldest(entries: Map<string, unknown> | Set<string>, most: number): void {
  for (const oldest of entries.keys()) {
    if (entries.size <= most) return;
    entries.delete(oldest);
  }
}
