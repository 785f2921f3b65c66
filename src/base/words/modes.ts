/** How hard to think, where a runtime can be told. */
export type ThinkLevel = "minimal" | "low" | "medium" | "high";

/** What /think, /verbose and /elevated switch. They last for the session. */
export type Modes = {
  readonly think: boolean;
  readonly verbose: boolean;
  readonly elevated: boolean;
  /** With `think` only. */
  readonly thinkLevel?: ThinkLevel;
  /** With `elevated` only: when it ends by itself, milliseconds since the epoch. */
  readonly elevatedUntil?: number;
};

/** What the modes let a call do. They travel with the call and are never stored on a tool. */
export type Permissions = {
  readonly autoApprove: boolean;
  readonly restrictToWorkspace: boolean;
  readonly allowHighRisk: boolean;
};
