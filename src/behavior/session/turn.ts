import type { Slice } from "../../base/words/slice.ts";

/** Where the session is. `refusals` counts the stops refused in this turn. */
export type Turn = { readonly number: number; readonly refusals: number; readonly ended: boolean };

export const turnSlice: Slice<Turn> = { name: "turn", kind: "LOG", initial: { number: 0, refusals: 0, ended: false } };

/** When the session began: the time limit counts from here, across restarts. */
export const startSlice: Slice<{ readonly startedAt: number }> = {
  name: "start",
  kind: "LOG",
  initial: { startedAt: 0 },
};
