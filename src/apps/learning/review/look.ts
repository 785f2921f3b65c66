import type { EventJournal, KeptEvent } from "../../../base/ports/stores/event-journal.ts";
import type { ConductEvent } from "../../../base/words/event.ts";
import type { Finding, ReviewWindow } from "./steps.ts";

/** `isNew`: inside the window; otherwise earlier and only counted. */
export type Looked = { readonly event: ConductEvent; readonly isNew: boolean };

/** Receives every event once, in journal order, and stores only what its findings need. */
export type Watcher = { see(looked: Looked): void; findings(): readonly Finding[] };

const PAGE = 1_000;

/** Decisions, messages and actions, but not prompts. */
const TYPES = ["session", "message", "call", "result", "stop", "approval", "notice"] as const;

/** The events of a window, preceded by those of the look-back period. */
export async function* lookAt(
  events: EventJournal,
  { after, upTo, from }: ReviewWindow,
  lookBackMs: number,
): AsyncIterable<Looked> {
  if (lookBackMs > 0) {
    const before = { since: from - lookBackMs, types: TYPES };
    for await (const { event } of range(events, 0, after, before)) yield { event, isNew: false };
  }
  for await (const { event } of range(events, after, upTo, { types: TYPES })) yield { event, isNew: true };
}

async function* range(
  events: EventJournal,
  after: number,
  upTo: number,
  filter: { readonly since?: number; readonly types: typeof TYPES },
): AsyncIterable<KeptEvent> {
  for (let at = after; at < upTo; ) {
    const page = await events.follow({ after: at, limit: PAGE, ...filter });
    for (const kept of page) {
      if (kept.position > upTo) return;
      yield kept;
    }
    if (page.length < PAGE) return;
    at = page.at(-1)?.position ?? upTo;
  }
}
