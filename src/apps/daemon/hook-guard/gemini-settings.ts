import { asObject, isObject } from "../../../base/kernel/json.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import { switchedOff } from "../../install/hooks/gemini.ts";
import { withHookGroups } from "../../install/hooks/hook-groups.ts";
import { readJson5Object, writeJson5 } from "../../install/json5/json5-file.ts";
import { missingHooks, oursIn } from "./codex-settings.ts";
import type { GuardedKind } from "./guarded-file.ts";

/** `~/.gemini/settings.json`, which is JSON with comments. A file that cannot be read is only reported. */
export const geminiSettings: GuardedKind = {
  has: (text) => Object.keys(oursIn(read(text) ?? {})).length > 0,
  off(text, good) {
    if (text === undefined) return "the file is gone";
    const settings = read(text);
    if (settings === undefined) return "it is no longer valid JSON, so Gemini CLI cannot read it";
    return switchedOff(settings) ?? missingHooks(settings, oursIn(read(good) ?? {}));
  },
  restore(text, good) {
    if (text === undefined) return good;
    const settings = read(text);
    if (settings === undefined) return undefined;
    const hooks = withHookGroups(asObject(settings.hooks), oursIn(read(good) ?? {}));
    return writeJson5(text, { ...withoutOff(settings), hooks });
  },
};

/** A project's settings, which can switch every hook off. */
export const geminiProject: GuardedKind = {
  has: () => true,
  off: (text) => switchedOff(read(text) ?? {}),
  restore: (text = "") => writeJson5(text, withoutOff(read(text) ?? {})),
};

function withoutOff(settings: JsonObject): JsonObject {
  if (switchedOff(settings) === undefined) return settings;
  const { hooksConfig: _, ...rest } = settings;
  const { enabled: __, disabled, ...others } = asObject(settings.hooksConfig);
  const left = Array.isArray(disabled) ? disabled.filter((name) => name !== "conduct") : [];
  const config = { ...others, ...(left.length === 0 ? {} : { disabled: left }) };
  return Object.keys(config).length === 0 ? rest : { ...rest, hooksConfig: config };
}

function read(text: string | undefined): JsonObject | undefined {
  const found = readJson5Object(text);
  return "value" in found && isObject(found.value) ? found.value : undefined;
}
