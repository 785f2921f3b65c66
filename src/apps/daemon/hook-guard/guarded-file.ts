import { basename } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { asList, asObject, isObject, parseObject } from "../../../base/kernel/json.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";
import {
  mergeClaudeCodeSettings,
  removeFromClaudeCodeSettings,
} from "../../../edge/adapters/claude-code/merge-settings.ts";
import { type ClaudeCodeSettings, isConductHook } from "../../../edge/adapters/claude-code/settings.ts";
import { codexConfig, codexHooks } from "./codex-settings.ts";

const OFF = "disableAllHooks is true: Claude Code runs no hook";

/** The file that `conduct init claude-code` put its hooks into. */
export const claudeSettings: GuardedKind = {
  has: (text) => Object.keys(oursIn(read(text ?? "") ?? {}).hooks).length > 0,
  off(text, good) {
    if (text === undefined) return "the file is gone";
    const settings = read(text);
    if (settings === undefined) return "it is not a JSON object any more: Claude Code ignores all of it";
    if (settings.disableAllHooks === true) return OFF;
    const missing = missingEvents(settings, oursIn(read(good) ?? {}));
    if (missing.length === 0) return undefined;
    return `Conduct's hooks are missing or changed at ${missing.join(", ")}`;
  },
  restore(text, good) {
    if (text === undefined || read(text) === undefined) return good;
    try {
      const ours = oursIn(read(good) ?? {});
      return withoutOff(mergeClaudeCodeSettings(removeFromClaudeCodeSettings(text), ours));
    } catch {
      // A hook entry of an odd shape: the last good file is better than none.
      return good;
    }
  },
};

/** A project's own settings: one key in them switches every hook off. */
export const claudeProject: GuardedKind = {
  has: () => true,
  off: (text) => (read(text ?? "")?.disableAllHooks === true ? OFF : undefined),
  restore: (text) => withoutOff(text ?? ""),
};

function missingEvents(settings: JsonObject, { hooks }: ClaudeCodeSettings): readonly string[] {
  const there = asObject(settings.hooks);
  return Object.entries(hooks).flatMap(([event, groups]) => {
    const found = new Set(asList(there[event]).map((group) => JSON.stringify(group)));
    return groups.every((group) => found.has(JSON.stringify(group))) ? [] : [event];
  });
}

/** Conduct's hooks as a file has them, whatever version wrote them. */
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

/** Takes the key out and leaves the rest of the text, line breaks and order included, as it was. */
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

/** `openclaw.json`. One with comments cannot be rewritten without losing them: a change there is reported and left. */
export const openclawConfig: GuardedKind = {
  has: (text) => pluginsOf(parseObject(text ?? "") ?? {}).entry !== undefined,
  off(text, good) {
    if (text === undefined) return "the file is gone";
    const config = parseObject(text);
    if (config === undefined)
      return "it is not plain JSON any more, so Conduct cannot tell whether its plugin is loaded";
    const [is, was] = [pluginsOf(config), pluginsOf(parseObject(good) ?? {})];
    if (is.enabled === false) return "plugins.enabled is false: OpenClaw loads no plugin";
    if (is.deny.includes(ID)) return "plugins.deny names conduct";
    if (is.allow.length > 0 && !is.allow.includes(ID)) return "plugins.allow does not name conduct";
    if (!isDeepStrictEqual(is.entry, was.entry)) return "the entry of Conduct's plugin is missing or changed";
    if (was.paths.some((path) => !is.paths.includes(path))) return "the path of Conduct's plugin is missing";
    return undefined;
  },
  restore(text, good) {
    if (text === undefined) return good;
    const config = parseObject(text);
    if (config === undefined) return undefined;
    const [is, was] = [pluginsOf(config), pluginsOf(parseObject(good) ?? {})];
    const plugins = asObject(config.plugins);
    const { enabled: _enabled, deny: _deny, ...rest } = plugins;
    const deny = is.deny.filter((name) => name !== ID);
    const whole = {
      ...config,
      plugins: {
        ...rest,
        ...(is.enabled === false ? {} : { enabled: is.enabled }),
        ...(deny.length === 0 ? {} : { deny }),
        ...(is.allow.length === 0 ? {} : { allow: [...new Set([...is.allow, ID])] }),
        load: { ...asObject(plugins.load), paths: [...new Set([...is.paths, ...was.paths])] },
        entries: { ...asObject(plugins.entries), [ID]: was.entry },
      },
    };
    return `${JSON.stringify(whole, null, 2)}\n`;
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

/** How one kind of settings file is checked and repaired. `good` is the file as it was when Conduct's hooks were whole. */
export type GuardedKind = {
  /** Is anything of Conduct's in it at all? */
  has(text: string | undefined): boolean;
  /** Why the runtime does not run Conduct's hooks with this text; `undefined` when it does. */
  off(text: string | undefined, good: string): string | undefined;
  /** The text with the hooks back in it and everything else kept; `undefined` when that cannot be done. */
  restore(text: string | undefined, good: string): string | undefined;
};

/** A plugin or an extension: the whole file is Conduct's. */
const wholeFile: GuardedKind = {
  has: (text) => text !== undefined,
  off(text, good) {
    if (text === good) return undefined;
    return text === undefined ? "the file is gone" : "the file was changed";
  },
  restore: (_text, good) => good,
};

/** `CONDUCT_HOME/bin/conduct`. That it starts another installation of Conduct is no tampering. */
const launcher: GuardedKind = {
  has: (text) => text !== undefined,
  off(text, good) {
    if (text === undefined) return "the file is gone";
    return withoutPlace(text) === withoutPlace(good) ? undefined : "the file was changed";
  },
  restore: (_text, good) => good,
};

/** The script without the paths of the Node and the program that it starts; only a `conduct.mjs` counts as one. */
function withoutPlace(script: string): string {
  const node = /^node=(.*)$/m.exec(script)?.[1];
  const program = /^program=(.*conduct\.mjs.?)$/m.exec(script)?.[1];
  const bare = (path: string) => path.replace(/^'|'$/g, "");
  return [program, node].reduce<string>(
    (text, path) => (path === undefined || bare(path) === "" ? text : text.replaceAll(bare(path), "…")),
    script,
  );
}

/** Stands for a runtime in the setup record: `CONDUCT_HOME/bin/conduct`, which hooks of every runtime start. */
export const LAUNCHER = "launcher";

/** `undefined` for a file that switches nothing off: `.claude.json` has tools of ours and no hook, and Claude Code rewrites it. */
export function guardedKind(runtime: string, path: string): GuardedKind | undefined {
  const name = basename(path);
  switch (runtime) {
    case "claude-code":
      return name.startsWith("settings") ? claudeSettings : undefined;
    case "codex":
      return name === "hooks.json" ? codexHooks : name === "config.toml" ? codexConfig : undefined;
    case "openclaw":
      return openclawConfig;
    case LAUNCHER:
      return launcher;
    case "opencode":
    case "pi":
      return wholeFile;
    default:
      return undefined;
  }
}

/** Files of a project that can switch a runtime's hooks off although Conduct never wrote them. */
export function projectSwitches(runtime: string): readonly { readonly path: string; readonly kind: GuardedKind }[] {
  if (runtime === "claude-code") {
    return [".claude/settings.json", ".claude/settings.local.json"].map((path) => ({ path, kind: claudeProject }));
  }
  return runtime === "codex" ? [{ path: ".codex/config.toml", kind: codexConfig }] : [];
}
