/** Thinking effort, for runtimes that support it. */
export type ThinkLevel = "minimal" | "low" | "medium" | "high";

/** Modes set by /think, /verbose and /elevated. They last for the session. */
export type Modes = {
  readonly think: boolean;
  readonly verbose: boolean;
  readonly elevated: boolean;
  /** Only with `think`. */
  readonly thinkLevel?: ThinkLevel;
  /** Only with `elevated`: when it expires, in milliseconds since the epoch. */
  readonly elevatedUntil?: number;
  /** Only with `elevatedUntil`: the operator who elevated the session from outside. Then it counts for every sender. */
  readonly elevatedBy?: string;
};

/** Permissions from the modes. Passed with each call, never stored on a tool. */
export type Permissions = {
  readonly autoApprove: boolean;
  readonly restrictToWorkspace: boolean;
  readonly allowHighRisk: boolean;
};
