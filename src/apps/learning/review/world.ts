import type { Clock } from "../../../base/ports/clock.ts";
import type { Models } from "../../../base/ports/models.ts";
import type { EventJournal } from "../../../base/ports/stores/event-journal.ts";
import type { GovernanceJournal } from "../../../base/ports/stores/governance.ts";
import type { ContractService } from "../../../engine/governance/contract-service.ts";
import type { AdherenceRow } from "../adherence/adherence.ts";
import type { ReviewRecord, ReviewWindow } from "./steps.ts";
import type { ReviewThresholds } from "./thresholds.ts";

/** A model that adds to what the built-in reviewer finds. */
export type ModelReviewer = {
  /** `provider/model`. */
  readonly model: string;
  readonly models: Models;
  /** Tokens of one question, 6,000 unless told, and how many questions a run may ask, 8 unless told. */
  readonly chunkTokens?: number;
  readonly chunks?: number;
  /** For all questions of a run together; two minutes unless told. */
  readonly timeoutMs?: number;
};

/** What the review needs of the world. */
export type ReviewWorld = {
  readonly events: EventJournal;
  readonly governance: GovernanceJournal;
  readonly contracts: ContractService;
  readonly clock: Clock;
  readonly thresholds?: Partial<ReviewThresholds>;
  readonly reviewer?: ModelReviewer;
  /** Whether directives and rules were followed in a window. */
  readonly measure: (window: ReviewWindow) => Promise<readonly AdherenceRow[]>;
  /** Brings the digest to the operator, once for each run. */
  readonly deliver: (record: ReviewRecord) => Promise<void>;
};

/** Who it is in the governance journal. */
export const REVIEWER = "daily-review";
