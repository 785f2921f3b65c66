import type { Modes } from "../../../../base/words/modes.ts";

/** Pi's levels, from none to most. */
const LEVELS = ["off", "minimal", "low", "medium", "high", "xhigh", "max"] as const;
type Level = (typeof LEVELS)[number];

/** A named level is used; /think alone asks for medium, and never lowers a level. */
export function levelFor(own: Level, { think, thinkLevel }: Modes): Level {
  if (!think) return own;
  return thinkLevel ?? (LEVELS.indexOf(own) < LEVELS.indexOf("medium") ? "medium" : own);
}

/** Separates the application's own level from the one of think mode, which Pi carries from request to request. */
export class Thinking {
  #set: { readonly own: Level; readonly level: Level } | undefined;

  begin(): void {
    this.#set = undefined;
  }

  /** The end of a run: the application's level, if `current` is the one of think mode. */
  end(current: Level): Level | undefined {
    const set = this.#set;
    this.#set = undefined;
    return set === undefined || set.level !== current || set.own === current ? undefined : set.own;
  }

  /** The level that this request needs; `undefined` if `current` is right. */
  change(current: Level, modes: Modes): Level | undefined {
    const own = this.#set?.level === current ? this.#set.own : current;
    const level = levelFor(own, modes);
    this.#set = { own, level };
    return level === current ? undefined : level;
  }
}
