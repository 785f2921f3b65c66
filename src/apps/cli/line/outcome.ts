import type { ConfigUsed } from "../../../edge/host/daemon/daemon-agents.ts";
import type { AgentAround } from "../../../edge/host/trust/inside-agent.ts";

/** A suggested next command. `params` says what to fill in. */
export type NextAction = {
  readonly command: string;
  readonly description: string;
  readonly params?: { readonly [name: string]: { readonly description: string } };
};

/** The result of a command. `text` is for people; programs get the envelope. */
export type Outcome = Done | Failure;

export type Done = {
  readonly ok: true;
  readonly result: unknown;
  readonly text: string;
  readonly next: readonly NextAction[];
  /** The configuration that the command used. */
  readonly config?: ConfigUsed;
};

export type Failure = {
  readonly ok: false;
  readonly code: string;
  readonly message: string;
  readonly fix: string;
  readonly result?: unknown;
  /** Replaces the default two lines. */
  readonly text?: string;
  readonly next: readonly NextAction[];
  /** Default 1; 2 for an invalid command line. */
  readonly exitCode?: number;
  readonly config?: ConfigUsed;
};

export function done(
  result: unknown,
  text: string,
  next: readonly NextAction[] = [],
  config?: ConfigUsed | undefined,
): Outcome {
  return { ok: true, result, text, next, config };
}

export function failed(
  code: string,
  message: string,
  fix: string,
  more: Partial<Pick<Failure, "result" | "text" | "next" | "exitCode">> = {},
): Failure {
  return { ok: false, code, message, fix, next: [], ...more };
}

/** The failure for an optional package that is not installed; `undefined` for any other error. */
export function missingPackage(error: unknown): Failure | undefined {
  if (!(error instanceof Error) || !("code" in error) || error.code !== "PACKAGE_MISSING") return undefined;
  const fix = "fix" in error ? String(error.fix) : "npm install";
  return failed("PACKAGE_MISSING", error.message.replace(`. Run: ${fix}`, ""), fix);
}

/** A valid command line with an invalid value. */
export function badArgument(message: string, fix: string, code = "BAD_ARGUMENT"): Failure {
  return failed(code, message, fix, { exitCode: 2 });
}

/** Refuses an agent. `why` names the action reserved to people; `again` is the command for the person. */
export function refuseAgent({ agent, sign }: AgentAround, why: string, again?: string): Failure {
  const fix = again === undefined ? "run it in your own terminal" : `run it in your own terminal: ${again}`;
  return failed("INSIDE_AGENT", `an agent runs this (${agent}, ${sign}), but ${why}`, fix);
}

/** The JSON envelope of every command. */
export function envelopeOf(command: string, outcome: Outcome): { readonly [key: string]: unknown } {
  const { config, next: next_actions } = outcome;
  if (outcome.ok) return { ok: true, command, config, result: outcome.result, next_actions };
  const { code, message, fix, result } = outcome;
  return { ok: false, command, config, result, error: { code, message }, fix, next_actions };
}

/** A file that this account may not write; `undefined` for every other error. */
export function unwritable(error: unknown): Failure | undefined {
  if (!(error instanceof Error) || !("code" in error) || !("path" in error)) return undefined;
  if (!["EACCES", "EROFS", "EPERM"].includes(String(error.code))) return undefined;
  const fix = "make it writable for this account, or set CONDUCT_HOME to a folder that is";
  return failed("NOT_WRITABLE", `this account may not write ${error.path} (${error.code})`, fix);
}

/** Every command needs a folder there, or nothing. */
export function wrongHome({ CONDUCT_HOME: home }: NodeJS.ProcessEnv): Failure | undefined {
  const found = home ? process.getBuiltinModule("node:fs").statSync(home, { throwIfNoEntry: false }) : undefined;
  if (found === undefined || found.isDirectory()) return undefined;
  return failed("BAD_HOME", `CONDUCT_HOME is ${home}, which is not a folder`, "set it to a folder, or unset it");
}
