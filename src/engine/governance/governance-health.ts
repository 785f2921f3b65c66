import { errorText } from "../../base/kernel/error-text.ts";
import type { ContractService } from "./contract-service.ts";

/** What an operator runs when the governance journal is damaged. */
export const REPAIR_COMMAND = "conduct journal repair";

/** `reason` is one sentence for an operator, with the command that helps. */
export type GovernanceHealth = { readonly ok: true } | { readonly ok: false; readonly reason: string };

/** Whether rules and contract can be trusted. Reads new journal entries; never rejects. */
export async function governanceHealth(contracts: Pick<ContractService, "state">): Promise<GovernanceHealth> {
  try {
    const { fault } = await contracts.state();
    if (fault === undefined) return { ok: true };
    const effect =
      fault.trust === "none" ? "every call is denied" : "the last known rules stay in force and nothing can be changed";
    return {
      ok: false,
      reason: `Governance journal damaged: ${fault.message}; ${effect}. Repair it: ${REPAIR_COMMAND}`,
    };
  } catch (error) {
    return { ok: false, reason: `Governance journal cannot be read: ${errorText(error)}` };
  }
}
