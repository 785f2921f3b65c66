import type { ConductEvent } from "../../../base/words/event.ts";
import type { Figure } from "../../../edge/host/telemetry/gauge-exporter.ts";
import type { Conduct } from "../../../engine/session/conduct.ts";
import type { Update } from "../conversations/updates.ts";
import type { Listeners } from "../listeners.ts";

/** Histogram buckets in seconds. */
const BOUNDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120] as const;

/** Metrics since the start, in the Prometheus text format. They contain no user or session names. */
export function openMetrics(
  conduct: Conduct,
  updates: Listeners<Update>,
  live: () => number,
  more: () => Promise<readonly Figure[]> = async () => [],
): () => Promise<string> {
  const counts = new Map<string, number>();
  const buckets = BOUNDS.map(() => 0);
  let seconds = 0;
  let turns = 0;
  const add = (name: string, by = 1) => counts.set(name, (counts.get(name) ?? 0) + by);
  conduct.subscribe((event) => {
    for (const [name, by] of figuresOf(event)) add(name, by);
  });
  updates.subscribe(undefined, (update) => {
    if (update.kind !== "turn" || update.turn.endedAt === undefined) return;
    const took = (update.turn.endedAt - update.turn.at) / 1_000;
    turns += 1;
    seconds += took;
    for (const [at, bound] of BOUNDS.entries()) if (took <= bound) buckets[at] = (buckets[at] ?? 0) + 1;
    add(`conduct_turns_total{status="${update.turn.status}"}`);
  });
  return async () => {
    const counters = [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, value]) => `${name} ${value}`);
    const histogram = BOUNDS.map((bound, at) => `conduct_turn_seconds_bucket{le="${bound}"} ${buckets[at]}`);
    return [
      ...counters,
      "# TYPE conduct_turn_seconds histogram",
      ...histogram,
      `conduct_turn_seconds_bucket{le="+Inf"} ${turns}`,
      `conduct_turn_seconds_sum ${seconds}`,
      `conduct_turn_seconds_count ${turns}`,
      "# TYPE conduct_conversations_live gauge",
      `conduct_conversations_live ${live()}`,
      "# TYPE process_resident_memory_bytes gauge",
      `process_resident_memory_bytes ${process.memoryUsage().rss}`,
      ...(await more()).flatMap(linesOf),
      "",
    ].join("\n");
  };
}

/** The name in Prometheus' style: `conduct_turns_oldest_queued_seconds`, `conduct_replica_lease_losses_total`. */
function linesOf({ name, unit, kind, value }: Figure): readonly string[] {
  const words = name.replaceAll(".", "_") + (unit === "s" ? "_seconds" : "") + (kind === "counter" ? "_total" : "");
  return [`# TYPE ${words} ${kind}`, `${words} ${Number(value.toFixed(4))}`];
}

function figuresOf(event: ConductEvent): readonly (readonly [string, number])[] {
  switch (event.type) {
    case "call":
      return [[`conduct_calls_total{decision="${event.decision.kind}"}`, 1]];
    case "stop":
      return [[`conduct_stops_total{status="${event.status}"}`, 1]];
    case "prompt":
      return [
        ["conduct_prompts_total", 1],
        ["conduct_prompt_tokens_total", event.tokens],
        ["conduct_prompt_prefix_tokens_total", event.prefixTokens],
      ];
    case "fault":
      return [["conduct_faults_total", 1]];
    default:
      return [];
  }
}
