import { errorText } from "../../../../../base/kernel/error-text.ts";
import type { Ids } from "../../../../../base/ports/ids.ts";
import type { ContractReplayReport } from "../../../../learning/replay/replay-contract.ts";
import type { ReplayProgress, ReplayReport } from "../../../../learning/replay/replay-sessions.ts";
import type { Leader } from "../../../replicas/ownership.ts";
import { found, Problem } from "../../problem.ts";

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
  /** Other gateways on the same store; none by default. */
  readonly others?: ReplayPeers;
};

/** The gateways of a shared store, for replays. */
export type ReplayPeers = {
  /** The id of this replica. */
  readonly id: () => string;
  /** One replay runs at a time on all of them. */
  readonly leader: Leader;
  /** Resolves to `undefined` if the replica is gone. */
  readonly ask: (replica: string, act: ReplayAct) => Promise<ReplayRun | null | undefined>;
};

/** Asks the gateway that runs a replay for its state. */
export type ReplayAct = { readonly kind: "replay"; readonly id: string; readonly callOff: boolean };

/** A longer replay is cancelled; `conduct replay` has no limit. */
const LIMIT_MS = 600_000;
/** Number of finished replays whose report can still be read. */
const KEPT = 4;
/** How often a stream asks the gateway that runs its replay. */
const ASK_MS = 500;

/** Runs one replay at a time, in the process that was asked to. Others of a shared store ask that process. */
export class ReplayRuns {
  readonly #options: ReplayRunsOptions;
  readonly #runs = new Map<string, Kept>();

  constructor(options: ReplayRunsOptions) {
    this.#options = options;
  }

  /** Starts a replay without waiting for it. Throws a `Problem` while another one is running. */
  async start(asked: ReplayAsked, work: Work): Promise<ReplayRun> {
    const { ids, others } = this.#options;
    if (others !== undefined && !(await others.leader.take()))
      throw new Problem(409, "REPLAY_RUNNING", "Another gateway runs a replay.", "Wait until it ends.");
    const running = [...this.#runs.values()].find(({ run }) => run.state === "running");
    if (running !== undefined) {
      const { id, by, done, of } = running.run;
      const fix = `Wait until it ends, or cancel it: DELETE /api/replay/${id}.`;
      throw new Problem(409, "REPLAY_RUNNING", `Another replay is running, started by ${by}.`, fix, { id, done, of });
    }
    // The id names the gateway that knows the run.
    const id = [ids.next("rp"), ...(others === undefined ? [] : [others.id()])].join(".");
    const run: ReplayRun = { ...asked, id, state: "running", done: 0, of: 0 };
    const kept: Kept = { run, ending: new AbortController(), listeners: new Set() };
    this.#runs.set(id, kept);
    for (const old of [...this.#runs.keys()].slice(0, -KEPT)) this.#runs.delete(old);
    void this.#work(kept, work).finally(() => others?.leader.give());
    return run;
  }

  /** Throws a `Problem` for an unknown replay. */
  async find(id: string): Promise<ReplayRun> {
    return this.#runs.get(id)?.run ?? this.#ask(id, false);
  }

  /** Calls back with the current state and every change until the end. Returns a function that unsubscribes. */
  follow(id: string, listener: Listener): () => void {
    const here = this.#runs.get(id);
    if (here === undefined) return this.#followThere(id, listener);
    const { run, listeners } = here;
    listener(run);
    if (run.state === "running") listeners.add(listener);
    return () => void listeners.delete(listener);
  }

  /** Has no effect on a replay that has ended. */
  async callOff(id: string): Promise<void> {
    const here = this.#runs.get(id);
    if (here === undefined) await this.#ask(id, true);
    else here.ending.abort();
  }

  /** Answers another gateway; null for an unknown replay. */
  answer({ id, callOff }: ReplayAct): ReplayRun | null {
    const here = this.#runs.get(id);
    if (callOff) here?.ending.abort();
    return here?.run ?? null;
  }

  async #ask(id: string, callOff: boolean): Promise<ReplayRun> {
    const [, replica] = id.split(".");
    const asked = replica === undefined ? null : this.#options.others?.ask(replica, { kind: "replay", id, callOff });
    return found((await asked) ?? undefined, `replay '${id.slice(0, 60)}'`);
  }

  #followThere(id: string, listener: Listener): () => void {
    let last: ReplayRun | undefined;
    const stop = () => clearInterval(asking);
    const look = async () => {
      try {
        last = await this.#ask(id, false);
      } catch {
        const [detail, fix] = ["The gateway that ran the replay has ended.", "Start the replay again."];
        last = last && { ...last, state: "failed", code: "REPLAY_LOST", detail, fix };
      }
      if (last !== undefined) listener(last);
      if (last?.state !== "running") stop();
    };
    const asking = setInterval(look, ASK_MS);
    void look();
    return stop;
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
