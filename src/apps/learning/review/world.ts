import type { Clock } from "../../../base/ports/clock.ts";
import type { Models } from "../../../base/ports/models.ts";
import type { EventJournal } from "../../../base/ports/stores/event-journal.ts";
import type { GovernanceJournal } from "../../../base/ports/stores/governance.ts";
import type { ContractService } from "../../../engine/governance/contract-service.ts";
import type { AdherenceRow } from "../adherence/adherence.ts";
import type { ReviewRecord, ReviewWindow } from "./steps.ts";
import type { ReviewThresholds } from "./thresholds.ts";

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
  /** Sends the digest to the operator, once per run. */
  readonly deliver: (record: ReviewRecord) => Promise<void>;
};

/** The review's author name in the governance journal. */
export const REVIEWER = "daily-review";
