import type { ReplayChange, SessionReplay } from "../../../engine/replay/event-replayer.ts";

/** What a session would have been like. */
export type ChangedSession = Omit<SessionReplay, "changes"> & { readonly changes: readonly ReplayChange[] };

export type ReplayCounts = {
  readonly sessions: number;
  readonly calls: number;
  /** Calls on which something else would be decided; those that cannot be told are not among them. */
  readonly changed: number;
  readonly newlyDenied: number;
  readonly noLongerDenied: number;
  readonly newlyAsked: number;
  readonly noLongerAsked: number;
  readonly otherwise: number;
  readonly cannotTell: number;
};

/** Recorded sessions against changed rules. */
export type ReplayReport = ReplayCounts & {
  /** Sessions in which something differs or cannot be told, in the order of their beginning. */
  readonly details: readonly ChangedSession[];
  /** Changes that are counted and not in `details`: there were too many. */
  readonly left: number;
  /** Agents that are not defined here: their sessions were decided by Conduct's own policies and the given rules alone. */
  readonly undefinedAgents: readonly string[];
};

/** So many changes are told one by one. */
const MOST_CHANGES = 5_000;

const KINDS = {
  "newly-denied": "newlyDenied",
  "no-longer-denied": "noLongerDenied",
  "newly-asked": "newlyAsked",
  "no-longer-asked": "noLongerAsked",
  otherwise: "otherwise",
} as const;

/** What workers tell of some sessions. */
export type ReplayPart = {
  readonly sessions: number;
  readonly calls: number;
  readonly changed: readonly ChangedSession[];
  readonly undefinedAgents: readonly string[];
};

/** Adds up what is found, session by session; what it keeps is bounded. */
export class ReplayTally {
  #sessions = 0;
  #calls = 0;
  #left = 0;
  #kept = 0;
  readonly #counts = {
    newlyDenied: 0,
    noLongerDenied: 0,
    newlyAsked: 0,
    noLongerAsked: 0,
    otherwise: 0,
    cannotTell: 0,
  };
  readonly #details: ChangedSession[] = [];
  readonly #undefined = new Set<string>();

  add({ sessions, calls, changed, undefinedAgents }: ReplayPart): void {
    this.#sessions += sessions;
    this.#calls += calls;
    for (const name of undefinedAgents) this.#undefined.add(name);
    for (const one of changed) this.#keep(one);
  }

  report(): ReplayReport {
    const counts = this.#counts;
    const { newlyDenied, noLongerDenied, newlyAsked, noLongerAsked, otherwise } = counts;
    return {
      sessions: this.#sessions,
      calls: this.#calls,
      changed: newlyDenied + noLongerDenied + newlyAsked + noLongerAsked + otherwise,
      ...counts,
      details: this.#details.sort((a, b) => a.startedAt - b.startedAt || (a.session < b.session ? -1 : 1)),
      left: this.#left,
      undefinedAgents: [...this.#undefined].sort(),
    };
  }

  #keep(one: ChangedSession): void {
    for (const { kind } of one.changes) this.#counts[kind === "cannot-tell" ? "cannotTell" : KINDS[kind]] += 1;
    const room = MOST_CHANGES - this.#kept;
    this.#left += Math.max(0, one.changes.length - room);
    if (room <= 0) return;
    this.#kept += Math.min(room, one.changes.length);
    this.#details.push(one.changes.length <= room ? one : { ...one, changes: one.changes.slice(0, room) });
  }
}
