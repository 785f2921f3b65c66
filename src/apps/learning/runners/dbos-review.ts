import type { DBOS as Dbos } from "@dbos-inc/dbos-sdk";
import { type ReviewRecord, type ReviewSteps, runReview } from "../review/steps.ts";

export type DbosReviewOptions = {
  /** Where DBOS keeps what is done: the PostgreSQL that the machines share, in a schema of its own. */
  readonly url: string;
  readonly steps: ReviewSteps;
  /** Runs only go on where the steps are the same. */
  readonly version: string;
  readonly report: (line: string) => void;
};

export type DbosReview = {
  /**
   * Starts the run of that name, or goes on with it where it was left: a step that was done is not done again. Whoever calls has made
   * sure that no other machine is at it.
   */
  run(name: string, now: number): Promise<Ran>;
  close(): Promise<void>;
};

type Ran = ReviewRecord | "nothing";

const SCHEMA = "conduct_review";
const WORKFLOW = "conduct-daily-review";
/** How long a run that has begun is waited for when the process ends. */
const CLOSE_MS = 30_000;

/** The review as a DBOS workflow. DBOS is one for a process: it can be open once at a time. */
export async function openDbosReview({ url, steps, version, report }: DbosReviewOptions): Promise<DbosReview> {
  const { DBOS } = await import("@dbos-inc/dbos-sdk");
  const complain = (entry: unknown) => report(`daily review: ${lineOf(entry)}`);
  const quiet = () => undefined;
  DBOS.setConfig({
    name: "conduct",
    systemDatabaseUrl: url,
    systemDatabaseSchemaName: SCHEMA,
    applicationVersion: version,
    // Runs that another process left are taken over by whoever holds the lease, and not by whoever starts.
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
      // There was nothing to look at then; now there may be.
      return ran === "nothing" ? start(`${name}-${now}`) : ran;
    },
    close: () => DBOS.shutdown({ deregister: true, workflowCompletionTimeoutMS: CLOSE_MS }),
  };
}

type Left = { readonly status: string; readonly applicationVersion?: string };

/**
 * At the step where it was left. DBOS takes a run that failed for done, and leaves those of another version to machines of that
 * version, which may never come: the first is taken up again at the step that failed, the second from its beginning.
 */
async function goOn(DBOS: typeof Dbos, name: string, { status, applicationVersion }: Left, version: string) {
  const isOurs = applicationVersion === version;
  if (isOurs && status !== "ERROR") return DBOS.resumeWorkflow<Ran>(name);
  if (status !== "ERROR") await DBOS.cancelWorkflow(name);
  const failed = isOurs ? (await DBOS.listWorkflowSteps(name))?.find(({ error }) => error !== null) : undefined;
  return DBOS.rewindWorkflow<Ran>(name, { startStep: failed?.functionID ?? 0, applicationVersion: version });
}

/** What a step came to is kept as JSON before the next one begins. */
function stepOf({ runStep }: typeof Dbos) {
  return <T>(name: string, step: () => Promise<T>): Promise<T> => runStep(step, { name, retriesAllowed: true });
}

function lineOf(entry: unknown): string {
  if (entry instanceof Error) return entry.message;
  return typeof entry === "string" ? entry : JSON.stringify(entry);
}
