import { errorText } from "../../../base/kernel/error-text.ts";
import { isObject } from "../../../base/kernel/json.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";
import { type ClaudeCodeSettings, isConductHook } from "./settings.ts";

/**
 * The text of `settings.json` with our hooks in it, after those that are there. Older ones of ours are replaced, so that
 * doing it twice changes nothing. Throws, with a sentence, for a text that Claude Code would not read either.
 */
export function mergeClaudeCodeSettings(text: string, ours: ClaudeCodeSettings): string {
  const settings = parse(text);
  const there = Object.entries(hooksOf(without(settings))).filter(([, groups]) => listOf(groups).length > 0);
  const hooks = new Map(there);
  for (const [event, groups] of Object.entries(ours.hooks)) {
    hooks.set(event, [...listOf(hooks.get(event)), ...groups] as Json);
  }
  return write({ ...settings, hooks: Object.fromEntries(hooks) }, text);
}

/** The text without our hooks; the very same text when there are none. An event that is left with none is left out. */
export function removeFromClaudeCodeSettings(text: string): string {
  const settings = parse(text);
  return has(settings) ? write(without(settings), text) : text;
}

/** Why Claude Code, with these settings, does not run every hook of ours as it should be; empty when it does. */
export function claudeCodeSettingsFaults(text: string, ours: ClaudeCodeSettings): readonly string[] {
  let settings: JsonObject;
  try {
    settings = parse(text);
  } catch (error) {
    return [errorText(error)];
  }
  const off = settings.disableAllHooks === true ? ["disableAllHooks is true: no hook runs"] : [];
  const hooks = hooksOf(settings);
  const faults = Object.entries(ours.hooks).flatMap(([event, groups]) => {
    const there = listOf(hooks[event]).map((group) => JSON.stringify(group));
    const missing = groups.filter((group) => !there.includes(JSON.stringify(group)));
    return missing.length === 0 ? [] : [`${event}: Conduct's hook is missing, or not as this version needs it`];
  });
  return [...off, ...faults];
}

function parse(text: string): JsonObject {
  const plain = text.replace(/^\uFEFF/, "");
  if (plain.trim() === "") return {};
  let value: unknown;
  try {
    value = JSON.parse(plain);
  } catch (error) {
    throw new Error(`it is no JSON, and Claude Code ignores all of it: ${errorText(error)}`);
  }
  if (!isObject(value)) throw new Error("it holds no JSON object");
  for (const [event, groups] of Object.entries(hooksOf(value))) {
    if (!Array.isArray(groups)) throw new Error(`hooks.${event} is no list`);
  }
  return value;
}

function hooksOf({ hooks }: JsonObject): JsonObject {
  if (hooks === undefined) return {};
  if (!isObject(hooks)) throw new Error("hooks is no object");
  return hooks;
}

function has(settings: JsonObject): boolean {
  return Object.values(hooksOf(settings)).some((groups) =>
    listOf(groups).some((group) => isObject(group) && listOf(group.hooks).some(isConductHook)),
  );
}

function without(settings: JsonObject): JsonObject {
  if (!has(settings)) return settings;
  const hooks = Object.entries(hooksOf(settings)).flatMap(([event, groups]) => {
    const left = listOf(groups).flatMap(withoutOurs);
    return left.length === 0 ? [] : [[event, left] as const];
  });
  const { hooks: _, ...others } = settings;
  return hooks.length === 0 ? others : { ...settings, hooks: Object.fromEntries(hooks) };
}

function withoutOurs(group: Json): readonly Json[] {
  if (!isObject(group) || !listOf(group.hooks).some(isConductHook)) return [group];
  const theirs = listOf(group.hooks).filter((hook) => !isConductHook(hook));
  return theirs.length === 0 ? [] : [{ ...group, hooks: theirs }];
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

/** Indented as the text was; two spaces when that cannot be told. */
function write(settings: JsonObject, before: string): string {
  const indent = /^[[{]\s*?\n([ \t]+)\S/.exec(before.replace(/^\uFEFF/, ""))?.[1] ?? "  ";
  const end = before === "" || /\n\s*$/.test(before) ? "\n" : "";
  return `${before.startsWith("\uFEFF") ? "\uFEFF" : ""}${JSON.stringify(settings, null, indent)}${end}`;
}
