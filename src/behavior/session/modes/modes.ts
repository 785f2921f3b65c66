import { defineSlice } from "../../../base/kernel/define-slice.ts";
import { isObject } from "../../../base/kernel/json.ts";
import type { Modes, Permissions, ThinkLevel } from "../../../base/words/modes.ts";

export const OFF: Modes = { think: false, verbose: false, elevated: false };

/** From little to much. */
export const THINK_LEVELS: readonly ThinkLevel[] = ["minimal", "low", "medium", "high"];

/** LOG: going back to an older state must not bring back an elevation that was taken away since. */
export const modesSlice = defineSlice<Modes>({ name: "modes", kind: "LOG", initial: OFF });

/** Stored modes as they may be trusted: only a real `true` switches anything on, and a time that is none elevates nobody. */
export function safeModes(stored: unknown): Modes {
  if (!isObject(stored)) return OFF;
  const { thinkLevel, elevatedUntil } = stored;
  const think = stored.think === true;
  const level = think ? THINK_LEVELS.find((one) => one === thinkLevel) : undefined;
  const until = typeof elevatedUntil === "number" && Number.isFinite(elevatedUntil) ? elevatedUntil : undefined;
  const elevated = stored.elevated === true && (until !== undefined || elevatedUntil === undefined);
  return {
    think,
    verbose: stored.verbose === true,
    elevated,
    thinkLevel: level,
    ...(elevated && until !== undefined ? { elevatedUntil: until } : {}),
  };
}

/** What is in force now. Worked out each time, so that a stricter agent or a time that is over takes effect at once. */
export function effectiveModes(stored: unknown, now: number, elevation?: "never"): Modes {
  const modes = safeModes(stored);
  const { elevatedUntil } = modes;
  const over = elevatedUntil !== undefined && now >= elevatedUntil;
  return modes.elevated && (over || elevation === "never") ? withoutElevation(modes) : modes;
}

export function withoutElevation({ elevatedUntil: _over, ...modes }: Modes): Modes {
  return { ...modes, elevated: false };
}

/** What a call may do under these modes. */
export function permissionsOf({ elevated }: Modes): Permissions {
  return elevated ? ELEVATED : ORDINARY;
}

const ELEVATED = permitting(true);
const ORDINARY = permitting(false);

/** Frozen: policies of others are given it. */
function permitting(elevated: boolean): Permissions {
  return Object.freeze({ autoApprove: elevated, restrictToWorkspace: !elevated, allowHighRisk: elevated });
}
