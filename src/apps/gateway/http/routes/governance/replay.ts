import { z } from "zod";
import { parseDuration } from "../../../../../base/kernel/duration.ts";
import { errorText } from "../../../../../base/kernel/error-text.ts";
import type { Ids } from "../../../../../base/ports/ids.ts";
import type { EventJournal } from "../../../../../base/ports/stores/event-journal.ts";
import type { Agent } from "../../../../../base/words/hosting/agent.ts";
import type { RuleSet } from "../../../../../base/words/rule.ts";
import { parseRules } from "../../../../../engine/agent/rules/parse-rules.ts";
import { type ContractReplayReport, replayContract } from "../../../../learning/replay/replay-contract.ts";
import { type ReplayProgress, type ReplayReport, replaySessions } from "../../../../learning/replay/replay-sessions.ts";
import { found, Problem } from "../../problem.ts";
import { events, route } from "../../route.ts";
import { OPERATOR, typed } from "../../schemas.ts";
import { reliableState } from "./contract.ts";

type ReplayAsked = { readonly kind: Replayed["kind"]; readonly since: string; readonly by: string };

type Work = (signal: AbortSignal, onProgress: (progress: ReplayProgress) => void) => Promise<Replayed>;

export type Replayed =
  | { readonly kind: "rules"; readonly report: ReplayReport }
  | { readonly kind: "contract"; readonly report: ContractReplayReport };

/** A replay: its progress, and its report or its failure once it has ended. `of` is 0 until the total is known. */
export type ReplayRun = ReplayAsked &
  ReplayProgress & { readonly id: string } & (
    | { readonly state: "running" | "called-off" }
    | ({ readonly state: "done" } & Replayed)
    | { readonly state: "failed"; readonly code: string; readonly detail: string; readonly fix: string }
  );

type Listener = (run: ReplayRun) => void;
type Kept = { run: ReplayRun; readonly ending: AbortController; readonly listeners: Set<Listener> };

type ReplayRunsOptions = {
  readonly ids: Ids;
  /** Aborted when the gateway closes. */
  readonly closing?: AbortSignal;
  readonly limitMs?: number;
  readonly report: (problem: string) => void;
};

/** A longer replay is cancelled; `conduct replay` has no limit. */
const LIMIT_MS = 600_000;
/** Number of finished replays whose report can still be read. */
const KEPT = 4;

/** Runs one replay at a time, in the gateway's own process. */
export class ReplayRuns {
  readonly #options: ReplayRunsOptions;
  readonly #runs = new Map<string, Kept>();

  constructor(options: ReplayRunsOptions) {
    this.#options = options;
  }

