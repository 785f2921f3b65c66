import { Worker } from "node:worker_threads";
import { programFile } from "../../../edge/host/node/package-files.ts";
import type { StorePlace } from "../../../edge/stores/sql/open-database.ts";
import type { WindowSeen } from "./look-through.ts";
import type { ReviewThresholds, ReviewWindow } from "./steps.ts";

export type LookPlan = {
  readonly place: StorePlace;
  readonly window: ReviewWindow;
  readonly thresholds: ReviewThresholds;
};

/** Like `lookThrough`, in a thread of its own: this one goes on answering. Needs a store that two threads can open. */
export async function lookInWorker(plan: LookPlan): Promise<WindowSeen> {
  const worker = new Worker(programFile("apps/learning/review/review-worker.ts", "review-worker.mjs"), {
    workerData: plan,
  });
  try {
    return await new Promise<WindowSeen>((resolve, reject) => {
      worker.on("error", reject);
      worker.on("exit", (code) => reject(new Error(`the worker of the review ended with ${code}`)));
      worker.on("message", (seen: string) => resolve(JSON.parse(seen) as WindowSeen));
    });
  } finally {
    await worker.terminate();
  }
}
