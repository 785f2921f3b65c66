import type { DBOS as Dbos } from "@dbos-inc/dbos-sdk";
import { loadOptional } from "../../../base/kernel/optional-package.ts";
import { type ReviewRecord, type ReviewSteps, runReview } from "../review/steps.ts";

export type DbosReviewOptions = {
  /** The PostgreSQL database shared by the machines; DBOS saves finished steps in its own schema. */
  readonly url: string;
  readonly steps: ReviewSteps;
  /** Runs resume only if the steps are the same. */
  readonly version: string;
  readonly report: (line: string) => void;
};

export type DbosReview = {
  /**
   * Starts or resumes the run of that name; finished steps are not repeated. The caller must ensure that no other
   * machine runs it.
   */
  run(name: string, now: number): Promise<Ran>;
  close(): Promise<void>;
};

type Ran = ReviewRecord | "nothing";

const SCHEMA = "conduct_review";
const WORKFLOW = "conduct-daily-review";
const CLOSE_MS = 30_000;

/** The review as a DBOS workflow. DBOS allows only one open instance per process. */
export async function openDbosReview({ url, steps, version, report }: DbosReviewOptions): Promise<DbosReview> {
  const { DBOS } = await loadOptional(
    "@dbos-inc/dbos-sdk",
    "A review on several machines",
    () => import("@dbos-inc/dbos-sdk"),
  );
  const complain = (entry: unknown) => report(`daily review: ${lineOf(entry)}`);
  const quiet = () => undefined;
  DBOS.setConfig({
    name: "conduct",
    systemDatabaseUrl: url,
    systemDatabaseSchemaName: SCHEMA,
    applicationVersion: version,
    // Unfinished runs are taken over by the lease's owner, not by any process that starts.
    executorID: `conduct-${process.pid}-${Date.now()}`,
    logger: { info: quiet, debug: quiet, warn: quiet, error: complain },
  });
  const review = DBOS.registerWorkflow((now: number) => runReview(steps, now, stepOf(DBOS)), { name: WORKFLOW });
  await DBOS.launch();
  return {
    async run(name, now) {
      const known = await DBOS.getWorkflowStatus(name);
      const start = async (id: string) => (await DBOS.startWorkflow(review, { workflowID: id })(now)).getResult();
      if (known === null) return start(name);
      if (known.status !== "SUCCESS") return (await goOn(DBOS, name, known, version)).getResult();
      const ran = await DBOS.retrieveWorkflow<Ran>(name).getResult();
      // The earlier run found no events; there may be some now.
      return ran === "nothing" ? start(`${name}-${now}`) : ran;
    },
    close: () => DBOS.shutdown({ deregister: true, workflowCompletionTimeoutMS: CLOSE_MS }),
  };
}

type Left = { readonly status: string; readonly applicationVersion?: string };

/**
 * Resumes an unfinished run. DBOS treats a failed run as done, so it resumes at the failed step; a run of another
 * version would wait for a machine of that version, so it restarts from the beginning.
 */
async function goOn(DBOS: typeof Dbos, name: string, { status, applicationVersion }: Left, version: string) {
  const isOurs = applicationVersion === version;
  if (isOurs && status !== "ERROR") return DBOS.resumeWorkflow<Ran>(name);
  if (status !== "ERROR") await DBOS.cancelWorkflow(name);
  const failed = isOurs ? (await DBOS.listWorkflowSteps(name))?.find(({ error }) => error !== null) : undefined;
  return DBOS.rewindWorkflow<Ran>(name, { startStep: failed?.functionID ?? 0, applicationVersion: version });
}

/** Saves each step's result as JSON before the next step begins. */
function stepOf({ runStep }: typeof Dbos) {
  return <T>(name: string, step: () => Promise<T>): Promise<T> => runStep(step, { name, retriesAllowed: true });
}

function lineOf(entry: unknown): string {
  if (entry instanceof Error) return entry.message;
  return typeof entry === "string" ? entry : JSON.stringify(entry);
}
