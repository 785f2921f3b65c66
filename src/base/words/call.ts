import type { Json, JsonObject } from "./json.ts";

/** What a call does to a path: `write` puts text in it; `change` makes, moves or removes it. */
export type Access = "read" | "write" | "change";

/** A path as the call names it, before the filesystem port has resolved it. `maybe`: a word that may be no path at all. */
export type PathAccess = { readonly path: string; readonly access: Access; readonly maybe?: true };

/** The runtime's own view of a call, kept so that nothing is lost in the translation. */
export type NativeCall = {
  readonly runtime: string;
  readonly server?: string;
  readonly name: string;
  readonly input: Json;
};

/**
 * One tool call in Conduct's vocabulary, the same in every runtime.
 * `actions` is matched generously, for gating; `proves` is the strict subset that an ok outcome establishes:
 * `npm test && true` is gated as a test, but proves none.
 */
export type ToolCall = {
  readonly id: string;
  readonly tool: string;
  readonly args: JsonObject;
  readonly actions: readonly string[];
  readonly proves: readonly string[];
  /** Calls of one model response share a step. Absent where the runtime cannot tell. */
  readonly step?: string;
  readonly paths: readonly PathAccess[];
  /** What the call does to files whose names cannot be told (`> $F`); absent when there are none. */
  readonly unclear?: readonly Access[];
  readonly native: NativeCall;
};

/**
 * What an adapter hands in: the engine fills in what is left out, from the tool, its arguments and the agent's actions.
 * `cwd` is the folder that a shell command runs in, where that is not the workspace.
 */
export type CallInput = Pick<ToolCall, "id" | "tool" | "args"> &
  Partial<Pick<ToolCall, "step" | "paths" | "unclear" | "native" | "actions" | "proves">> & { readonly cwd?: string };

/** How a call ended. Only `ok` proves anything. */
export type Outcome = "ok" | "failed" | "denied" | "cancelled" | "unknown";

/** One line of the session's call log. */
export type CallRecord = {
  readonly id: string;
  readonly tool: string;
  readonly actions: readonly string[];
  readonly outcome: Outcome;
  readonly at: number;
  readonly argsHash: string;
  readonly exitCode?: number;
};
