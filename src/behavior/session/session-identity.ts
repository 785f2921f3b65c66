import { defineSlice } from "../../base/kernel/define-slice.ts";
import type { Budget, Usage } from "../../base/words/budget.ts";
import type { Sender } from "../../base/words/hosting/channel.ts";

/**
 * `refusals`: stops refused in this turn. `sender`: who began the turn, if known. `startedAt`, `spent`: the time and the
 * session's usage at its beginning; absent for the time before the first message.
 */
type Turn = {
  readonly number: number;
  readonly refusals: number;
  readonly ended: boolean;
  readonly sender?: Sender;
  readonly startedAt?: number;
  readonly spent?: Usage;
};

export const turnSlice = defineSlice<Turn>({
  name: "turn",
  kind: "LOG",
  initial: { number: 0, refusals: 0, ended: false },
});

/** The session's owner and limits. Part of its state, so that a restart loosens nothing. */
export type SessionIdentity = {
  readonly parent?: string;
  readonly user?: string;
  readonly channel: string;
  readonly zone?: string;
  /** Values for tags of the dimension `custom`. */
  readonly custom?: readonly string[];
  readonly startedAt: number;
  readonly deadline?: number;
  readonly budget: Budget;
};

export const identitySlice = defineSlice<SessionIdentity>({
  name: "identity",
  kind: "LOG",
  initial: { channel: "cli", startedAt: 0, budget: {} },
});
