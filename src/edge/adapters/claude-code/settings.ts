import {
  checkOptions,
  mapOf,
  number,
  oneOf,
  optional,
  type ShapesOf,
  text,
} from "../../../base/kernel/check-options.ts";
import { errorText } from "../../../base/kernel/error-text.ts";
import { asList, isObject } from "../../../base/kernel/json.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";
import { guarded } from "../shared/hooks/guarded-command.ts";
import { EVENTS, type EventName } from "./events.ts";
import { PARTS } from "./split-text.ts";

/** The timeout of a call's hook; a person may have to be asked in that time. */
export const CALL_SECONDS = 150;

/** A hook's timeout, and whether a failure blocks its event. A stop always passes. */
type Registered = { readonly seconds: number; readonly blocks: boolean; readonly parts?: number };

const HOOKS: { readonly [E in Exclude<EventName, "SessionStart">]: Registered } = {
  UserPromptSubmit: { seconds: 60, blocks: true, parts: PARTS },
  PreToolUse: { seconds: CALL_SECONDS, blocks: true },
  PostToolUse: { seconds: 60, blocks: true },
  // If one of these fails, nothing is proven: calls that need proof are denied with a reason.
  PostToolUseFailure: { seconds: 60, blocks: false },
  PostToolBatch: { seconds: 60, blocks: false },
  PermissionDenied: { seconds: 15, blocks: false },
  PreCompact: { seconds: 15, blocks: false },
  PostCompact: { seconds: 15, blocks: false },
  SubagentStart: { seconds: 60, blocks: true, parts: PARTS },
  SubagentStop: { seconds: 15, blocks: false },
  Stop: { seconds: 130, blocks: true },
  SessionEnd: { seconds: 5, blocks: false },
};
const START_SECONDS = 60;
/** The timeout in shadow mode, where nothing is blocked. A stop may run the project's tests. */
const WATCHED_SECONDS = 10;
const WATCHED_STOP_SECONDS = 30;

export type ClaudeCodeSettings = { readonly hooks: { readonly [event: string]: readonly HookGroup[] } };
type HookGroup = { readonly matcher?: string; readonly hooks: readonly JsonObject[] };

export type SettingsOptions = {
  /** The daemon's address for these hooks: `http://127.0.0.1:PORT/hooks/claude-code`. */
  readonly url: string;
  readonly token: string;
  /** The shell command for `startCommand` of this folder: `conduct hook claude-code`. */
  readonly startCommand: string;
  /** On Windows `powershell`, for which `startCommand` is then written. Default: Claude Code's own choice. */
  readonly shell?: "powershell";
  /** In `shadow` a failing hook blocks nothing and has a short timeout. Default: `enforce`. */
  readonly enforcement?: "enforce" | "shadow";
  /** Overrides of the default timeouts, in seconds. */
  readonly seconds?: { readonly [E in EventName]?: number };
};

/**
 * Claude Code shows the URL of a failing hook, and of one that refuses a stop, to the person or the model. The
 * fragment therefore says what to do, and offers the model no way out. A fragment is never sent, and identifies our
 * hooks.
 */
const MARK = "#Conduct:if-this-is-all-you-see-a-person-can-run-conduct-doctor";
const MESSAGE_MARK = "#Conduct:if-this-is-all-you-see-send-it-again-or-run-conduct-doctor";
const COMMAND_MARK = " # conduct";

/** These headers report whether a person is present, from Claude Code's own environment. */
const WHERE = {
  "X-Conduct-Entrypoint": "$CLAUDE_CODE_ENTRYPOINT",
  "X-Conduct-Inside": "$CLAUDECODE",
} as const;

/**
 * The hooks for `settings.json`. SessionStart takes commands only: it starts the daemon. The first hook of a message
 * restarts a daemon that was stopped or has crashed. All others are HTTP.
 */
export function claudeCodeSettings(options: SettingsOptions): ClaudeCodeSettings {
  checkOptions("claudeCodeSettings", options, KEYS);
  const { url, token, startCommand, shell, enforcement = "enforce", seconds = {} } = options;
  const watched = enforcement === "shadow";
  const longest = (event: EventName) => (event === "Stop" ? WATCHED_STOP_SECONDS : WATCHED_SECONDS);
  const timeout = seconds.SessionStart ?? START_SECONDS;
  const command = (part?: number): JsonObject => {
    const words = `${startCommand}${part === undefined ? "" : ` --part ${part}`}`;
    if (shell === undefined) return { type: "command", command: `${words}${COMMAND_MARK}`, timeout };
    const guard = guarded(words, timeout, "block", watched ? "$true" : undefined, shell);
    return { type: "command", shell, command: `${guard}${COMMAND_MARK}`, timeout };
  };
  const post = (event: keyof typeof HOOKS, part: number): JsonObject => ({
    type: "http",
    url: `${url}${part === 1 ? "" : `?part=${part}`}${event === "UserPromptSubmit" ? MESSAGE_MARK : MARK}`,
    headers: { Authorization: `Bearer ${token}`, ...WHERE },
    allowedEnvVars: ["CLAUDE_CODE_ENTRYPOINT", "CLAUDECODE"],
    timeout: seconds[event] ?? Math.min(HOOKS[event].seconds, watched ? longest(event) : Number.POSITIVE_INFINITY),
    onFailure: HOOKS[event].blocks && !watched ? "block" : "continue",
  });
  const groupsOf = (event: EventName): readonly HookGroup[] => {
    if (event === "SessionStart") {
      return [{ hooks: [command()] }, { matcher: "compact", hooks: numbers(2, PARTS).map(command) }];
    }
    const posts = numbers(1, HOOKS[event].parts ?? 1).map((part) => post(event, part));
    return [{ hooks: event === "UserPromptSubmit" ? [...posts, command()] : posts }];
  };
  return { hooks: Object.fromEntries(EVENTS.map((event) => [event, groupsOf(event)])) };
}

