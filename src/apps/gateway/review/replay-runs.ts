import { errorText } from "../../../base/kernel/error-text.ts";
import type { Ids } from "../../../base/ports/ids.ts";
import type { ContractReplayReport } from "../../learning/replay/replay-contract.ts";
import type { ReplayProgress, ReplayReport } from "../../learning/replay/replay-sessions.ts";
import { notFound, Problem } from "../http/problem.ts";

/** What is replayed: against other rules, or another contract, and from when on. */
type ReplayAsked = { readonly kind: "rules" | "contract"; readonly since: string; readonly by: string };

/** A replay: how far it is, and what came of it. */
export type ReplayRun = ReplayAsked &
  ReplayProgress & { readonly id: string } & (
    | { readonly state: "running" | "called-off" }
    | { readonly state: "done"; readonly report: ReplayReport | ContractReplayReport }
    | { readonly state: "failed"; readonly code: string; readonly detail: string; readonly fix: string }
  );

type Work = (
  signal: AbortSignal,
  onProgress: (progress: ReplayProgress) => void,
) => Promise<ReplayReport | ContractReplayReport>;
type Listener = (run: ReplayRun) => void;
type Kept = { run: ReplayRun; readonly ending: AbortController; readonly listeners: Set<Listener> };

type ReplayRunsOptions = {
  readonly ids: Ids;
  /** The gateway closes. */
  readonly closing?: AbortSignal;
  readonly limitMs?: number;
  readonly report: (problem: string) => void;
};

/** Longer than this it is called off: whoever wants more has `conduct replay`. */
const LIMIT_MS = 600_000;
/** So many can be read when they are over. */
const KEPT = 4;

/** The replays of a gateway: one at a time, in its own process, beside all else that it does. */
export class ReplayRuns {
  readonly #options: ReplayRunsOptions;
  readonly #runs = new Map<string, Kept>();

  constructor(options: ReplayRunsOptions) {
    this.#options = options;
  }

  /** Begins it and does not wait. A `Problem` while another one is under way. */
  start(asked: ReplayAsked, work: Work): ReplayRun {
    const running = [...this.#runs.values()].find(({ run }) => run.state === "running");
    if (running !== undefined) {
      const { id, by, done, of } = running.run;
      const fix = `Wait until it is over, or call it off: DELETE /api/replay/${id}.`;
      throw new Problem(409, "REPLAY_RUNNING", `Another replay is under way, of ${by}.`, {
        fix,
        detail: { id, done, of },
      });
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

  /** What is known now, and everything new until it is over. Returns what ends it. */
  follow(id: string, listener: Listener): () => void {
    const { run, listeners } = this.#find(id);
    listener(run);
    if (run.state === "running") listeners.add(listener);
    return () => void listeners.delete(listener);
  }

  /** One that is over stays as it is. */
  callOff(id: string): void {
    this.#find(id).ending.abort();
  }

  #find(id: string): Kept {
    const kept = this.#runs.get(id);
    if (kept === undefined) throw notFound(`replay '${id.slice(0, 60)}'`);
    return kept;
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
        // A listener is told of every percent, not of every session.
        if (kept.run.state !== "running") return;
        const told = percentOf(progress) !== percentOf(kept.run);
        kept.run = { ...kept.run, ...progress };
        if (told) this.#tell(kept);
      });
      // A store that does not answer keeps nobody from calling it off.
      const report = await Promise.race([doing, stopped]);
      kept.run = { ...kept.run, done: kept.run.of, state: "done", report };
    } catch (error) {
      kept.run = { ...kept.run, ...this.#endOf(error, late, signal.aborted || closing?.aborted === true) };
    }
    this.#tell(kept);
    kept.listeners.clear();
  }

  #endOf(error: unknown, late: AbortSignal, off: boolean) {
    if (off) return { state: "called-off" } as const;
    if (late.aborted) {
      const fix = "Choose a shorter time or one agent, or use conduct replay, which has all cores.";
      const detail = `It took longer than ${(this.#options.limitMs ?? LIMIT_MS) / 60_000} minutes.`;
      return { state: "failed", code: "REPLAY_TOO_LONG", detail, fix } as const;
    }
    this.#options.report(`a replay failed: ${errorText(error)}`);
    const detail = "Something that was recorded could not be read.";
    return { state: "failed", code: "REPLAY_FAILED", detail, fix: "The gateway's own output says what." } as const;
  }

  #tell({ run, listeners }: Kept): void {
    for (const listener of listeners) listener(run);
  }
}

function percentOf({ done, of }: ReplayProgress): number {
  return of === 0 ? 0 : Math.floor((done / of) * 100);
}
