import type { ActiveBehaviorContract } from "../../words/contract.ts";
import type { GovernanceHead } from "./governance.ts";

/**
 * Caches the head of the governance journal for all processes. The journal stays authoritative: the cache only decides
 * whether to read it. No method rejects or takes longer than 200 ms.
 */
export type HotContract = {
  /** Head of the journal. `undefined` if uncertain: read the journal then. */
  newest(): Promise<GovernanceHead | undefined>;
  /**
   * Call before writing an entry after `head`: `head` is no longer returned as the end, for 10 s or until the next
   * `announce`.
   */
  expect(head: GovernanceHead): Promise<void>;
  /**
   * Publishes the new head and the contract for everybody. Never replaces a later head, except the one in `wrong`,
   * which was published but not found in the journal.
   */
  announce(head: GovernanceHead, contract: ActiveBehaviorContract, wrong?: GovernanceHead): Promise<void>;
  close(): Promise<void>;
};
