import { pastRuns } from "./past-runs.ts";
import type { ReviewWindow } from "./steps.ts";
import type { ReviewWorld } from "./world.ts";

/**
 * From where the last finished run ended to the newest event, however long ago that was: an event that comes late has a later position,
 * and so falls into the next one. The first run looks back as far as counting does.
 */
export async function findWindow(
  { events, governance }: Pick<ReviewWorld, "events" | "governance">,
  now: number,
  lookBackMs: number,
): Promise<ReviewWindow | "nothing"> {
  const runs = await pastRuns(governance);
  const last = runs.reduce((most, { window }) => Math.max(most, window.upTo), 0);
  const since = runs.length === 0 ? { since: now - lookBackMs } : {};
  const [first] = await events.follow({ after: last, limit: 1, ...since });
  if (first === undefined) return "nothing";
  const upTo = await events.head();
  const [newest] = (await events.read({ before: upTo, limit: 1 })).events;
  const times = [first.event.at, newest?.event.at ?? first.event.at];
  const after = runs.length === 0 ? first.position - 1 : last;
  return { run: `review-${after}-${upTo}`, after, upTo, from: Math.min(...times), to: Math.max(...times) };
}
