/** The main subject of a session. */
export type SessionTopic =
  | "coding"
  | "research"
  | "ops"
  | "conversation"
  | "creative"
  | "debugging"
  | "config"
  | "other";

/** The estimated effort of a session, least first. */
export type SessionComplexity = "trivial" | "simple" | "moderate" | "hard" | "complex";

/**
 * Topic of a session. `label` is its title. One classification gives at most 3 `domain` tags and 2 `flags`; the one
 * used in the prompt may have more flags, because they accumulate.
 */
export type SessionClassification = {
  readonly label: string;
  readonly topic: SessionTopic;
  readonly complexity: SessionComplexity;
  readonly domain: readonly string[];
  readonly flags: readonly string[];
};

export type ClassifyBecause = "opener" | "turns" | "compaction" | "demand";
