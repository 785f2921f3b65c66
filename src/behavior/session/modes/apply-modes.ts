import { formatDuration } from "../../../base/kernel/duration.ts";
import type { Modes } from "../../../base/words/modes.ts";
import { effectiveModes, OFF, withoutElevation } from "./modes.ts";
import type { ModeChange, ParsedModes } from "./parse-modes.ts";

/** What the sender may do, told by the transport. `elevation: "never"` is the agent's own word and binds everybody. */
export type ModeAuthority = {
  readonly mayElevate: boolean;
  readonly elevation?: "never" | undefined;
  readonly now: number;
};

/** `reply` answers a message of modes only, without the model; `notes` are refusals and hints, beside any answer. */
export type AppliedModes = { readonly modes: Modes; readonly reply?: string; readonly notes: readonly string[] };

const NAMES = ["think", "verbose", "elevated"] as const;

/** Switches one by one: what a message does not name stays as it is. */
export function applyModes(current: Modes, parsed: ParsedModes, who: ModeAuthority): AppliedModes {
  let modes = effectiveModes(current, who.now, who.elevation);
  const notes = new Set(parsed.hints);
  for (const change of parsed.changes) {
    const refused = change.mode === "elevated" && change.on ? refusalOf(who) : undefined;
    if (refused === undefined) modes = switched(modes, change, who.now);
    else notes.add(refused);
  }
  const alone = parsed.any && parsed.text.trim() === "";
  const lines = alone || parsed.asked.length > 0 ? stateLines(modes, shownOf(parsed), who) : [];
  return alone ? { modes, reply: lines.join("\n"), notes: [...notes] } : { modes, notes: [...notes, ...lines] };
}

function switched(modes: Modes, change: ModeChange, now: number): Modes {
  switch (change.mode) {
    case "all":
      return OFF;
    case "verbose":
      return { ...modes, verbose: change.on };
    case "think": {
      const { thinkLevel: before, ...others } = modes;
      const level = change.level ?? before;
      return { ...others, think: change.on, ...(change.on && level !== undefined ? { thinkLevel: level } : {}) };
    }
    case "elevated": {
      if (!change.on) return withoutElevation(modes);
      // Without a time, one that is running goes on: only `off` and a new time end it.
      return { ...modes, elevated: true, ...(change.forMs === undefined ? {} : { elevatedUntil: now + change.forMs }) };
    }
  }
}

function refusalOf({ elevation, mayElevate }: ModeAuthority): string | undefined {
  if (elevation === "never") return "Not elevated: this agent is never elevated, whoever asks.";
  return mayElevate ? undefined : "Not elevated: only an operator can elevate a session.";
}

/** The modes that the message names; all of them when it names `/modes`. */
function shownOf({ changes, asked }: ParsedModes): readonly (typeof NAMES)[number][] {
  const named = new Set<string>([...asked, ...changes.map(({ mode }) => mode)]);
  return named.has("modes") || named.has("all") ? NAMES : NAMES.filter((name) => named.has(name));
}

function stateLines(modes: Modes, shown: readonly (typeof NAMES)[number][], who: ModeAuthority): readonly string[] {
  return shown.map((name) => `${name}: ${stateOf(modes, name, who)}`);
}

function stateOf(modes: Modes, name: (typeof NAMES)[number], { now, elevation }: ModeAuthority): string {
  if (name === "elevated" && elevation === "never") return "off (this agent is never elevated)";
  if (!modes[name]) return "off";
  switch (name) {
    case "think":
      return modes.thinkLevel === undefined ? "on" : `on, ${modes.thinkLevel}`;
    case "verbose":
      return "on";
    case "elevated":
      return modes.elevatedUntil === undefined
        ? "on, until it is switched off or the session ends"
        : `on, for another ${formatDuration(modes.elevatedUntil - now)}`;
  }
}
