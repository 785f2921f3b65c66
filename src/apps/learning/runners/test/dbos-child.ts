import { appendFileSync } from "node:fs";
import type { ReviewRecord, ReviewSteps, ReviewWindow } from "../../review/steps.ts";
import { openDbosReview } from "../dbos-review.ts";

/**
 * A process that runs the review, for the test that kills it: logs every started step to a file, and hangs or fails in
 * the given step.
 */
const [url = "", file = "", how = "", where = "", version = "test"] = process.argv.slice(2);
const window: ReviewWindow = { run: "r", after: 0, upTo: 9, from: 0, to: 1 };

async function step<T>(name: string, result: T): Promise<T> {
  appendFileSync(file, `${process.pid} ${name}\n`);
  if (name === where && how === "fail") throw new Error("the disk is full");
  if (name === where) await new Promise(() => setInterval(() => undefined, 1_000));
  return result;
}

const record: ReviewRecord = {
  ...{ window, at: 1, by: "daily-review", sessions: 1, messages: 1, decisions: 1, found: 0, known: 0 },
  ...{ proposed: [], merged: [], refused: [], good_patterns: [], bad_patterns: [], adherence: [] },
};
const steps: ReviewSteps = {
  window: () => step("window", window),
  find: () => step("find", []),
  ask: () => step("ask", { findings: [] }),
  propose: () => step("propose", []),
  adherence: () => step("adherence", []),
  finish: () => step("finish", record),
  digest: () => step("digest", undefined),
};
const review = await openDbosReview({ url, steps, version, report: (line) => console.error(line) });
const result = await review.run("conduct-review-2026-11-15", 1);
appendFileSync(file, `${process.pid} done ${result === "nothing" ? result : result.window.run}\n`);
await review.close();
process.exit(0);
