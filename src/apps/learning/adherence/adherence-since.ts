import type { EventJournal } from "../../../base/ports/stores/event-journal.ts";
import type { GovernanceJournal } from "../../../base/ports/stores/governance.ts";
import type { ContractService } from "../../../engine/governance/contract-service.ts";
import { pastRuns } from "../review/past-runs.ts";
import type { AdherenceRow } from "./adherence.ts";
import { AdherenceTable } from "./adherence-table.ts";
import { type AdherenceWorld, measureAdherence } from "./measure-adherence.ts";

export type AdherenceSources = {
  readonly events: EventJournal;
  readonly governance: GovernanceJournal;
  readonly contracts: ContractService;
} & Pick<AdherenceWorld, "progress">;

/** Rows of the daily runs since a day, plus the time after the last run, measured now. Rows outlive deleted events. */
export async function adherenceSince(
  { governance, ...world }: AdherenceSources,
  since: number,
): Promise<readonly AdherenceRow[]> {
  const runs = await pastRuns(governance);
  const after = runs.reduce((most, { window }) => Math.max(most, window.upTo), 0);
  const from = new Date(since).toISOString().slice(0, 10);
  const { events } = world;
  const [first] = await events.follow({ after, since: Date.parse(from), limit: 1 });
  const fresh =
    first === undefined ? [] : await measureAdherence(world, { after: first.position - 1, upTo: await events.head() });
  const rows = [...runs.flatMap(({ adherence }) => adherence), ...fresh].filter(({ day }) => day >= from);
  return AdherenceTable.join(rows);
}
