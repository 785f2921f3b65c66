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

/** What a session is about. `label` is its title; `domain` holds at most 3 short tags, `flags` at most 2. */
export type SessionClassification = {
  readonly label: string;
  readonly topic: SessionTopic;
  readonly complexity: SessionComplexity;
  readonly domain: readonly string[];
  readonly flags: readonly string[];
};

/** Why a session is classified now. */
export type ClassifyBecause = "opener" | "turns" | "compaction" | "demand";
