/** Records of one run. All times are milliseconds of the suite's own clock, which no fault touches. */
export type History = {
  /** When observation ended, after the settling time. */
  readonly endedAt: number;
  readonly faults: readonly Fault[];
  /** By the people: what they sent and what was acknowledged. */
  readonly sent: readonly SentMessage[];
  /** By the people: how their turns ended, as they were told; again if they were told another end later. */
  readonly seen: readonly SeenEnd[];
  /** By the model server. */
  readonly model: readonly ModelCall[];
  /** By the tool's own log. */
  readonly tools: readonly ToolRun[];
  /** By the operator: directives that were acknowledged. */
  readonly directives: readonly Directive[];
};

export type FaultKind =
  | "kill"
  | "freeze"
  | "cut"
  | "drain"
  | "postgres-restart"
  | "redis-flush"
  | "redis-kill"
  /** The suite itself did not run for a while, so times in this window prove nothing. */
  | "stall";

export type Fault = {
  readonly kind: FaultKind;
  /** Name of the replica; absent if the fault affects all. */
  readonly replica?: string;
  readonly at: number;
  /** When the cause was gone: woken up, healed, answering again. Equal to `at` for a kill. */
  readonly until: number;
};

export type SentMessage = {
  readonly conversation: string;
  /** Unique in the run; part of the text, so the model server and the tool see it too. */
  readonly message: string;
  readonly sentAt: number;
  /** Absent if no attempt was acknowledged. */
  readonly ackedAt?: number;
  /** When the person gave up, after many attempts. */
  readonly gaveUpAt?: number;
  /** Why the gateway refused it for good. */
  readonly refused?: string;
};

export type SeenEnd = {
  readonly message: string;
  readonly status: string;
  readonly at: number;
  /** Told by the event stream, or found by reading the conversation again. */
  readonly via: "stream" | "read";
};

export type ModelCall = {
  readonly at: number;
  /** From the API key, which differs per replica. */
  readonly replica: string;
  readonly message: string;
  /** Tool results since the message: 0 is the first request of a turn. */
  readonly step: number;
  /** Messages before this one in the transcript that was sent, oldest first. */
  readonly earlier: readonly string[];
  /** Directives in the system prompt. */
  readonly directives: readonly string[];
};

export type ToolRun = { readonly at: number; readonly message: string };

export type Directive = {
  readonly id: string;
  readonly ackedAt: number;
  /** When its removal was sent; from then on it may be missing. */
  readonly removedAt?: number;
};

export type PromiseName =
  | "side-effect-once"
  | "turn-once"
  | "no-effect-after-end"
  | "one-end"
  | "nothing-lost"
  | "order"
  | "transcript"
  | "reported"
  | "accepted"
  | "prompt-start"
  | "no-fault-no-failure"
  | "directive-in-force";

export type Violation = { readonly promise: PromiseName; readonly at: number; readonly text: string };
