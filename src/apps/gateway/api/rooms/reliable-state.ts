import type { ContractState } from "../../../../behavior/contract/contract-state.ts";
import type { ContractService } from "../../../../engine/governance/contract-service.ts";
import { REPAIR_COMMAND } from "../../../../engine/governance/governance-health.ts";
import { Problem } from "../route.ts";

/** The state of rules and contract. A damaged journal of which no state is known is a problem, never an empty list. */
export async function reliableState(service: Pick<ContractService, "state">): Promise<ContractState> {
  const state = await service.state();
  if (state.fault?.trust !== "none") return state;
  const message = `The governance journal is damaged, so nobody can tell what is in force: ${state.fault.message}.`;
  throw new Problem(503, "GOVERNANCE_DAMAGED", message, { fix: `Run ${REPAIR_COMMAND} in a terminal of your own.` });
}
