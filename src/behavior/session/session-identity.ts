import { defineSlice } from "../../base/kernel/define-slice.ts";
import type { Budget } from "../../base/words/budget.ts";
import type { Sender } from "../../base/words/hosting/channel.ts";

/** Where the session is. `refusals` counts the stops refused in this turn; `sender` is who began it, where that is known. */
type Turn = {
  readonly number: number;
  readonly refusals: number;
  readonly ended: boolean;
  readonly sender?: Sender;
};

export const turnSlice = defineSlice<Turn>({
  name: "turn",
  kind: "LOG",
  initial: { number: 0, refusals: 0, ended: false },
});

/** Who and what a session is for, and its bounds. Part of its state, so that a restart loosens nothing. */
export type SessionIdentity = {
  readonly parent?: string;
  readonly user?: string;
  readonly channel: string;
  /** The user's time zone, as it was given. */
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
