import type { ConductEvent } from "../../../../../base/words/event.ts";

/** What a run came to, in figures. */
export type Tally = {
  readonly calls: number;
  readonly denied: { readonly [rule: string]: number };
  readonly failed: number;
  readonly feedback: number;
  readonly tokensSaved: number;
  readonly pagesRead: number;
  readonly stopsRefused: number;
};

export function tally(events: readonly ConductEvent[]): Tally {
  const calls = events.filter((event) => event.type === "call");
  const results = events.filter((event) => event.type === "result");
  const denied: Record<string, number> = {};
  for (const { decision } of calls)
    if (decision.kind === "deny") denied[decision.rule] = (denied[decision.rule] ?? 0) + 1;
  const cuts = results.flatMap(({ truncation }) => truncation);
  return {
    calls: calls.length,
    denied,
    failed: results.filter(({ outcome }) => outcome === "failed").length,
    feedback: results.reduce((sum, { feedback }) => sum + feedback.length, 0),
    tokensSaved: cuts.reduce((sum, { original, kept }) => sum + original - kept, 0),
    pagesRead: results.filter(({ tool, outcome }) => tool === "read_result" && outcome === "ok").length,
    stopsRefused: events.filter((event) => event.type === "stop" && event.status === "refused").length,
  };
}
