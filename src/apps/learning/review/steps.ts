import type { Json } from "../../../base/words/json.ts";
import type { AdherenceRow } from "../adherence/adherence.ts";
import type { Finding } from "./finding.ts";

/**
 * What one run looks at: the events after one position of the journal up to another. The next run begins where this one ended,
 * however late it comes, so that every event is looked at in exactly one run. `run` is the same for the same window.
 */
export type ReviewWindow = {
  readonly run: string;
  readonly after: number;
  readonly upTo: number;
  /** When its oldest and newest event happened; milliseconds since the epoch. */
  readonly from: number;
  readonly to: number;
};

/** What became of a finding. `why`: what kept it from being proposed. */
export type ReviewedFinding = {
  readonly finding: Finding;
  readonly outcome: "proposed" | "merged" | "known" | "below-threshold" | "refused";
  readonly candidate?: string;
  readonly why?: string;
};

/** What a run came to, as the governance journal keeps it (`review.ran`). */
export type ReviewRecord = {
  readonly window: ReviewWindow;
  readonly at: number;
  readonly by: string;
  readonly sessions: number;
  readonly messages: number;
  readonly decisions: number;
  readonly found: number;
  readonly proposed: readonly string[];
  readonly merged: readonly string[];
  readonly known: number;
  readonly refused: readonly { readonly text: string; readonly why: string }[];
  /** Good and bad patterns in words, with the candidate that came of each where one did. */
  readonly good_patterns: readonly { readonly text: string; readonly candidate?: string }[];
  readonly bad_patterns: readonly { readonly text: string; readonly candidate?: string }[];
  readonly adherence: readonly AdherenceRow[];
  /** The model that added to it, and why it could not where it could not. */
  readonly model?: ModelAdded;
};

/** `refused`: findings whose evidence was not found in the journal, or that said what their evidence does not. */
export type ModelAdded = { readonly name: string; readonly refused: number; readonly fault?: string };

/**
 * The daily review in steps. What goes in and comes out of each is JSON, and doing one twice does no harm, so that whoever runs them
 * (the gateway's clock, DBOS, Inngest) can keep what is done and go on after a crash.
 */
export type ReviewSteps = {
  /** `nothing` when no event came since the last run. */
  window(now: number): Promise<ReviewWindow | "nothing">;
  find(window: ReviewWindow): Promise<readonly Finding[]>;
  /** What a model adds; nothing where none is configured. */
  ask(window: ReviewWindow): Promise<{ readonly findings: readonly Finding[]; readonly model?: ReviewRecord["model"] }>;
  propose(window: ReviewWindow, findings: readonly Finding[]): Promise<readonly ReviewedFinding[]>;
  adherence(window: ReviewWindow): Promise<readonly AdherenceRow[]>;
  /** Writes the record; the one that is there already when the window is done. */
  finish(
    window: ReviewWindow,
    reviewed: readonly ReviewedFinding[],
    adherence: readonly AdherenceRow[],
    model: ReviewRecord["model"],
  ): Promise<ReviewRecord>;
  /** Tells the operator; once per run. */
  digest(record: ReviewRecord): Promise<void>;
};

/** Does a step, or gives what it came to when it was done before. */
export type StepRunner = <T>(name: string, step: () => Promise<T>) => Promise<T>;

/** All steps in their order. Gives what the run came to, or that there was nothing to look at. */
export async function runReview(steps: ReviewSteps, now: number, run: StepRunner): Promise<ReviewRecord | "nothing"> {
  const window = await run("window", () => steps.window(now));
  if (window === "nothing") return window;
  const found = await run("find", () => steps.find(window));
  const asked = await run("ask", () => steps.ask(window));
  const reviewed = await run("propose", () => steps.propose(window, [...found, ...asked.findings]));
  const adherence = await run("adherence", () => steps.adherence(window));
  const record = await run("finish", () => steps.finish(window, reviewed, adherence, asked.model));
  await run("digest", async () => {
    await steps.digest(record);
    return null;
  });
  return record;
}

/** In this process, one after the other: what is left undone by a crash is done again by the next run. */
export const directly: StepRunner = (_name, step) => step();

/** The part of a record that is kept as JSON. */
export function recordBody(record: ReviewRecord): Json {
  return JSON.parse(JSON.stringify(record));
}
