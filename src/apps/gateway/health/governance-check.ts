import type { ContractService } from "../../../engine/governance/contract-service.ts";
import { governanceHealth } from "../../../engine/governance/governance-health.ts";
import { REPAIR_COMMAND } from "../../../engine/governance/repair-command.ts";
import type { HealthCheck } from "./health.ts";

/** Degraded while the governance journal does not verify. The message is public and names no entry. */
export function governanceCheck(contracts: Pick<ContractService, "state">): HealthCheck {
  return {
    name: "governance",
    async look() {
      const journal = await governanceHealth(contracts);
      if (journal.ok) return { kind: "ok" };
      const message = `The governance journal is damaged or cannot be read. An operator can see why: ${REPAIR_COMMAND}`;
      return { kind: "degraded", code: "GOVERNANCE_DAMAGED", message };
    },
  };
}
