import { defineSlice } from "../../base/kernel/define-slice.ts";
import type { Budget } from "../../base/words/budget.ts";

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
