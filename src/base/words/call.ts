import type { Json, JsonObject } from "./json.ts";

/** A call's effect on a path: `write` changes its content; `change` creates, moves or deletes it. */
export type Access = "read" | "write" | "change";

/** A path as written in the call, before the filesystem port resolves it. `maybe`: the text may not be a path. */
export type PathAccess = { readonly path: string; readonly access: Access; readonly maybe?: true };

/** Something that a shell command does, with arguments. `proven`: an ok outcome means that it was done. */
export type CallEffect = { readonly name: string; readonly args: JsonObject; readonly proven: boolean };

/** The runtime's original call, so that the translation loses nothing. */
export type NativeCall = {
  readonly runtime: string;
  readonly server?: string;
  readonly name: string;
  readonly input: Json;
};

/**
 * One tool call in Conduct's vocabulary, the same for every runtime. `actions` matches broadly, for gating; `proves`
 * is the strict subset that an ok outcome establishes: `npm test && true` is gated as a test but proves none.
 */
export type ToolCall = {
  readonly id: string;
  readonly tool: string;
  readonly args: JsonObject;
  readonly actions: readonly string[];
  readonly proves: readonly string[];
  /** Calls of one model response share a step. Absent if the runtime does not report it. */
  readonly step?: string;
  readonly paths: readonly PathAccess[];
  /** What a shell command does, as rules see it (`git.push`); absent if nothing is known. Not part of the journal. */
  readonly effects?: readonly CallEffect[];
  /** Effects on files whose names are unknown (`> $F`); absent if there are none. */
  readonly unclear?: readonly Access[];
  readonly native: NativeCall;
};

/**
 * An adapter's input. The engine derives omitted fields from the tool, its arguments and the agent's actions. `cwd` is
 * the folder of a shell command, if it is not the workspace.
 */
export type CallInput = Pick<ToolCall, "id" | "tool" | "args"> &
  Partial<Pick<ToolCall, "step" | "paths" | "unclear" | "native" | "actions" | "proves">> & { readonly cwd?: string };

/** Outcome of a call. Only `ok` proves anything. */
export type Outcome = "ok" | "failed" | "denied" | "cancelled" | "unknown";

/** A finished call, as feedback providers and checkers see it. */
export type CallRecord = {
  readonly id: string;
  readonly tool: string;
  readonly actions: readonly string[];
  readonly outcome: Outcome;
  readonly at: number;
  readonly argsHash: string;
  readonly exitCode?: number;
};
