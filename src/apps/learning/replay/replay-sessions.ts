import { setImmediate as breathe } from "node:timers/promises";
import type { EventJournal } from "../../../base/ports/stores/event-journal.ts";
import type { StandingRule } from "../../../base/words/contract.ts";
import type { ConductEvent } from "../../../base/words/event.ts";
import type { Agent } from "../../../base/words/hosting/agent.ts";
import { EventReplayer, type ReplayWindow, type SessionReplay } from "../../../engine/replay/event-replayer.ts";
import { ReplayAgents, type RuleChange } from "../../../engine/replay/replay-agents.ts";

/** Selects the recorded sessions to replay. Times in milliseconds. */
export type ReplayQuery = ReplayWindow & {
  readonly agent?: string;
  readonly sessions?: readonly string[];
};

export type ReplayProgress = { readonly done: number; readonly of: number };

export type ReplayOptions = ReplayQuery & {
  readonly agents: readonly Agent[];
  readonly change?: RuleChange;
  readonly standing?: readonly StandingRule[];
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: ReplayProgress) => void;
};

export type ReplayReport = {
  readonly sessions: number;
  readonly calls: number;
  /** Calls whose decision changes, without those that cannot be determined. */
  readonly changed: number;
  readonly newlyDenied: number;
  readonly noLongerDenied: number;
  readonly newlyAsked: number;
  readonly noLongerAsked: number;
  readonly otherwise: number;
  readonly cannotTell: number;
  /** Sessions with a changed or undeterminable decision, oldest first. */
  readonly details: readonly SessionReplay[];
  /** Changes that are counted but not listed in `details`, because there are too many. */
  readonly left: number;
  /** Undefined agents. Conduct's own policies and the given rules decided on their sessions. */
  readonly undefinedAgents: readonly string[];
};

export type ReplayPart = {
  readonly sessions: number;
  readonly calls: number;
  readonly changed: readonly SessionReplay[];
  readonly undefinedAgents: readonly string[];
};

type ReplayChange = SessionReplay["changes"][number];

/** Sessions replayed without yielding, so that a process that serves other requests is not blocked for long. */
const AT_ONCE = 8;
const ALL = 10_000_000;
const MOST_CHANGES = 5_000;

/** Decides recorded sessions again; writes nothing. Rejects when `signal` aborts. */
export async function replaySessions(journal: EventJournal, options: ReplayOptions): Promise<ReplayReport> {
  const { agents, change, standing, signal, onProgress } = options;
  const replay = replayerOf(new ReplayAgents(agents, change, standing), options);
  const ids = await sessionsOf(journal, options);
  const tally = new ReplayTally();
  for (let from = 0; from < ids.length; from += AT_ONCE) {
    signal?.throwIfAborted();
    tally.add(replay(await journal.histories(ids.slice(from, from + AT_ONCE))));
    onProgress?.({ done: Math.min(from + AT_ONCE, ids.length), of: ids.length });
    await breathe();
  }
  return tally.report();
}

export async function sessionsOf(journal: EventJournal, query: ReplayQuery): Promise<readonly string[]> {
  const { since, until = Number.POSITIVE_INFINITY, agent, sessions } = query;
  if (sessions !== undefined) return [...new Set(sessions)];
  const found = await journal.sessions({ since, agent, limit: ALL });
  return found.sessions.filter(({ startedAt }) => startedAt <= until).map(({ session }) => session);
}

export function replayerOf(
  agents: ReplayAgents,
  { since, until }: ReplayWindow,
): (histories: readonly (readonly ConductEvent[])[]) => ReplayPart {
  const replayer = new EventReplayer(agents);
  return (histories) => {
    const [changed, undefinedAgents]: [SessionReplay[], Set<string>] = [[], new Set()];
    let [sessions, calls] = [0, 0];
    for (const events of histories) {
      if (events.length === 0) continue;
      const one = replayer.replay(events, { since, until });
      sessions += 1;
      calls += one.calls;
      if (one.calls > 0 && !agents.isDefined(one.agent)) undefinedAgents.add(one.agent);
      if (one.changes.length > 0) changed.push(one);
    }
    return { sessions, calls, changed, undefinedAgents: [...undefinedAgents] };
  };
}

/** Sums up the results of all sessions; keeps a limited number of details. */
export class ReplayTally {
  #sessions = 0;
  #calls = 0;
  #left = 0;
  #kept = 0;
  /** The number of changes of each kind. */
  readonly #counts = new Map<ReplayChange["kind"], number>();
  readonly #details: SessionReplay[] = [];
  readonly #undefined = new Set<string>();

  add({ sessions, calls, changed, undefinedAgents }: ReplayPart): void {
    this.#sessions += sessions;
    this.#calls += calls;
    for (const name of undefinedAgents) this.#undefined.add(name);
    for (const one of changed) this.#keep(one);
  }

  report(): ReplayReport {
    const of = (kind: ReplayChange["kind"]) => this.#counts.get(kind) ?? 0;
    const all = [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
    return {
      sessions: this.#sessions,
      calls: this.#calls,
      changed: all - of("cannot-tell"),
      newlyDenied: of("newly-denied"),
      noLongerDenied: of("no-longer-denied"),
      newlyAsked: of("newly-asked"),
      noLongerAsked: of("no-longer-asked"),
      otherwise: of("otherwise"),
      cannotTell: of("cannot-tell"),
      details: this.#details.sort((a, b) => a.startedAt - b.startedAt || (a.session < b.session ? -1 : 1)),
      left: this.#left,
      undefinedAgents: [...this.#undefined].sort(),
    };
  }

  #keep(one: SessionReplay): void {
    for (const { kind } of one.changes) this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
    const room = MOST_CHANGES - this.#kept;
    this.#left += Math.max(0, one.changes.length - room);
    if (room <= 0) return;
    this.#kept += Math.min(room, one.changes.length);
    this.#details.push(one.changes.length <= room ? one : { ...one, changes: one.changes.slice(0, room) });
  }
}
