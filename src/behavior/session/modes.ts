import type { Modes, Permissions } from "../../base/words/modes.ts";
import type { Slice } from "../../base/words/slice.ts";

const OFF: Modes = { think: false, verbose: false, elevated: false };

/** LOG: going back to an older state must not bring back an elevation that was taken away since. */
export const modesSlice: Slice<Modes> = { name: "modes", kind: "LOG", initial: OFF };

/** Stored modes as they may be trusted: only a real `true` switches anything on. */
export function safeModes(stored: unknown): Modes {
  if (typeof stored !== "object" || stored === null) return OFF;
  const { think, verbose, elevated } = stored as Partial<Record<keyof Modes, unknown>>;
  return { think: think === true, verbose: verbose === true, elevated: elevated === true };
}

/** What a call may do under these modes. */
export function permissionsOf(modes: Modes): Permissions {
  return { autoApprove: modes.elevated, restrictToWorkspace: !modes.elevated, allowHighRisk: modes.elevated };
}
