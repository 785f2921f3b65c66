import type { Commands } from "../../ports/commands.ts";
import type { Filesystem } from "../../ports/filesystem.ts";
import type { SessionView } from "../session-view.ts";

/** `feedback` tells the agent what is left to do. */
export type CompletionResult =
  | { readonly complete: true; readonly note?: string }
  | { readonly complete: false; readonly feedback?: string };

/** Input of a checker. `adapter` names the runtime. */
export type CompletionContext = {
  readonly session: SessionView;
  readonly tentativeOutput: unknown;
  readonly filesystem?: Filesystem;
  readonly commands?: Commands;
  readonly adapter?: string;
  readonly stopReason?: string;
  readonly signal: AbortSignal;
};

/** Checks before a stop whether the work is complete. */
export interface CompletionChecker {
  /** Returns whether the work is complete, and if not what is left to do. */
  check(context: CompletionContext): CompletionResult | Promise<CompletionResult>;
}
