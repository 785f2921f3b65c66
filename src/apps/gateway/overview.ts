import type { EventJournal, Figures, FiguresAt, FiguresQuery } from "../../base/ports/stores/event-journal.ts";
import { addFigures, HOUR_MS, NO_FIGURES } from "../../engine/journal/event-figures.ts";

const DAY_MS = 24 * HOUR_MS;

/** The figures of one hour or day, in total and per active agent. */
export type Bucket = {
  readonly at: number;
  readonly all: Figures;
  readonly agents: readonly (Figures & { readonly agent: string })[];
};

/** Every hour or day (UTC) from `since` to `until`, oldest first, including empty ones. */
export async function bucketsOf(
  journal: Pick<EventJournal, "figures">,
  query: FiguresQuery,
): Promise<readonly Bucket[]> {
  const { since, until, by } = query;
  const span = by === "day" ? DAY_MS : HOUR_MS;
  const found = Map.groupBy(await journal.figures(query), ({ at }) => at);
  const buckets: Bucket[] = [];
  for (let at = Math.floor(since / span) * span; at <= until; at += span)
    buckets.push(bucketAt(at, found.get(at) ?? []));
  return buckets;
}

function bucketAt(at: number, found: readonly FiguresAt[]): Bucket {
  const agents = found.map(({ at: _at, ...figures }) => figures);
  const all = found.reduce<Figures>((sum, figures) => addFigures(sum, figures), NO_FIGURES);
  return { at, all, agents };
}

export function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
