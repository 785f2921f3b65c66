import type { ActiveBehaviorContract } from "../../words/contract.ts";
import type { GovernanceHead } from "./governance.ts";

/**
 * Tells every process where the governance journal ends, without asking it. The journal stays the truth: nothing is decided
 * by what stands here but whether to read. No method rejects, and none waits longer than 200 ms.
 */
export type HotContract = {
  /** Where the journal ends. `undefined` when that is not certain: then the journal is asked. */
  newest(): Promise<GovernanceHead | undefined>;
  /** Before an entry is written after `head`: from now on nobody is told that this is the end. Holds for 10 s, or until the next announcement. */
  expect(head: GovernanceHead): Promise<void>;
  /**
   * The journal ends here, with this contract for everybody. Never takes the place of a later end, but for the one that
   * `wrong` names: that was told, and then not found in the journal.
   */
  announce(head: GovernanceHead, contract: ActiveBehaviorContract, wrong?: GovernanceHead): Promise<void>;
  close(): Promise<void>;
};
