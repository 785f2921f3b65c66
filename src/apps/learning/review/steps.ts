import type { Json } from "../../../base/words/json.ts";
import type { AdherenceRow } from "../adherence/adherence.ts";
import type { Finding } from "./finding.ts";

/**
 * The range of journal positions of one run. The next run starts where this one ended, so every event is in exactly
 * one run. The same window has the same `run`.
 */
export type ReviewWindow = {
  readonly run: string;
  readonly after: number;
  readonly upTo: number;
  /** Time of the oldest and of the newest event, in milliseconds since the epoch. */
  readonly from: number;
  readonly to: number;
};

/** The outcome of a finding. `why`: the reason for not proposing it. */
export type ReviewedFinding = {
  readonly finding: Finding;
  readonly outcome: "proposed" | "merged" | "known" | "below-threshold" | "refused";
  readonly candidate?: string;
  readonly why?: string;
};

/** The result of a run, as stored in the governance journal (`review.ran`). */
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
  /** Good and bad patterns as text, with the resulting candidate, if any. */
  readonly good_patterns: readonly { readonly text: string; readonly candidate?: string }[];
  readonly bad_patterns: readonly { readonly text: string; readonly candidate?: string }[];
  readonly adherence: readonly AdherenceRow[];
  /** The model that contributed, or why it could not. */
  readonly model?: ModelAdded;
};

/** `refused`: findings whose evidence was not in the journal or did not support their text. */
export type ModelAdded = { readonly name: string; readonly refused: number; readonly fault?: string };

/**
 * The daily review in steps. Inputs and outputs are JSON and every step is idempotent, so that a runner (the gateway's
 * clock, DBOS, Inngest) can save finished steps and resume after a crash.
 */
export type ReviewSteps = {
  /** `nothing` if there are no events since the last run. */
  window(now: number): Promise<ReviewWindow | "nothing">;
  find(window: ReviewWindow): Promise<readonly Finding[]>;
  /** The model's findings; empty if no model is configured. */
  ask(window: ReviewWindow): Promise<{ readonly findings: readonly Finding[]; readonly model?: ReviewRecord["model"] }>;
  propose(window: ReviewWindow, findings: readonly Finding[]): Promise<readonly ReviewedFinding[]>;
  adherence(window: ReviewWindow): Promise<readonly AdherenceRow[]>;
  /** Writes the record; returns the existing one if the window is already done. */
  finish(
    window: ReviewWindow,
    reviewed: readonly ReviewedFinding[],
    adherence: readonly AdherenceRow[],
    model: ReviewRecord["model"],
  ): Promise<ReviewRecord>;
  /** Sends the digest to the operator; once per run. */
  digest(record: ReviewRecord): Promise<void>;
};

/** Runs a step, or returns its saved result. */
export type StepRunner = <T>(name: string, step: () => Promise<T>) => Promise<T>;

/** Runs all steps in order. Returns the record, or `nothing` if there were no events. */
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

/** Runs steps in this process; the next run repeats those lost in a crash. */
export const directly: StepRunner = (_name, step) => step();

/** The part of a record that is stored as JSON. */
export function recordBody(record: ReviewRecord): Json {
  return JSON.parse(JSON.stringify(record));
}
