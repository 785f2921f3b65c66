import type { ActionSpec } from "./hosting/agent.ts";
import type { JsonObject } from "./json.ts";

/** What a rule does when it is not satisfied, strictest first. */
export type Effect = "end-turn" | "deny" | "soft-deny" | "ask" | "warn" | "remind" | "shadow";

/** Where a rule stands, for people. */
export type Place = { readonly file: string; readonly line: number };

/** One earlier call that must (or, under `not`, must not) have been made. */
export type CallLeaf = {
  readonly kind: "call";
  /** A tool, an action or a fact that an action implies. */
  readonly call: string;
  /** Left this call's argument, right the earlier call's; all must be equal. */
  readonly same: readonly { readonly mine: string; readonly theirs: string }[];
  /** The file that the `same` path names has not changed since. */
  readonly fresh: boolean;
  /** Age of the evidence at most, in milliseconds. */
  readonly within?: number;
  /** Evidence older than the last ok call of this name does not count. */
  readonly since?: string;
  /** CEL over the earlier call, decided when it was made. */
  readonly where?: string;
  readonly counts: "succeeded" | "allowed";
};

/** What has to be true of the session; unknown counts as unmet. */
export type Condition =
  | { readonly kind: "all" | "any"; readonly of: readonly Condition[] }
  | { readonly kind: "not"; readonly of: Condition }
  | CallLeaf;

/** At most so many admitted calls for each combination of these arguments. */
export type AtMost = { readonly count: number; readonly per: readonly string[] };

/** A policy written as data. Evaluated in this order: on, unless, when, require, atMost. */
export type Rule = {
  readonly id: string;
  /** Names or globs of tools and actions. */
  readonly on: readonly string[];
  readonly unless?: string;
  readonly when?: string;
  readonly require?: Condition;
  readonly atMost?: AtMost;
  /** Arguments that are rewritten before anything is decided. */
  readonly set?: JsonObject;
  readonly effect: Effect;
  /** What the agent is told; `{{args.x}}` is filled in. */
  readonly say?: string;
  readonly place?: Place;
};

/** An action in a rule file: what else it establishes, with the same arguments. */
export type RuleAction = ActionSpec & { readonly implies?: readonly string[] };

/** A rule file, read and checked. */
export type RuleSet = {
  readonly actions: { readonly [name: string]: RuleAction };
  readonly rules: readonly Rule[];
};

/** What a predicate may look at. */
export type PredicateInput = {
  readonly tool: string;
  readonly args: JsonObject;
  readonly actions: readonly string[];
  readonly session: {
    readonly turn: number;
    readonly channel: string;
    readonly user: string;
    readonly agent: string;
    readonly elevated: boolean;
  };
  /** Does the file exist? `undefined` when it was not looked up. */
  fileExists(path: string): boolean | undefined;
};

/** `undefined` is unknown: an error, a missing or null key, a wrong type, an input beyond the limits. Never throws, never hangs. */
export type Predicate = (input: PredicateInput) => boolean | undefined;
