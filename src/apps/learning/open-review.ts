import type { Clock } from "../../base/ports/clock.ts";
import type { EventJournal } from "../../base/ports/stores/event-journal.ts";
import type { GovernanceJournal } from "../../base/ports/stores/governance.ts";
import type { ContractService } from "../../engine/governance/contract-service.ts";
import { measureAdherence } from "./adherence/measure-adherence.ts";
import { reviewSteps } from "./review/review-steps.ts";
import type { ReviewSteps, ReviewWorld } from "./review/steps.ts";

export type ReviewOptions = {
  readonly events: EventJournal;
  readonly governance: GovernanceJournal;
  readonly contracts: ContractService;
  readonly clock: Clock;
} & Pick<ReviewWorld, "thresholds" | "reviewer"> &
  Partial<Pick<ReviewWorld, "deliver">>;

/** Opens the review on a store, measuring from the same journals. Without `deliver` the digest is not sent. */
export function openReview({ deliver = async () => undefined, ...options }: ReviewOptions): ReviewSteps {
  const { events, contracts } = options;
  return reviewSteps({
    ...options,
    deliver,
    measure: ({ after, upTo }) => measureAdherence({ events, contracts }, { after, upTo }),
  });
}
