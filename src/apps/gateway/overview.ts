import type { EventJournal } from "../../base/ports/event-journal.ts";
import type { ConductEvent } from "../../base/words/event.ts";

export type DayFigures = {
  /** In UTC: 2026-11-15. */
  readonly day: string;
  readonly calls: number;
  readonly denials: number;
  readonly asked: number;
  readonly stopsRefused: number;
  readonly prompts: number;
  /** By truncation. */
  readonly tokensSaved: number;
  readonly promptTokens: number;
  /** Of those, the ones that the provider's cache can hold. */
  readonly stableTokens: number;
};

const DAY = 86_400_000;
const PAGE = 2_000;
/** Beyond this the oldest days are left out; a busy gateway asks for fewer days. */
const MOST = 200_000;

/** What happened on each of the last days, the oldest first. Counted from the journal when it is asked for. */
export async function overview(journal: EventJournal, now: number, days: number): Promise<readonly DayFigures[]> {
  const since = Math.floor(now / DAY) * DAY - (days - 1) * DAY;
  const found = new Map<string, Mutable>();
  for (let at = since; at <= now; at += DAY) found.set(dayOf(at), empty());
  let before: number | undefined;
  for (let seen = 0; seen < MOST; ) {
    const page = await journal.read({
      since,
      types: ["call", "stop", "prompt", "result"],
      limit: PAGE,
      ...(before === undefined ? {} : { before }),
    });
    for (const { event } of page.events) {
      const figures = found.get(dayOf(event.at));
      if (figures !== undefined) count(figures, event);
    }
    seen += page.events.length;
    before = page.next;
    if (before === undefined) break;
  }
  return [...found].map(([day, figures]) => ({ day, ...figures }));
}

type Mutable = { -readonly [K in keyof Omit<DayFigures, "day">]: number };

function empty(): Mutable {
  return {
    calls: 0,
    denials: 0,
    asked: 0,
    stopsRefused: 0,
    prompts: 0,
    tokensSaved: 0,
    promptTokens: 0,
    stableTokens: 0,
  };
}

function count(figures: Mutable, event: ConductEvent): void {
  if (event.type === "call") {
    figures.calls += 1;
    if (event.decision.kind === "deny") figures.denials += 1;
    if (event.decision.kind === "ask") figures.asked += 1;
  }
  if (event.type === "stop" && event.status === "refused") figures.stopsRefused += 1;
  if (event.type === "prompt") {
    figures.prompts += 1;
    figures.promptTokens += event.tokens;
    figures.stableTokens += event.prefixTokens;
  }
  if (event.type === "result")
    for (const { original, kept } of event.truncation) figures.tokensSaved += Math.max(0, original - kept);
}

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