  /** Starts a replay without waiting for it. Throws a `Problem` while another one is running. */
  start(asked: ReplayAsked, work: Work): ReplayRun {
    const running = [...this.#runs.values()].find(({ run }) => run.state === "running");
    if (running !== undefined) {
      const { id, by, done, of } = running.run;
      const fix = `Wait until it ends, or cancel it: DELETE /api/replay/${id}.`;
      throw new Problem(409, "REPLAY_RUNNING", `Another replay is running, started by ${by}.`, fix, { id, done, of });
    }
    const id = this.#options.ids.next("rp");
    const run: ReplayRun = { ...asked, id, state: "running", done: 0, of: 0 };
    const kept: Kept = { run, ending: new AbortController(), listeners: new Set() };
    this.#runs.set(id, kept);
    for (const old of [...this.#runs.keys()].slice(0, -KEPT)) this.#runs.delete(old);
    void this.#work(kept, work);
    return run;
  }

  find(id: string): ReplayRun {
    return this.#find(id).run;
  }

  /** Calls back with the current state and every change until the end. Returns a function that unsubscribes. */
  follow(id: string, listener: Listener): () => void {
    const { run, listeners } = this.#find(id);
    listener(run);
    if (run.state === "running") listeners.add(listener);
    return () => void listeners.delete(listener);
  }

  /** Has no effect on a replay that has ended. */
  callOff(id: string): void {
    this.#find(id).ending.abort();
  }

  #find(id: string): Kept {
    return found(this.#runs.get(id), `replay '${id.slice(0, 60)}'`);
  }

  async #work(kept: Kept, work: Work): Promise<void> {
    const { closing, limitMs = LIMIT_MS } = this.#options;
    const { signal } = kept.ending;
    const late = AbortSignal.timeout(limitMs);
    try {
      const any = AbortSignal.any([signal, late, ...(closing === undefined ? [] : [closing])]);
      const stopped = new Promise<never>((_, reject) =>
        any.addEventListener("abort", () => reject(any.reason), { once: true }),
      );
      const doing = work(any, (progress) => {
        // Listeners are notified of every percent, not of every session.
        if (kept.run.state !== "running") return;
        const told = percentOf(progress) !== percentOf(kept.run);
        kept.run = { ...kept.run, ...progress };
        if (told) this.#tell(kept);
      });
      // The race lets a replay be cancelled while the store hangs.
      const replayed = await Promise.race([doing, stopped]);
      kept.run = { ...kept.run, done: kept.run.of, state: "done", ...replayed };
    } catch (error) {
      kept.run = { ...kept.run, ...this.#endOf(error, late, signal.aborted || closing?.aborted === true) };
    }
    this.#tell(kept);
    kept.listeners.clear();
  }

  #endOf(error: unknown, late: AbortSignal, off: boolean) {
    if (off) return { state: "called-off" } as const;
    if (late.aborted) {
      const fix = "Choose a shorter time or one agent, or run conduct replay, which uses all cores.";
      const detail = `It took longer than ${(this.#options.limitMs ?? LIMIT_MS) / 60_000} minutes.`;
      return { state: "failed", code: "REPLAY_TOO_LONG", detail, fix } as const;
    }
    this.#options.report(`a replay failed: ${errorText(error)}`);
    const detail = "A recorded session could not be read.";
    return { state: "failed", code: "REPLAY_FAILED", detail, fix: "The gateway's output names the cause." } as const;
  }

  #tell({ run, listeners }: Kept): void {
    for (const listener of listeners) listener(run);
  }
}

function percentOf({ done, of }: ReplayProgress): number {
  return of === 0 ? 0 : Math.floor((done / of) * 100);
}

const WEEK = "7d";

export const replayRoutes = [
  route("POST /api/replay", {
    summary:
      "Start a replay of recorded sessions against other rules (decisions that would change, with the cause) or another contract (turns whose prompt would change). Writes nothing. One replay runs at a time; its stream reports the progress",
    roles: OPERATOR,
    body: z.object({
      /** YAML of a rule file. It replaces the agents' own rules, or adds to them with `add`. */
      rules: z.string().max(200_000).optional(),
      add: z.boolean().default(false),
      for: z.string().max(200).optional(),
      contract: z.number().int().min(0).optional(),
      /** A duration such as `24h` or `7d`, or a time. */
      since: z.string().max(40).default(WEEK),
      agent: z.string().max(200).optional(),
      session: z.string().max(300).optional(),
    }),
    status: 202,
    response: typed("ReplayRun"),
    answer: async ({ body }, { user }, { stores: { events: journal }, contracts, conduct, clock, replays }) => {
      const { rules, add, contract, agent, session } = body;
      const since = sinceOf(body.since, clock.now());
      const query = session === undefined ? { since, agent } : { sessions: [session], agent };
      const asked = { since: new Date(since).toISOString(), by: user.name };
      if ((rules === undefined) === (contract === undefined))
        throw new Problem(400, "BAD_REQUEST", "A replay needs rules or a contract.", "Send `rules` or `contract`.");
      if (contract !== undefined) {
        const history = (await contracts.events({ limit: Number.POSITIVE_INFINITY })).toReversed();
        return replays.start({ ...asked, kind: "contract" }, async (signal, onProgress) => ({
          kind: "contract",
          report: await replayContract(journal, { ...query, version: contract, history, signal, onProgress }),
        }));
      }
      const { agents } = conduct;
      const of = await agentOf(body.for, agents, journal);
      const change = { how: add ? "add" : "replace", ruleSet: rulesOf(rules ?? ""), agent: of } as const;
      const standing = [...(await reliableState(contracts)).rules].map(([, rule]) => rule);
      return replays.start({ ...asked, kind: "rules" }, async (signal, onProgress) => ({
        kind: "rules",
        report: await replaySessions(journal, { ...query, agents, change, standing, signal, onProgress }),
      }));
    },
  }),
  route("GET /api/replay/{id}", {
    summary: "Show the progress of a replay, and its report once it is done; the last few are available",
    roles: OPERATOR,
    response: typed("ReplayRun"),
    answer: ({ params }, _caller, { replays }) => replays.find(params.id),
  }),
  route("GET /api/replay/{id}/stream", {
    summary: "Stream the progress of a replay, then its result, then end",
    roles: OPERATOR,
    response: events<{ progress: ReplayProgress & { readonly id: string }; end: ReplayRun }>(),
    answer: ({ params }, _caller, { replays }) => {
      replays.find(params.id);
      return {
        follow: (send, end) =>
          replays.follow(params.id, (one) => {
            const { id, done, of } = one;
            if (one.state === "running") return send({ name: "progress", data: { id, done, of } });
            send({ name: "end", data: one });
            end();
          }),
      };
    },
  }),
  route("DELETE /api/replay/{id}", {
    summary: "Cancel a replay",
    roles: OPERATOR,
    response: z.object({ calledOff: z.literal(true) }),
    answer: ({ params }, _caller, { replays }) => {
      replays.callOff(params.id);
      return { calledOff: true } as const;
    },
  }),
];

function rulesOf(text: string): RuleSet {
  const parsed = parseRules(text, "rules.yaml");
  if (!("faults" in parsed)) return parsed.ruleSet;
  const { faults } = parsed;
  throw new Problem(422, "RULES_INVALID", "The rules have faults.", "Correct these lines.", { faults });
}

/** Rejects a name that no agent has or had. A typo would otherwise match nothing. */
async function agentOf(name: string | undefined, defined: readonly Agent[], journal: EventJournal) {
  if (name === undefined || defined.some((agent) => agent.name === name)) return name;
  if ((await journal.sessions({ agent: name, limit: 1 })).sessions.length > 0) return name;
  const fix = `Use one of: ${defined.map((agent) => agent.name).join(", ")}.`;
  throw new Problem(422, "UNKNOWN_AGENT", `There is no agent '${name.slice(0, 60)}'.`, fix);
}

function sinceOf(text: string, now: number): number {
  const ms = parseDuration(text);
  if (ms !== undefined) return now - ms;
  const at = Date.parse(text);
  if (Number.isFinite(at)) return at;
  const fix = "Use 24h, 7d, or a time such as 2026-11-15T08:00Z.";
  throw new Problem(400, "INVALID_TIME", `'${text}' is not a time.`, fix);
}
