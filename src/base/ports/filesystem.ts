import type { ToolCall } from "../words/call.ts";
import type { PathFact, WorkspaceState } from "../words/facts.ts";
import type { JsonObject } from "../words/json.ts";

/** What a call would destroy, in words and as a short diff. `mark` changes whenever the files change. */
export type Loss = { readonly text: string; readonly mark: string };

/** The agent's files. Relative paths are under `root`; symlinks, `.` and `..` are resolved before any comparison. */
export interface Filesystem {
  readonly root: string;
  /** Rejects only if the disk cannot be read; a missing file is a valid result. The signal is valid until then. */
  look(path: string, signal?: AbortSignal): Promise<PathFact>;
  /** What the call would destroy; `undefined` if nothing is known to be lost. */
  loss?(call: ToolCall, signal?: AbortSignal): Promise<Loss | undefined>;
  /** The state of all files under `root` that tests may depend on. Absent: only calls make evidence stale. */
  workspace?(signal?: AbortSignal): Promise<WorkspaceState>;
  /** Facts about the repository around `root`, such as `branch`. Runs no program; unknown facts are absent. */
  repository?(call: ToolCall, facts: readonly string[]): Promise<JsonObject>;
}