/** Arguments of `claude` that register Conduct's own tools for every project of this user. */
export function claudeCodeMcpArguments({ url, token }: Pick<SettingsOptions, "url" | "token">): readonly string[] {
  const server = { type: "http", url, headers: { Authorization: `Bearer ${token}` }, alwaysLoad: true };
  return ["mcp", "add-json", "--scope", "user", "conduct", JSON.stringify(server)];
}

/** Recognises our hooks of every version. */
export function isConductHook(hook: unknown): boolean {
  if (typeof hook !== "object" || hook === null) return false;
  if ("url" in hook) return typeof hook.url === "string" && /\/hooks\/claude-code(\?[^#]*)?#/.test(hook.url);
  return "command" in hook && typeof hook.command === "string" && hook.command.endsWith(COMMAND_MARK);
}

function numbers(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from + 1 }, (_, at) => from + at);
}

const KEYS: ShapesOf<SettingsOptions> = {
  url: text,
  token: text,
  startCommand: text,
  shell: optional(oneOf("powershell")),
  enforcement: optional(oneOf("enforce", "shadow")),
  seconds: optional(mapOf(number)),
};

/**
 * Adds our hooks to the text of `settings.json`, after existing ones. Replaces older ones of ours, so it is
 * idempotent. Throws, with a sentence, for a text that Claude Code would not read either.
 */
export function mergeClaudeCodeSettings(text: string, ours: ClaudeCodeSettings): string {
  const settings = parse(text);
  const there = Object.entries(hooksOf(without(settings))).filter(([, groups]) => asList(groups).length > 0);
  const hooks = new Map(there);
  for (const [event, groups] of Object.entries(ours.hooks)) {
    hooks.set(event, [...asList(hooks.get(event)), ...groups] as Json);
  }
  return write({ ...settings, hooks: Object.fromEntries(hooks) }, text);
}

/** Removes our hooks; returns the very same text if there are none. Events without any hook left are removed. */
export function removeFromClaudeCodeSettings(text: string): string {
  const settings = parse(text);
  return has(settings) ? write(without(settings), text) : text;
}

/** Why Claude Code would not run every hook of ours with these settings; empty if it would. */
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
    const there = asList(hooks[event]).map((group) => JSON.stringify(group));
    const missing = groups.filter((group) => !there.includes(JSON.stringify(group)));
    return missing.length === 0 ? [] : [`${event}: Conduct's hook is missing or outdated`];
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
    throw new Error(`it is not valid JSON, so Claude Code ignores the whole file: ${errorText(error)}`);
  }
  if (!isObject(value)) throw new Error("it does not contain a JSON object");
  for (const [event, groups] of Object.entries(hooksOf(value))) {
    if (!Array.isArray(groups)) throw new Error(`hooks.${event} is not a list`);
  }
  return value;
}

function hooksOf({ hooks }: JsonObject): JsonObject {
  if (hooks === undefined) return {};
  if (!isObject(hooks)) throw new Error("hooks is not an object");
  return hooks;
}

function has(settings: JsonObject): boolean {
  return Object.values(hooksOf(settings)).some((groups) =>
    asList(groups).some((group) => isObject(group) && asList(group.hooks).some(isConductHook)),
  );
}

function without(settings: JsonObject): JsonObject {
  if (!has(settings)) return settings;
  const hooks = Object.entries(hooksOf(settings)).flatMap(([event, groups]) => {
    const left = asList(groups).flatMap(withoutOurs);
    return left.length === 0 ? [] : [[event, left] as const];
  });
  const { hooks: _, ...others } = settings;
  return hooks.length === 0 ? others : { ...settings, hooks: Object.fromEntries(hooks) };
}

function withoutOurs(group: Json): readonly Json[] {
  if (!isObject(group) || !asList(group.hooks).some(isConductHook)) return [group];
  const theirs = asList(group.hooks).filter((hook) => !isConductHook(hook));
  return theirs.length === 0 ? [] : [{ ...group, hooks: theirs }];
}

/** Keeps the indentation of the old text; two spaces by default. */
function write(settings: JsonObject, before: string): string {
  const indent = /^[[{]\s*?\n([ \t]+)\S/.exec(before.replace(/^\uFEFF/, ""))?.[1] ?? "  ";
  const end = before === "" || /\n\s*$/.test(before) ? "\n" : "";
  return `${before.startsWith("\uFEFF") ? "\uFEFF" : ""}${JSON.stringify(settings, null, indent)}${end}`;
}
