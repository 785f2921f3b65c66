import { z } from "zod";
import type { EventJournal } from "../../../../base/ports/stores/event-journal.ts";
import type { ConductEvent } from "../../../../base/words/event.ts";
import { HOUR_MS } from "../../../../engine/journal/session-figures.ts";
import { badInput } from "../problem.ts";
import { route } from "../route.ts";
import { list, READ, typed } from "../schemas.ts";
import { isError } from "./event-kinds.ts";

/** Cost is in US dollars. */
export type Measured = {
  readonly at: number;
  readonly cost: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly errors: number;
};

/** Durations in milliseconds of the requests to a model, or of the calls of a tool. */
export type Latency = { readonly name: string; readonly count: number; readonly p50: number; readonly p95: number };

const SPANS = { hour: HOUR_MS, day: 24 * HOUR_MS };
const MOST_BUCKETS = 1_000;
/** Events read for one answer. Older ones are left out, and the answer says so. */
const MOST_READ = 10_000;
const CHUNK = 1_000;
const TYPES: readonly ConductEvent["type"][] = ["message", "prompt", "call", "result", "stop", "notice", "fault"];

export const measureRoutes = [
  route("GET /api/measures", {
    summary:
      "Show cost, tokens and errors of each hour or day (UTC), and how long models and tools took (median and 95th percentile). Reads the newest 10,000 events: `from` is set if older ones were left out",
    roles: READ,
    query: z.object({
      by: z.enum(["hour", "day"]).default("day"),
      since: z.coerce.number().min(0),
      until: z.coerce.number().min(0),
      agent: z.string().optional(),
    }),
    response: z.object({
      buckets: list(typed("Measured")),
      models: list(typed("Latency")),
      tools: list(typed("Latency")),
      from: z.number().optional(),
    }),
    answer: async ({ query: { by, since, until, agent } }, _caller, { stores, agents }) => {
      const span = SPANS[by];
      if (since > until) throw badInput("since: must not be after until");
      if ((until - since) / span > MOST_BUCKETS) throw badInput(`since: at most ${MOST_BUCKETS} ${by}s at once`);
      const seen = new Seen(Math.floor(since / span) * span, until, span);
      const from = await seen.read(stores.events, since, agent);
      return { ...seen.measured((name) => agents.find(name)?.agent.model), from };
    },
  }),
];

/** Sums up events that arrive newest first. */
class Seen {
  readonly #buckets = new Map<number, Measured>();
  readonly #span: number;
  readonly #until: number;
  /** Times of results whose call has not been read yet, by session and call. */
  readonly #results = new Map<string, number>();
  /** Usage reports whose preceding event has not been read yet, by session. */
  readonly #usages = new Map<string, number>();
  readonly #tools = new Map<string, number[]>();
  readonly #sessions = new Map<string, { readonly agent: string; readonly took: number[] }>();
  readonly #models = new Map<string, string>();

  constructor(first: number, until: number, span: number) {
    this.#span = span;
    this.#until = until;
    for (let at = first; at <= until; at += span) this.#buckets.set(at, { ...NONE, at });
  }

  /** Returns the time of the oldest event read if there are older ones. */
  async read(
    journal: Pick<EventJournal, "read">,
    since: number,
    agent: string | undefined,
  ): Promise<number | undefined> {
    let before: number | undefined;
    let oldest: number | undefined;
    for (let count = 0; count < MOST_READ; count += CHUNK) {
      const page = await journal.read({ since, agent, types: TYPES, before, limit: CHUNK });
      for (const { event } of page.events) this.#add(event);
      oldest = page.events.at(-1)?.event.at ?? oldest;
      before = page.next;
      if (before === undefined) return undefined;
    }
    return oldest;
  }

  #add(event: ConductEvent): void {
    const { session, at } = event;
    const usedAt = this.#usages.get(session);
    if (usedAt !== undefined) {
      this.#usages.delete(session);
      const known = this.#sessions.get(session) ?? { agent: event.agent, took: [] };
      known.took.push(usedAt - at);
      this.#sessions.set(session, known);
    }
    if (event.type === "notice" && event.notice.kind === "started" && event.notice.model !== undefined)
      this.#models.set(session, this.#models.get(session) ?? event.notice.model);
    if (event.type === "call") {
      const key = `${session} ${event.call.id}`;
      const endedAt = this.#results.get(key);
      this.#results.delete(key);
      if (endedAt !== undefined) push(this.#tools, event.call.tool, endedAt - at);
    }
    if (at > this.#until) return;
    if (event.type === "result") this.#results.set(`${session} ${event.call}`, at);
    if (isError(event)) this.#sum(at, { ...NONE, errors: 1 });
    if (event.type !== "notice" || event.notice.kind !== "usage") return;
    this.#usages.set(session, at);
    const { inputTokens = 0, outputTokens = 0, cost = 0 } = event.notice;
    this.#sum(at, { ...NONE, inputTokens, outputTokens, cost });
  }

  #sum(at: number, more: Measured): void {
    const start = Math.floor(at / this.#span) * this.#span;
    const one = this.#buckets.get(start);
    if (one === undefined) return;
    this.#buckets.set(start, {
      at: start,
      cost: one.cost + more.cost,
      inputTokens: one.inputTokens + more.inputTokens,
      outputTokens: one.outputTokens + more.outputTokens,
      errors: one.errors + more.errors,
    });
  }

  /** `modelOf` is asked for sessions whose start was not read. */
  measured(modelOf: (agent: string) => string | undefined) {
    const models = new Map<string, number[]>();
    for (const [session, { agent, took }] of this.#sessions)
      for (const ms of took) push(models, this.#models.get(session) ?? modelOf(agent) ?? "unknown", ms);
    return { buckets: [...this.#buckets.values()], models: latencies(models), tools: latencies(this.#tools) };
  }
}

const NONE: Measured = { at: 0, cost: 0, inputTokens: 0, outputTokens: 0, errors: 0 };

function push(map: Map<string, number[]>, name: string, ms: number): void {
  const known = map.get(name);
  if (known === undefined) map.set(name, [ms]);
  else known.push(ms);
}

/** The most used first. */
function latencies(took: ReadonlyMap<string, readonly number[]>): readonly Latency[] {
  return [...took]
    .map(([name, all]) => {
      const sorted = all.toSorted((a, b) => a - b);
      const at = (share: number) => Math.max(0, sorted[Math.ceil(sorted.length * share) - 1] ?? 0);
      return { name, count: sorted.length, p50: at(0.5), p95: at(0.95) };
    })
    .sort((a, b) => b.count - a.count);
}
