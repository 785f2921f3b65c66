import type { Json } from "./json.ts";

/** What the filesystem says about one path. `version` changes when the content may have; absent when there is no file. */
export type PathFact = {
  readonly resolved: string;
  readonly inside: boolean;
  readonly exists: boolean;
  readonly version?: string;
};

/** All that a decision needs to know of the world. Journaled, so that a replay decides the same. */
export type Facts = {
  /** By path as the call names it. */
  readonly paths: { readonly [given: string]: PathFact };
  /** What each policy's own `gather` found, by policy name. */
  readonly policies: { readonly [policy: string]: Json };
  /** Gathering that failed or ran out of time, by policy name, or `paths`. Any entry denies. */
  readonly faults: {
    readonly [who: string]: { readonly code: "gather-timeout" | "gather-error"; readonly message: string };
  };
};
