import { setImmediate as breathe } from "node:timers/promises";
import type { EventJournal } from "../../../base/ports/stores/event-journal.ts";
import type { StandingRule } from "../../../base/words/contract.ts";
import type { ConductEvent } from "../../../base/words/event.ts";
import type { Agent } from "../../../base/words/hosting/agent.ts";
import { ReplayAgents, type RuleChange } from "../../../engine/replay/replay-agents.ts";
import type { ReplayWindow } from "../../../engine/replay/replay-change.ts";
import { EventReplayer } from "../../../engine/replay/replay-events.ts";
import { type ChangedSession, type ReplayPart, type ReplayReport, ReplayTally } from "./report.ts";

/** Which recorded sessions are meant. Times in milliseconds. */
export type ReplayQuery = ReplayWindow & {
  readonly agent?: string;
  readonly sessions?: readonly string[];
};

export type ReplayProgress = { readonly done: number; readonly of: number };

export type ReplayOptions = ReplayQuery & {
  /** As they are defined now; their policies decide, with other rules where `change` says so. */
  readonly agents: readonly Agent[];
  readonly change?: RuleChange;
  /** The operator's standing rules. */
  readonly standing?: readonly StandingRule[];
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: ReplayProgress) => void;
};

/** Sessions read and decided on at once: a process that also serves others is not held for long. */
const AT_ONCE = 8;
const ALL = 10_000_000;

/** Decides on recorded sessions again, with nothing but what was recorded; nothing is written. Rejects when it is called off. */
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

/** The sessions in which something happened in that time, of all that are kept. */
export async function sessionsOf(journal: EventJournal, query: ReplayQuery): Promise<readonly string[]> {
  const { since, until = Number.POSITIVE_INFINITY, agent, sessions } = query;
  if (sessions !== undefined) return [...new Set(sessions)];
  const found = await journal.sessions({
    ...(since === undefined ? {} : { since }),
    ...(agent === undefined ? {} : { agent }),
    limit: ALL,
  });
  return found.sessions.filter(({ startedAt }) => startedAt <= until).map(({ session }) => session);
}

/** Decides on whole sessions, as they were read. */
export function replayerOf(
  agents: ReplayAgents,
  { since, until }: ReplayWindow,
): (histories: readonly (readonly ConductEvent[])[]) => ReplayPart {
  const replayer = new EventReplayer(agents);
  const window = { ...(since === undefined ? {} : { since }), ...(until === undefined ? {} : { until }) };
  return (histories) => {
    const [changed, undefinedAgents]: [ChangedSession[], Set<string>] = [[], new Set()];
    let [sessions, calls] = [0, 0];
    for (const events of histories) {
      if (events.length === 0) continue;
      const one = replayer.replay(events, window);
      sessions += 1;
      calls += one.calls;
      if (one.calls > 0 && !agents.isDefined(one.agent)) undefinedAgents.add(one.agent);
      if (one.changes.length > 0) changed.push(one);
    }
    return { sessions, calls, changed, undefinedAgents: [...undefinedAgents] };
  };
}
