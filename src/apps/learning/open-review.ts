import type { Clock } from "../../base/ports/clock.ts";
import type { EventJournal } from "../../base/ports/stores/event-journal.ts";
import type { GovernanceJournal } from "../../base/ports/stores/governance.ts";
import type { StorePlace } from "../../edge/stores/sql/open-database.ts";
import type { ContractService } from "../../engine/governance/contract-service.ts";
import { measureAdherence } from "./adherence/measure-adherence.ts";
import { lookInWorker } from "./review/look-in-worker.ts";
import { reviewSteps } from "./review/review-steps.ts";
import type { ReviewSteps, ReviewWorld } from "./review/steps.ts";

export type ReviewOptions = {
  readonly events: EventJournal;
  readonly governance: GovernanceJournal;
  readonly contracts: ContractService;
  readonly clock: Clock;
  /** The place of the store. A worker thread then looks through the journal. */
  readonly place?: StorePlace;
} & Pick<ReviewWorld, "thresholds" | "reviewer"> &
  Partial<Pick<ReviewWorld, "deliver">>;

/** Opens the review on a store, measuring from the same journals. Without `deliver` the digest is not sent. */
export function openReview({ deliver = async () => undefined, place, ...options }: ReviewOptions): ReviewSteps {
  const { events, contracts } = options;
  return reviewSteps({
    ...options,
    deliver,
    look: place && (async (window, thresholds) => lookInWorker({ place, window, thresholds })),
    measure: ({ after, upTo }) => measureAdherence({ events, contracts }, { after, upTo }),
  });
}
