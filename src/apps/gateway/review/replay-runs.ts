import { errorText } from "../../../base/kernel/error-text.ts";
import type { Ids } from "../../../base/ports/ids.ts";
import type { ContractReplayReport } from "../../learning/replay/replay-contract.ts";
import type { ReplayProgress } from "../../learning/replay/replay-sessions.ts";
import type { ReplayReport } from "../../learning/replay/report.ts";
import { notFound, Problem } from "../api/route.ts";

type ReplayAsked = { readonly kind: "rules" | "contract"; readonly since: string; readonly by: string };

/** A replay with its progress and result. */
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
  /** Aborts when the gateway closes. */
  readonly closing?: AbortSignal;
  readonly limitMs?: number;
  readonly report: (problem: string) => void;
};

/** Longer replays are cancelled; use `conduct replay` for those. */
const LIMIT_MS = 600_000;
/** How many finished replays are kept. */
const KEPT = 4;

/** Runs one replay at a time in this process. */
export class ReplayRuns {
  readonly #options: ReplayRunsOptions;
  readonly #runs = new Map<string, Kept>();

  constructor(options: ReplayRunsOptions) {
    this.#options = options;
  }

  /** Starts without waiting. Throws a `Problem` while another one is running. */
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

  /** Sends the current state and every update. Returns a function that unsubscribes. */
  follow(id: string, listener: Listener): () => void {
    const { run, listeners } = this.#find(id);
    listener(run);
    if (run.state === "running") listeners.add(listener);
    return () => void listeners.delete(listener);
  }

  /** Has no effect on a finished replay. */
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
        // Listeners get an update per percent, not per session.
        if (kept.run.state !== "running") return;
        const told = percentOf(progress) !== percentOf(kept.run);
        kept.run = { ...kept.run, ...progress };
        if (told) this.#tell(kept);
      });
      // Cancels even if the store does not answer.
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
