import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { asList, asObject, isObject } from "../../base/kernel/json.ts";
import type { JsonObject } from "../../base/words/json.ts";
import { codexCapabilities } from "../../edge/adapters/capabilities.ts";
import { codexHooksJson } from "../../edge/adapters/codex/hooks-json.ts";
import { isConductHook } from "../../edge/adapters/shared/hooks/guarded-command.ts";
import { gatePlace, hasGate } from "../../edge/host/gate/gate-place.ts";
import { hookCommand, launched } from "./hooks/hook-command.ts";
import { missingHookGroups, withHookGroups } from "./hooks/hook-groups.ts";
import { type Edited, type InstallableRuntime, type InstallPlace, NOT_GATED, type SettingsFile } from "./runtime.ts";
import { readSettingsObject } from "./settings-file.ts";

/** Marks every line of ours, so that undo finds them even after Codex rearranges its tables. */
const MARK = "# conduct init codex";
const FEATURE = "unified_exec_tty = false";
const HEADER = /^\s*\[/;

/** Adds Conduct's tools to `config.toml`, and forbids typing into running shells, which calls no hook. */
export function addToCodexToml(text: string | undefined, command: readonly string[], gate?: string): Edited {
  const clean = removeFromCodexToml(text ?? "");
  const lines = clean === "" ? [] : clean.replace(/\n$/, "").split("\n");
  const taken = lines.findIndex((line) =>
    /^\s*(\[mcp_servers\.conduct[\].]|mcp_servers(\.conduct)?\s*[.=])/.test(line),
  );
  if (taken >= 0) {
    const refused = "there seems to be an MCP server named 'conduct' that is not Conduct's";
    return { refused, line: taken + 1, fix: "rename it, or write mcp_servers as tables; nothing was changed" };
  }
  const on = lines.findIndex((line) => /^\s*(features\.)?unified_exec_tty\s*=\s*true/.test(line));
  if (on >= 0) {
    const refused = "unified_exec_tty is on: Codex could type into a shell without calling a hook";
    return { refused, line: on + 1, fix: "remove that line, then run it again" };
  }
  const [program = "", ...args] = command;
  const server = [
    `[mcp_servers.conduct] ${MARK}`,
    `command = ${JSON.stringify(program)} ${MARK}`,
    `args = ${JSON.stringify(args)} ${MARK}`,
    // Codex continues without a server that is not up after a second, unless it is required.
    `required = true ${MARK}`,
    `startup_timeout_sec = 30 ${MARK}`,
  ];
  const featured = withGate(withFeature(lines), gate);
  const gap = featured.length === 0 ? [] : [""];
  return { text: `${[...featured, ...gap, ...server].join("\n")}\n` };
}

function withFeature(lines: readonly string[]): readonly string[] {
  const off = lines.some((line) => /^\s*(features\.)?unified_exec_tty\s*=\s*false/.test(line));
  if (off) return lines;
  const table = lines.findIndex((line) => /^\s*\[features\]/.test(line));
  if (table >= 0) return lines.toSpliced(table + 1, 0, `${FEATURE} ${MARK}`);
  const dotted = lines.findIndex((line) => /^\s*features\.\w/.test(line));
  if (dotted >= 0) return lines.toSpliced(dotted, 0, `features.${FEATURE} ${MARK}`);
  const gap = lines.length === 0 ? [] : [""];
  return [...lines, ...gap, `[features] ${MARK}`, `${FEATURE} ${MARK}`];
}

const SHELL = "shell_environment_policy";

/**
 * Makes bash read the script that puts the exec gate first on PATH. PATH itself would have to be written out, and
 * would then be the same wherever Codex starts. Settings of a person for the same variable or table stay.
 */
function withGate(lines: readonly string[], gate: string | undefined): readonly string[] {
  if (gate === undefined || !canGate(lines)) return lines;
  const line = `BASH_ENV = ${JSON.stringify(gate)} ${MARK}`;
  const table = lines.findIndex((one) => one.replace(/\s/g, "").startsWith(`[${SHELL}.set]`));
  if (table >= 0) return lines.toSpliced(table + 1, 0, line);
  return [...lines, ...(lines.length === 0 ? [] : [""]), `[${SHELL}.set] ${MARK}`, line];
}

function canGate(lines: readonly string[]): boolean {
  return !lines.some((line) => /^\s*(BASH_ENV|shell_environment_policy(\.set)?(\.BASH_ENV)?)\s*=/.test(line));
}

/** Why the programs that Codex's commands start are not gated; `undefined` if they are. */
function whyCodexIsNotGated(text: string | undefined, { SHELL: shell = "" }: NodeJS.ProcessEnv): string | undefined {
  const lines = (text ?? "").split("\n");
  if (!lines.some((line) => /^\s*BASH_ENV\s*=.*gate\/env\.sh/.test(line)))
    return canGate(lines)
      ? "config.toml does not have it"
      : "config.toml has its own shell_environment_policy or BASH_ENV";
  const name = shell.replace(/.*\//, "");
  return /^(?:bash|sh|)$/.test(name) ? undefined : `Codex starts commands with your shell, ${name}; only bash takes it`;
}

/**
 * Removes our lines, and the tables in which Codex trusts a hook for which `isOurs` holds. A table of ours with other
 * entries stays.
 */
export function removeFromCodexToml(text: string, isOurs: (hook: string) => boolean = () => false): string {
  const lines = withoutTrust(text.split("\n"), isOurs);
  const kept: string[] = [];
  for (const [at, line] of lines.entries()) {
    if (!line.endsWith(MARK)) kept.push(line);
    else if (/^\[(features|shell_environment_policy\.set)\]/.test(line) && hasOthers(lines, at + 1))
      kept.push(line.slice(0, -MARK.length).trimEnd());
    // The empty line before a table of ours came with it.
    else if (line.startsWith("[") && kept.at(-1) === "") kept.pop();
  }
  if (kept.join("\n") === text) return text;
  return kept
    .join("\n")
    .replace(/\n{2,}$/, "\n")
    .replace(/^\n+$/, "");
}

/** `[hooks.state."/home/ann/.codex/hooks.json:pre_tool_use:0:0"]`: file, event, and position of the hook. */
const TRUST = /^\s*\[hooks\.state\.(?:"((?:[^"\\]|\\.)*)"|'([^']*)')\]/;

function withoutTrust(lines: readonly string[], isOurs: (hook: string) => boolean): readonly string[] {
  const kept: string[] = [];
  let isIn = false;
  let removed = false;
  for (const line of lines) {
    if (HEADER.test(line)) {
      const [, quoted, literal] = TRUST.exec(line) ?? [];
      const hook = quoted === undefined ? literal : quoted.replace(/\\(.)/g, "$1");
      isIn = hook !== undefined && isOurs(hook);
      removed ||= isIn;
      // The empty line before the table was written with it.
      if (isIn && kept.at(-1) === "") kept.pop();
    }
    if (!isIn || line === "") kept.push(line);
  }
  if (!removed) return lines;
  // Codex writes an empty parent table too.
  const parent = kept.findIndex((line) => line.trim() === "[hooks.state]");
  const next = kept.slice(parent + 1).find((line) => line.trim() !== "");
  if (parent >= 0 && (next === undefined || HEADER.test(next))) kept.splice(parent, 1);
  return kept.at(-1) === "" ? kept : [...kept, ""];
}

function hasOthers(lines: readonly string[], from: number): boolean {
  for (const line of lines.slice(from)) {
    if (HEADER.test(line)) return false;
    if (line.trim() !== "" && !line.endsWith(MARK)) return true;
  }
  return false;
}

/** Why Codex does not have Conduct's tools, or allows typing into a shell; empty if all is well. */
export function codexTomlFaults(
  text: string | undefined,
  command: readonly string[],
  gate?: string,
): readonly string[] {
  const [program = "", ...args] = command;
  const lines = (text ?? "").split("\n").map((line) => line.replace(/\s*#.*$/, "").trim());
  const server = lines.indexOf("[mcp_servers.conduct]");
  const own = server < 0 ? [] : lines.slice(server + 1);
  const end = own.findIndex((line) => HEADER.test(line));
  const table = end < 0 ? own : own.slice(0, end);
  const wanted = [`command = ${JSON.stringify(program)}`, `args = ${JSON.stringify(args)}`].map(squeezed);
  const there = table.map(squeezed);
  const tools = wanted.every((line) => there.includes(line)) ? [] : ["Conduct's own tools are not registered there"];
  const typed = lines.some((line) => /^(features\.)?unified_exec_tty\s*=\s*false$/.test(line))
    ? []
    : ["unified_exec_tty is not off: typing into a shell calls no hook"];
  const isGated =
    gate === undefined ||
    !canGate(lines) ||
    lines.map(squeezed).includes(squeezed(`BASH_ENV = ${JSON.stringify(gate)}`));
  return [...tools, ...typed, ...(isGated ? [] : [NOT_GATED])];
}

/** Codex rewrites its file with its own spacing. */
function squeezed(line: string): string {
  return line.replace(/\s+/g, "");
}

export const codex: InstallableRuntime = {
  name: "codex",
  title: "Codex",
  program: "codex",
  folder: codexFolder,
  coverage: "codex",
  capabilities: codexCapabilities,
  loose: "a denied turn cannot be ended, only its calls; most models run scripts whose results cannot be shortened",
  start: "restart codex",
  whyNotGated(env) {
    const file = join(codexFolder(env), "config.toml");
    return whyCodexIsNotGated(existsSync(file) ? readFileSync(file, "utf8") : undefined, env);
  },
  files(place) {
    if (place.project === undefined) return [hooksFile(place), configFile(place)];
    const refused = "Codex runs a project's hooks only where the project is trusted, and Conduct's must always run";
    return { refused, fix: "conduct init codex" };
  },
};

export function codexFolder(env: NodeJS.ProcessEnv): string {
  return env.CODEX_HOME || join(env.HOME || homedir(), ".codex");
}

function hooksFile(place: InstallPlace): SettingsFile {
  const { command, passes, shell } = hookCommand(place, "codex");
  const ours = asObject(JSON.parse(codexHooksJson(command, passes, shell)).hooks);
  const file: SettingsFile = {
    path: join(codexFolder(place.env), "hooks.json"),
    about: `Conduct's hook at ${Object.keys(ours).length} events; existing hooks are kept`,
    // Codex trusts a hook by its position in the list, so correct hooks keep theirs.
    add: (text) => (text !== undefined && file.faults(text).length === 0 ? { text } : withHooks(text, ours)),
    remove: (text) => (text === undefined ? { text } : withHooks(text, {})),
    faults(text) {
      const read = readSettingsObject(text);
      if ("refused" in read) return [read.refused];
      return missingHookGroups(asObject(read.value.hooks), ours);
    },
  };
  return file;
}

/** Other hooks stay before ours: Codex runs all of them. */
function withHooks(text: string | undefined, ours: JsonObject): Edited {
  const read = readSettingsObject(text);
  if ("refused" in read) return read;
  const { value } = read;
  if (value.hooks !== undefined && !isObject(value.hooks)) {
    return { refused: "hooks is not an object", line: 1, fix: "correct it; nothing was changed" };
  }
  const whole = { ...value, hooks: withHookGroups(asObject(value.hooks), ours) };
  if (text !== undefined && JSON.stringify(whole) === JSON.stringify(value)) return { text };
  return { text: `${JSON.stringify(whole, null, 2)}\n` };
}

/** Whether the hook at `FILE:event:GROUP:HOOK` is Conduct's, or no longer there. */
function isOurPosition(file: string, key: string): boolean {
  const [event = "", group, hook] = key.slice(file.length + 1).split(":");
  const read = readSettingsObject(existsSync(file) ? readFileSync(file, "utf8") : undefined);
  const hooks = "value" in read ? asObject(read.value.hooks) : {};
  const groups = Object.entries(hooks).find(([name]) => name.toLowerCase() === event.replaceAll("_", ""))?.[1];
  const found = asList(asObject(asList(groups)[Number(group)]).hooks)[Number(hook)];
  return found === undefined || isConductHook(asObject(found).command);
}

function configFile({ env, home, launcher, platform = process.platform }: InstallPlace): SettingsFile {
  const start = launched(launcher, ["hook", "codex-tools"], platform);
  const command = [start.command, ...start.args];
  const gate = hasGate(platform) ? gatePlace(home).env : undefined;
  const gated = gate === undefined ? "" : " the exec gate on the PATH of its shell;";
  return {
    path: join(codexFolder(env), "config.toml"),
    about: `Conduct's own tools;${gated} typing into a running shell is switched off, because it calls no hook`,
    // Codex also writes to the file, and may have added its own tables after ours.
    add: (text) => (codexTomlFaults(text, command, gate).length === 0 ? { text } : addToCodexToml(text, command, gate)),
    remove(text, before) {
      if (text === undefined) return { text };
      // Codex trusts a hook by its file and position. A person's own hooks in that file keep their trust.
      const hooks = join(codexFolder(env), "hooks.json");
      const isOurs = (hook: string) =>
        hook.startsWith(`${hooks}:`) && before?.includes(hook) !== true && isOurPosition(hooks, hook);
      return { text: removeFromCodexToml(text, isOurs) };
    },
    faults: (text) => codexTomlFaults(text, command, gate),
  };
}
