import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { checkOptions, optional, text } from "../../../base/kernel/check-options.ts";
import { asObject } from "../../../base/kernel/json.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";
import { conductProgram } from "../../host/node/package-files.ts";
import { shellWord } from "../shared/tool-args.ts";
import { codexHooksJson } from "./hooks-json.ts";
import { type CodexHook, conductHooks, missingHooks, withAppServer } from "./trust.ts";

/** The options of `Codex` in `@openai/codex-sdk`, as far as the adapter uses them. */
export type CodexSdkOptions = {
  readonly codexPathOverride?: string;
  readonly env?: { readonly [name: string]: string };
  readonly config?: JsonObject;
  readonly configOverrides?: readonly string[];
};

/** Where decisions are made: behind a socket (`listenForHooks`), or in this account's daemon with folder `home`. */
export type CodexGuard = { readonly socket: string } | { readonly home?: string };

/** Options for the Codex SDK with Conduct's hooks in them. */
export type GuardedCodexOptions = { codexPathOverride: string; configOverrides: string[] };

/** Codex would or might run without Conduct, so no thread may be started. */
export class CodexUnguardedError extends Error {
  constructor(faults: readonly string[]) {
    const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : "";
    super(
      `Codex would run without Conduct. ${faults[0] ?? "It does not list Conduct's hooks"}${more}. Set codexPathOverride to Codex 0.166 or newer, not to a launcher with its own settings, and check whether a requirements.toml on this machine forbids hooks.`,
    );
    this.name = "CodexUnguardedError";
  }
}

/**
 * For `new Codex(await conductCodexOptions({…}))`: every thread runs under Conduct's hooks. They are part of each
 * turn's command line and trusted there only: no file is written, and none can remove them. Rejects unless Codex
 * itself confirms that it will run all of them.
 */
export async function conductCodexOptions<O extends CodexSdkOptions>(
  options: O,
  guard: CodexGuard = {},
): Promise<Omit<O, keyof GuardedCodexOptions> & GuardedCodexOptions> {
  checkOptions("conductCodexOptions", guard, { socket: optional(text), home: optional(text) });
  const { config = {}, configOverrides: given = [], env = process.env } = options;
  refuseHooks([...Object.keys(config), ...given]);
  const codexBin = options.codexPathOverride ?? findCodex();
  const settings = Object.entries(config).map(([key, value]) => `${key}=${tomlValue(value ?? null)}`);
  const list = (overrides: readonly string[]): Promise<readonly CodexHook[]> =>
    withAppServer({ codexBin, env, overrides: [...settings, ...overrides] }, (server) =>
      conductHooks(server, process.cwd()),
    );
  const hooks = [...given, ...overridesFor(guard)];
  const trusted = [...hooks, `hooks.state=${tomlValue(stateOf(await list(hooks)))}`];
  const faults = faultsIn(await list(trusted));
  if (faults.length > 0) throw new CodexUnguardedError(faults);
  return { ...options, codexPathOverride: codexBin, configOverrides: trusted };
}

/** The source that Codex reports for hooks of the command line. */
const FLAGS = "/<session-flags>/config.toml";

function overridesFor(guard: CodexGuard): readonly string[] {
  const env = environmentOf(guard);
  const program = [process.execPath, conductProgram()];
  const words = ["env", ...Object.entries(env).map(([name, value]) => `${name}=${value}`), ...program, "hook", "codex"];
  const { hooks } = JSON.parse(codexHooksJson(words.map(shellWord).join(" "))) as { hooks: JsonObject };
  const [command = "", ...args] = [...program, "hook", "codex-tools"];
  // Codex ignores a server that does not start within a second, unless it is required.
  const server = { command, args, env, required: true, startup_timeout_sec: 30 };
  return [
    "features.hooks=true",
    // No hook is called for input typed into a running shell.
    "features.unified_exec_tty=false",
    ...Object.entries(hooks).map(([event, groups]) => `hooks.${event}=${tomlValue(groups ?? null)}`),
    `mcp_servers.conduct=${tomlValue(server)}`,
  ];
}

function environmentOf(guard: CodexGuard): { readonly [name: string]: string } {
  if ("socket" in guard) return { CONDUCT_SOCKET: guard.socket };
  return guard.home === undefined ? {} : { CONDUCT_HOME: guard.home };
}

/** Ours are trusted; those of `conduct init codex` are disabled, or every event would be decided twice. */
function stateOf(hooks: readonly CodexHook[]): JsonObject {
  const entries = hooks.map(({ key, hash, from }): readonly [string, Json] => [
    key,
    from === FLAGS ? { trusted_hash: hash, enabled: true } : { enabled: false },
  ]);
  return Object.fromEntries(entries);
}

function faultsIn(hooks: readonly CodexHook[]): readonly string[] {
  const own = hooks.filter(({ from }) => from === FLAGS);
  const beside = hooks.filter(({ from, trusted }) => from !== FLAGS && trusted);
  const twice = beside.map(({ event, from }) => `${event}: Conduct's hook in ${from} cannot be turned off`);
  return [...missingHooks(own, "its command line"), ...twice];
}

/** Ours would silently replace them. */
function refuseHooks(keys: readonly string[]): void {
  const hook = keys.find((key) => /^\s*hooks\s*(\.|=|$)/.test(key));
  if (hook === undefined) return;
  throw new Error(
    `The Codex config sets '${hook.split("=", 1)[0]}', which Conduct's hooks would replace. Put your own hooks into hooks.json in CODEX_HOME; they run next to Conduct's.`,
  );
}

/** The Codex installed with the SDK, so that the checked program is the one that runs. */
function findCodex(): string {
  try {
    const manifest = createRequire(join(process.cwd(), "package.json")).resolve("@openai/codex/package.json");
    const { bin } = asObject(createRequire(manifest)(manifest) as Json);
    return join(dirname(manifest), String(asObject(bin).codex));
  } catch {
    throw new Error(`@openai/codex is not installed in ${process.cwd()}: set codexPathOverride to the Codex program`);
  }
}

/** A value for Codex's `-c key=value`, on one line. Throws on null, which TOML does not have. */
export function tomlValue(value: Json): string {
  if (value === null) throw new Error("a Codex setting cannot be null: leave it out");
  if (Array.isArray(value)) return `[${value.map(tomlValue).join(", ")}]`;
  if (typeof value !== "object") return JSON.stringify(value);
  const entries = Object.entries(value).map(([key, one]) => `${JSON.stringify(key)} = ${tomlValue(one ?? null)}`);
  return `{${entries.join(", ")}}`;
}
