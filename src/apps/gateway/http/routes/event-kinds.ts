import { z } from "zod";
import type { EventFilter, EventJournal, KeptEvent } from "../../../../base/ports/stores/event-journal.ts";
import type { ConductEvent } from "../../../../base/words/event.ts";

/** `where` is what the store can filter; `is` decides. */
type Kind = {
  readonly where: Pick<EventFilter, "types" | "denied">;
  readonly is: (event: ConductEvent) => boolean;
};

/** The kinds of events that the console's figures count. Each figure opens the list of its kind. */
const KINDS = {
  call: { where: { types: ["call"] }, is: () => true },
  denied: {
    where: { types: ["call"], denied: true },
    is: (event) => event.type === "call" && event.decision.kind === "deny",
  },
  asked: { where: { types: ["call"] }, is: (event) => event.type === "call" && event.decision.kind === "ask" },
  "stop-refused": { where: { types: ["stop"] }, is: (event) => event.type === "stop" && event.status === "refused" },
  usage: { where: { types: ["notice"] }, is: (event) => event.type === "notice" && event.notice.kind === "usage" },
  truncated: { where: { types: ["result"] }, is: (event) => event.type === "result" && event.truncation.length > 0 },
  error: { where: { types: ["fault", "notice", "result"] }, is: isError },
} as const satisfies { readonly [kind: string]: Kind };

export type EventKind = keyof typeof KINDS;
export const eventKind = z.enum(Object.keys(KINDS) as [EventKind, ...EventKind[]]);

/** A failed tool, a failed turn, or an error in Conduct or its input. */
export function isError(event: ConductEvent): boolean {
  if (event.type === "fault") return true;
  if (event.type === "result") return event.outcome === "failed";
  return event.type === "notice" && event.notice.kind === "fault";
}

/** Events read for one page. A rare kind in a long journal needs several pages. */
const MOST_READ = 5_000;
const CHUNK = 500;

type Asked = EventFilter & {
  readonly kind?: EventKind;
  readonly until?: number;
  readonly before?: number;
  readonly limit: number;
};

/** Reads a page of one kind of events, newest first. `next` is set while older events may match. */
export async function readEvents(
  journal: Pick<EventJournal, "read">,
  { kind, until, limit, before, ...filter }: Asked,
): Promise<{ readonly events: readonly KeptEvent[]; readonly next?: number }> {
  const wanted: Kind | undefined = kind === undefined ? undefined : KINDS[kind];
  if (wanted === undefined && until === undefined) return journal.read({ ...filter, before, limit });
  const found: KeptEvent[] = [];
  let from = before;
  for (let read = 0; read < MOST_READ; read += CHUNK) {
    const page = await journal.read({ ...filter, ...wanted?.where, before: from, limit: CHUNK });
    for (const one of page.events) {
      from = one.position;
      if ((until !== undefined && one.event.at > until) || wanted?.is(one.event) === false) continue;
      found.push(one);
      if (found.length === limit) return { events: found, next: from - 1 };
    }
    if (page.next === undefined) return { events: found };
    from = page.next;
  }
  return { events: found, next: from };
}
