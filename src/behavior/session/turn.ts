import { defineSlice } from "../../base/kernel/define-slice.ts";
import type { Sender } from "../../base/words/hosting/channel.ts";

/** Where the session is. `refusals` counts the stops refused in this turn; `sender` is who began it, where that is known. */
export type Turn = {
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
