import type { Json } from "./json.ts";

/** State of one path. `version` changes whenever the content may have changed; absent if there is no file. */
export type PathFact = {
  readonly resolved: string;
  readonly inside: boolean;
  readonly exists: boolean;
  readonly version?: string;
  /** The path as rules see it, if it is not written so: from the workspace (`src/a.ts`), or absolute if it is outside. */
  readonly shown?: string;
  /** In a folder of this machine for temporary files, and the session may use those. */
  readonly temporary?: true;
};

/**
 * State of the workspace's files. `mark` changes whenever a covered file is added, removed, renamed or written; absent if
 * the files could not be read in time. `changes` names the files that changed last, the newest first.
 */
export type WorkspaceState = {
  readonly at: number;
  readonly mark?: string;
  readonly changes: readonly { readonly path: string; readonly at: number }[];
};

/** All external facts of a decision. Journaled, so that a replay decides the same. */
export type Facts = {
  /** By path as written in the call. */
  readonly paths: { readonly [given: string]: PathFact };
  /** Results of each policy's `gather`, by policy name. */
  readonly policies: { readonly [policy: string]: Json };
  /** Failed or timed-out gathering, by policy name or `paths`. Any entry denies the call. */
  readonly faults: {
    readonly [who: string]: { readonly code: "gather-timeout" | "gather-error"; readonly message: string };
  };
  /** Gathered only if a policy asks for it. */
  readonly workspace?: WorkspaceState;
};
