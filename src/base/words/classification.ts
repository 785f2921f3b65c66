export type SessionTopic =
  | "coding"
  | "research"
  | "ops"
  | "conversation"
  | "creative"
  | "debugging"
  | "config"
  | "other";

export type SessionComplexity = "trivial" | "simple" | "moderate" | "hard" | "complex";

/**
 * What a session is about. `label` is its title. One look gives at most 3 short tags as `domain` and 2 as `flags`; what
 * holds for the prompt may have more flags, because they only ever add up.
 */
export type SessionClassification = {
  readonly label: string;
  readonly topic: SessionTopic;
  readonly complexity: SessionComplexity;
  readonly domain: readonly string[];
  readonly flags: readonly string[];
};

/** Why a session is classified now. */
export type ClassifyBecause = "opener" | "turns" | "compaction" | "demand";
