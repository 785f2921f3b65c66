import { defineSlice } from "../../base/kernel/define-slice.ts";
import type { Budget } from "../../base/words/budget.ts";
import type { Sender } from "../../base/words/hosting/channel.ts";

/** `refusals`: stops refused in this turn. `sender`: who began the turn, if known. */
type Turn = { readonly number: number; readonly refusals: number; readonly ended: boolean; readonly sender?: Sender };

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
