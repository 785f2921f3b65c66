import type { Modes } from "../../../base/words/modes.ts";

/** Pi's levels, from none to most. */
const LEVELS = ["off", "minimal", "low", "medium", "high", "xhigh", "max"] as const;
type Level = (typeof LEVELS)[number];

/** A level that was named holds; /think alone asks for some, and takes none away. */
export function levelFor(own: Level, { think, thinkLevel }: Modes): Level {
  if (!think) return own;
  return thinkLevel ?? (LEVELS.indexOf(own) < LEVELS.indexOf("medium") ? "medium" : own);
}

/** Keeps the application's own level apart from the one that think mode sets in a run: Pi hands that one on from request to request. */
export class Thinking {
  #set: { readonly own: Level; readonly level: Level } | undefined;

  /** A run begins with the application's level. */
  begin(): void {
    this.#set = undefined;
  }

  /** A run is over: the application's level, where `current` is the one that think mode has set. */
  end(current: Level): Level | undefined {
    const set = this.#set;
    this.#set = undefined;
    return set === undefined || set.level !== current || set.own === current ? undefined : set.own;
  }

  /** The level that this request needs instead of the one it has; `undefined` when that is right. */
  change(current: Level, modes: Modes): Level | undefined {
    const own = this.#set?.level === current ? this.#set.own : current;
    const level = levelFor(own, modes);
    this.#set = { own, level };
    return level === current ? undefined : level;
  }
}
