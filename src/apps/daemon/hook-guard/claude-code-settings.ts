import { asList, asObject, isObject, parseObject } from "../../../base/kernel/json.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";
import {
  type ClaudeCodeSettings,
  isConductHook,
  mergeClaudeCodeSettings,
  removeFromClaudeCodeSettings,
} from "../../../edge/adapters/claude-code/settings.ts";
import type { GuardedKind } from "./guarded-file.ts";

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
