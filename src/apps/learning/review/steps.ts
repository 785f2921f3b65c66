import type { Clock } from "../../../base/ports/clock.ts";
import type { Models } from "../../../base/ports/models.ts";
import type { AdherenceRow } from "../../../base/ports/stores/adherence.ts";
import type { EventJournal } from "../../../base/ports/stores/event-journal.ts";
import type { GovernanceJournal } from "../../../base/ports/stores/governance.ts";
import type { ContractScope, DirectiveType } from "../../../base/words/contract.ts";
import type { Json } from "../../../base/words/json.ts";
import type { ContractService } from "../../../engine/governance/contract-service.ts";
import type { WindowSeen } from "./look-through.ts";

/** Minimum figures for a proposal. All can be configured. */
export type ReviewThresholds = {
  readonly confidence: number;
  /** Minimum sightings of a pattern, and in how many sessions. */
  readonly times: number;
  readonly sessions: number;
  /** Share of a tool's results that fail the same way. */
  readonly failing: number;
  /** Truncated results of one tool, and their share of its results. */
  readonly cuts: number;
  readonly cutting: number;
  /**
   * Minimum sessions per side to compare good and bad ones, maximum probability of chance, and minimum distance of the
   * medians.
   */
  readonly compared: number;
  readonly chance: number;
  readonly apart: number;
  /** Marks on a directive before its removal is proposed. */
  readonly marks: number;
  /** Decided candidates before confidence is calibrated with them. */
  readonly outcomes: number;
  /** Look-back period before the window; the first run looks back no further. */
  readonly lookBackMs: number;
};

export const REVIEW_THRESHOLDS: ReviewThresholds = {
  confidence: 0.6,
  times: 3,
  sessions: 2,
  failing: 0.5,
  cuts: 5,
  cutting: 0.3,
  compared: 10,
  chance: 0.01,
  apart: 0.25,
  marks: 3,
  outcomes: 20,
  lookBackMs: 7 * 86_400_000,
};

/** A model that adds findings to the built-in reviewer's. */
export type ModelReviewer = {
  /** `provider/model`. */
  readonly model: string;
  readonly models: Models;
  /** Tokens per question (default 6,000) and questions per run (default 8). */
  readonly chunkTokens?: number;
  readonly chunks?: number;
  /** For all questions of a run together; default two minutes. */
  readonly timeoutMs?: number;
};

export type ReviewWorld = {
  readonly events: EventJournal;
  readonly governance: GovernanceJournal;
  readonly contracts: ContractService;
  readonly clock: Clock;
  readonly thresholds?: Partial<ReviewThresholds>;
  readonly reviewer?: ModelReviewer;
  /** Measures whether directives and rules were followed in a window. */
  readonly measure: (window: ReviewWindow) => Promise<readonly AdherenceRow[]>;
  /** Looks through a window in place of this thread. */
  readonly look?: (window: ReviewWindow, thresholds: ReviewThresholds) => Promise<WindowSeen>;
  /** Sends the digest to the operator, once per run. */
  readonly deliver: (record: ReviewRecord) => Promise<void>;
};

/** The review's author name in the governance journal. */
export const REVIEWER = "daily-review";

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

/**
 * The source of a finding. `correction` is a person's own sentence, `cadence` comes from session measures, all others
 * from decisions.
 */
export type FindingPattern =
  | "correction"
  | "denied-then-met"
  | "overridden"
  | "not-followed"
  | "tool-fails"
  | "stop-refused"
  | "truncated"
  | "cadence"
  | "demotion"
  | "model";

/** A verbatim quote from the journal, with its session and event. */
export type Evidence = { readonly session: string; readonly event: string; readonly quote: string };

/** A possible proposal, before it is checked. `good`: a pattern to keep rather than to correct. */
export type Finding = {
  readonly pattern: FindingPattern;
  readonly good: boolean;
  readonly type: DirectiveType;
  readonly text: string;
  readonly scope: ContractScope;
  /** The rule, tool or directive concerned. */
  readonly subject?: string;
  /** The reviewer's raw confidence, 0 to 1, before calibration with past promotions and rejections. */
  readonly confidence: number;
  /** At least one. */
  readonly evidence: readonly Evidence[];
  /** The figures behind it, as text, if it is based on counting. */
  readonly seen?: string;
  readonly demotes?: string;
};

/** Whether it is a person's own words. Journals of earlier versions also contain `request`. */
export function isPersons(pattern: string): boolean {
  return pattern === "correction" || pattern === "request";
}
