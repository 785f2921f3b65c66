import type { EventJournal } from "../../../../base/ports/stores/event-journal.ts";
import type { ConductEvent } from "../../../../base/words/event.ts";
import { showCall } from "../../timeline/show-call.ts";

/** The newest of what one rule would have stopped. `id` can be asked about. */
export type Example = { readonly at: number; readonly call: string; readonly id: string; readonly reason: string };

export type RuleTally = { readonly rule: string; readonly times: number; readonly examples: readonly Example[] };

/** What a runtime that is only watched did, and what of it would not have been let through. */
export type ShadowTally = {
  readonly sessions: number;
  readonly calls: number;
  /** Calls that at least one rule spoke against. */
  readonly stopped: number;
  readonly rules: readonly RuleTally[];
  readonly stops: { readonly times: number; readonly last?: string };
  /** Only the newest events were looked at: there are too many. */
  readonly partial: boolean;
};

const PAGE = 1_000;
const MOST_EVENTS = 50_000;
const EXAMPLES = 3;

/** Counts what the journal has of that runtime in shadow since then, the newest first. */
export async function tallyShadow(journal: EventJournal, runtime: string, since: number): Promise<ShadowTally> {
  const isIts = sessionsOf(journal, runtime);
  const sessions = new Set<string>();
  const rules = new Map<string, { times: number; examples: Example[] }>();
  let [calls, stopped, stops, seen] = [0, 0, 0, 0];
  let last: string | undefined;
  let before: number | undefined;
  do {
    const page = await journal.read({ types: ["call", "stop"], since, limit: PAGE, ...(before ? { before } : {}) });
    seen += page.events.length;
    before = page.next;
    for (const { event } of page.events) {
      if (event.observing !== "shadow" || !(await isIts(event.session))) continue;
      sessions.add(event.session);
      if (event.type === "stop" && event.status === "refused") {
        stops += 1;
        last ??= event.feedback;
      }
      if (event.type !== "call") continue;
      calls += 1;
      if (countCall(event, rules)) stopped += 1;
    }
  } while (before !== undefined && seen < MOST_EVENTS);
  const tallied = [...rules].map(([rule, tally]) => ({ rule, ...tally }));
  return {
    sessions: sessions.size,
    calls,
    stopped,
    rules: tallied.sort((a, b) => b.times - a.times || (a.rule < b.rule ? -1 : 1)),
    stops: { times: stops, last },
    partial: before !== undefined,
  };
}

/** Would it have been stopped? Every rule that spoke against it counts. */
function countCall(
  { at, call, decision, shadows = [] }: Extract<ConductEvent, { type: "call" }>,
  rules: Map<string, { times: number; examples: Example[] }>,
): boolean {
  for (const { rule, reason } of new Map(shadows.map((one) => [one.rule, one])).values()) {
    const tally = rules.get(rule) ?? { times: 0, examples: [] };
    tally.times += 1;
    if (tally.examples.length < EXAMPLES) tally.examples.push({ at, call: showCall(call), id: decision.id, reason });
    rules.set(rule, tally);
  }
  return shadows.length > 0;
}

/** Each session says with its first notices which runtime it is held in; it is asked once. */
function sessionsOf(journal: EventJournal, runtime: string): (session: string) => Promise<boolean> {
  const known = new Map<string, boolean>();
  return async (session) => {
    const before = known.get(session);
    if (before !== undefined) return before;
    const first = await journal.follow({ session, types: ["notice"], after: 0, limit: 20 });
    const its = first.some(
      ({ event }) => event.type === "notice" && event.notice.kind === "started" && event.notice.adapter === runtime,
    );
    known.set(session, its);
    return its;
  };
}
