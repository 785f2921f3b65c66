import { getCompileCacheDir } from "node:module";
import { availableParallelism } from "node:os";
import { dirname } from "node:path";
import { Worker } from "node:worker_threads";
import type { EventJournal } from "../../../base/ports/stores/event-journal.ts";
import type { StandingRule } from "../../../base/words/contract.ts";
import { programFile } from "../../../edge/host/node/package-files.ts";
import type { StorePlace } from "../../../edge/stores/sql/open-database.ts";
import type { ReplayWindow } from "../../../engine/replay/event-replayer.ts";
import type { RuleChange } from "../../../engine/replay/replay-agents.ts";
import {
  type ReplayPart,
  type ReplayProgress,
  type ReplayQuery,
  type ReplayReport,
  ReplayTally,
  sessionsOf,
} from "./replay-sessions.ts";

/** A worker's input: plain data from which it builds the agents. */
export type WorkerPlan = {
  readonly place: StorePlace;
  /** Where the agents are configured; every worker reads them again. */
  readonly search: { readonly home: string; readonly workspace: string; readonly flag?: string | undefined };
  readonly change?: RuleChange;
  readonly standing?: readonly StandingRule[];
  readonly window: ReplayWindow;
};

export type ParallelOptions = ReplayQuery &
  Pick<WorkerPlan, "place" | "search" | "change" | "standing"> & {
    /** Default: one per core. */
    readonly workers?: number;
    readonly signal?: AbortSignal;
    readonly onProgress?: (progress: ReplayProgress) => void;
  };

const SHARE = 10;
const MOST_WORKERS = 8;
const YOUNG_MB = 128;

type Told = { readonly ready: true } | { readonly part: string } | { readonly error: unknown };

/** Like `replaySessions`, but on all cores. Needs a store that several threads can open. */
export async function replayInParallel(journal: EventJournal, options: ParallelOptions): Promise<ReplayReport> {
  const { place, search, change, standing, since, until, signal, onProgress } = options;
  const ids = await sessionsOf(journal, options);
  const plan: WorkerPlan = { place, window: { since, until }, search, change, standing };
  const tally = new ReplayTally();
  let [next, done] = [0, 0];
  const share = (): readonly string[] => {
    const taken = ids.slice(next, next + SHARE);
    next += taken.length;
    return taken;
  };
  const took = (part: ReplayPart, of: number) => {
    tally.add(part);
    done += of;
    onProgress?.({ done, of: ids.length });
  };
  const most = Math.min(options.workers ?? availableParallelism(), MOST_WORKERS, Math.ceil(ids.length / SHARE));
  await Promise.all(Array.from({ length: most }, () => runWorker(plan, share, took, signal)));
  return tally.report();
}

async function runWorker(
  plan: WorkerPlan,
  share: () => readonly string[],
  took: (part: ReplayPart, of: number) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  const worker = new Worker(programFile("apps/learning/replay/replay-worker.ts", "replay-worker.mjs"), {
    workerData: plan,
    env: withCompileCache(process.env),
    // Events live until their session is done: a small young generation would copy them repeatedly.
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
  });
  try {
    await new Promise<void>((resolve, reject) => {
      let given = 0;
      worker.on("error", reject);
      worker.on("exit", (code) => reject(new Error(`a worker of the replay ended with ${code}`)));
      signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
      worker.on("message", (told: Told) => {
        if (signal?.aborted) return reject(signal.reason);
        if ("error" in told) return reject(told.error);
        if ("part" in told) took(JSON.parse(told.part) as ReplayPart, given);
        const sessions = share();
        given = sessions.length;
        if (given === 0) resolve();
        else worker.postMessage(sessions);
      });
    });
  } finally {
    await worker.terminate();
  }
}

/** A thread does not inherit the process's compile cache; passing it halves the startup time. */
function withCompileCache(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const used = getCompileCacheDir();
  return used === undefined ? env : { ...env, NODE_COMPILE_CACHE: dirname(used) };
}
