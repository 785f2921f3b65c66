import { defineSlice } from "../../../base/kernel/define-slice.ts";
import { formatDuration } from "../../../base/kernel/duration.ts";
import { isObject } from "../../../base/kernel/json.ts";
import type { Modes, Permissions, ThinkLevel } from "../../../base/words/modes.ts";
import type { ModeChange, ParsedModes } from "./parse-modes.ts";

/**
 * `mayElevate` comes from the transport. `elevation: "never"` is the agent's setting and applies to everybody. `reasons: false`:
 * no thinking level can be sent to the model.
 */
type ModeAuthority = {
  readonly mayElevate: boolean;
  readonly elevation?: "never" | undefined;
  readonly reasons?: boolean | undefined;
  readonly now: number;
};

/** `reply` answers a message of modes only, without the model. `notes`: refusals and hints. */
type AppliedModes = { readonly modes: Modes; readonly reply?: string; readonly notes: readonly string[] };

const NAMES = ["think", "verbose", "elevated"] as const;

/** Applies the changes in order. Modes that the message does not name stay. */
export function applyModes(current: Modes, parsed: ParsedModes, who: ModeAuthority): AppliedModes {
  let modes = effectiveModes(current, who.now, who.elevation);
  const notes = new Set(parsed.hints);
  for (const change of parsed.changes) {
    const refused = change.mode === "elevated" && change.on ? refusalOf(who) : undefined;
    if (refused === undefined) modes = switched(modes, change, who.now);
    else notes.add(refused);
    if (change.mode === "think" && change.on && who.reasons === false) {
      modes = { ...modes, thinkLevel: undefined };
      notes.add(
        "No thinking level is sent, because this model has none. /think only asks for reasoning in the prompt.",
      );
    }
  }
  const alone = parsed.any && parsed.text.trim() === "";
  const shown = alone || parsed.asked.length > 0 ? shownOf(parsed) : [];
  const lines = shown.map((name) => `${name}: ${stateOf(modes, name, who)}`);
  return alone ? { modes, reply: lines.join("\n"), notes: [...notes] } : { modes, notes: [...notes, ...lines] };
}

function switched(modes: Modes, change: ModeChange, now: number): Modes {
  switch (change.mode) {
    case "all":
      return OFF;
    case "verbose":
      return { ...modes, verbose: change.on };
    case "think":
      return { ...modes, think: change.on, thinkLevel: change.on ? (change.level ?? modes.thinkLevel) : undefined };
    case "elevated": {
      if (!change.on) return withoutElevation(modes);
      // Without a new time, a running elevation keeps its end.
      if (change.forMs === undefined) return { ...modes, elevated: true };
      return { ...modes, elevated: true, elevatedUntil: now + change.forMs, elevatedBy: undefined };
    }
  }
}

function refusalOf({ elevation, mayElevate }: ModeAuthority): string | undefined {
  if (elevation === "never") return "Not elevated: this agent cannot be elevated.";
  return mayElevate
    ? undefined
    : "Not elevated: only an operator can elevate a session, in the console or with conduct elevate.";
}

/** The modes that the message names; `/modes` names all. */
function shownOf({ changes, asked }: ParsedModes): readonly (typeof NAMES)[number][] {
  const named = new Set<string>([...asked, ...changes.map(({ mode }) => mode)]);
  return named.has("modes") || named.has("all") ? NAMES : NAMES.filter((name) => named.has(name));
}

function stateOf(modes: Modes, name: (typeof NAMES)[number], { now, elevation }: ModeAuthority): string {
  if (name === "elevated" && elevation === "never") return "off (this agent cannot be elevated)";
  if (!modes[name]) return "off";
  if (name === "verbose") return "on";
  if (name === "think") return modes.thinkLevel === undefined ? "on" : `on, ${modes.thinkLevel}`;
  if (modes.elevatedUntil === undefined) return "on until you turn it off or the session ends";
  const by = modes.elevatedBy === undefined ? "" : ", by an operator";
  return `on, for another ${formatDuration(modes.elevatedUntil - now)}${by}`;
}

/** An operator may elevate somebody's session for at most this long, so that it ends even if it is forgotten. */
export const LONGEST_ELEVATION_MS = 24 * 3_600_000;

export const OFF: Modes = { think: false, verbose: false, elevated: false };
export const THINK_LEVELS: readonly ThinkLevel[] = ["minimal", "low", "medium", "high"];

/** LOG, so that restoring an older state does not restore a revoked elevation. */
export const modesSlice = defineSlice<Modes>({ name: "modes", kind: "LOG", initial: OFF });

/** Validates stored modes: only `true` switches a mode on, and an invalid time elevates nobody. */
export function safeModes(stored: unknown): Modes {
  if (stored === OFF || !isObject(stored)) return OFF;
  const { thinkLevel, elevatedUntil, elevatedBy } = stored;
  const think = stored.think === true;
  if (!think && stored.verbose !== true && stored.elevated !== true) return OFF;
  const level = think ? THINK_LEVELS.find((one) => one === thinkLevel) : undefined;
  const until = typeof elevatedUntil === "number" && Number.isFinite(elevatedUntil) ? elevatedUntil : undefined;
  const elevated = stored.elevated === true && (until !== undefined || elevatedUntil === undefined);
  const verbose = stored.verbose === true;
  const modes: Modes = { think, verbose, elevated, thinkLevel: level, elevatedUntil: elevated ? until : undefined };
  const isGranted = elevated && until !== undefined && typeof elevatedBy === "string";
  return isGranted ? { ...modes, elevatedBy } : modes;
}

/** The modes in force. Computed each time, so that an expired elevation or a stricter agent counts at once. */
export function effectiveModes(stored: unknown, now: number, elevation?: "never"): Modes {
  const modes = safeModes(stored);
  const { elevatedUntil } = modes;
  const over = elevatedUntil !== undefined && now >= elevatedUntil;
  return modes.elevated && (over || elevation === "never") ? withoutElevation(modes) : modes;
}

export function withoutElevation({ elevatedUntil: _over, elevatedBy: _by, ...modes }: Modes): Modes {
  return { ...modes, elevated: false };
}

export function permissionsOf({ elevated }: Modes): Permissions {
  return elevated ? ELEVATED : ORDINARY;
}

const ELEVATED = permitting(true);
const ORDINARY = permitting(false);

/** Frozen, because foreign policies get it. */
function permitting(elevated: boolean): Permissions {
  return Object.freeze({ autoApprove: elevated, restrictToWorkspace: !elevated, allowHighRisk: elevated });
}
