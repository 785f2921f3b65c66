import type { ActionSpec } from "./hosting/agent.ts";
import type { Json, JsonObject } from "./json.ts";

/** Effect of an unsatisfied rule, strictest first. */
export type Effect = "end-turn" | "deny" | "soft-deny" | "ask" | "warn" | "remind" | "shadow";

/** How strict a pack is: `gentle` only warns and reminds. */
export type Level = "gentle" | "standard" | "strict";

/** The effect of a rule at each level; `off` means that the rule does not exist there. */
export type LevelEffects = { readonly [level in Level]: Effect | "off" };

export type Place = { readonly file: string; readonly line: number };

/** An earlier call that must (under `not`: must not) have been made. */
export type CallLeaf = {
  readonly kind: "call";
  /** A tool, an action, or a fact that an action implies. */
  readonly call: string;
  /** Pairs of arguments that must be equal: `mine` of this call, `theirs` of the earlier one. */
  readonly same: readonly { readonly mine: string; readonly theirs: string }[];
  /** Requires that the file in the `same` path has not changed since. */
  readonly fresh: boolean;
  /** Maximum age of the evidence in milliseconds. */
  readonly within?: number;
  /** Evidence from before the last successful call of this name does not count. */
  readonly since?: string;
  /** CEL over the earlier call, evaluated when that call was made. */
  readonly where?: string;
  readonly counts: "succeeded" | "allowed";
};

/** A condition on the session; unknown counts as unmet. */
export type Condition =
  | { readonly kind: "all" | "any"; readonly of: readonly Condition[] }
  | { readonly kind: "not"; readonly of: Condition }
  | CallLeaf;

/** Limit of admitted calls for each combination of these arguments. */
export type AtMost = { readonly count: number; readonly per: readonly string[] };

/** A policy as data. Evaluation order: on, unless, when, require, atMost. */
export type Rule = {
  readonly id: string;
  /** Names or globs of tools and actions. */
  readonly on: readonly string[];
  readonly unless?: string;
  /** CEL, from the file that uses the pack: the rule does not apply if it is true. */
  readonly except?: string;
  readonly when?: string;
  readonly require?: Condition;
  readonly atMost?: AtMost;
  /** Arguments to rewrite before anything is decided. */
  readonly set?: JsonObject;
  /** The effect at the chosen level. */
  readonly effect: Effect;
  /** The level that was chosen for the rule's file. */
  readonly level?: Level;
  /** One sentence for people: why the rule exists. */
  readonly why?: string;
  /** The patterns of the rule's file, for `patterns.NAME` in its expressions. */
  readonly patterns?: Patterns;
  /** Message for the agent; `{{args.x}}` is replaced. */
  readonly say?: string;
  /** With `ask`: a person's yes may count for the same effect for the rest of the session. */
  readonly remember?: "session";
  /** Custom tags that the session gets when the rule objects to a call. */
  readonly tag?: readonly string[];
  readonly place?: Place;
};

/** Regular expressions by name; one of a list is enough to match. */
export type Patterns = { readonly [name: string]: readonly string[] };

/** A rule that is not in force: switched off by the file at `by`, or by its level. */
export type OffRule = Pick<Rule, "id" | "on" | "why" | "place"> & { readonly level: Level; readonly by?: Place };

/** The actions and rules of one file. */
export type RuleSet = {
  readonly actions: { readonly [name: string]: ActionSpec };
  readonly rules: readonly Rule[];
  readonly off?: readonly OffRule[];
};

export type PredicateInput = {
  readonly tool: string;
  readonly args: JsonObject;
  /** The value of an argument that is missing; `undefined` if that is unknown. Default: unknown. */
  absent?(name: string): Json | undefined;
  readonly actions: readonly string[];
  readonly session: {
    readonly turn: number;
    readonly channel: string;
    readonly user: string;
    readonly agent: string;
    readonly elevated: boolean;
    /** The first and the newest messages of the person. */
    readonly messages?: string;
    /** The classification that selects sections of the prompt; absent until there is one. */
    readonly topic?: string;
    readonly complexity?: string;
    readonly domain?: readonly string[];
    readonly flags?: readonly string[];
    readonly custom?: readonly string[];
  };
  /** Facts about the repository; absent ones are unknown. */
  readonly repo?: JsonObject;
  /** Is the path inside the workspace? `undefined` if it was not looked up. */
  isInside?(path: string): boolean | undefined;
  /** Does the file exist? `undefined` if it was not looked up. */
  fileExists(path: string): boolean | undefined;
};

/**
 * `undefined` means unknown: an error, a missing or null key, a wrong type, an input over the limits. Never throws,
 * never hangs.
 */
export type Predicate = (input: PredicateInput) => boolean | undefined;
