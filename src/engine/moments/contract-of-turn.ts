import type { ActiveBehaviorContract, ContractView } from "../../base/words/contract.ts";
import { renderContract } from "../../behavior/contract/active-contract.ts";
import { identitySlice } from "../../behavior/session/session-identity.ts";
import type { ContractService } from "../governance/contract-service.ts";
import { REPAIR_COMMAND } from "../governance/governance-health.ts";
import { withUnreadableRules } from "../governance/standing-rules.ts";
import { agentName, reportFault, type SessionContext } from "../session/session-context.ts";
import { GATHER_MS, withinLimit } from "./gather.ts";

/** The contract of a turn. `degraded`: the store could not be read, so this is the last known contract. */
export type ContractInForce =
  | { readonly kind: "known"; readonly contract: ActiveBehaviorContract; readonly degraded: boolean }
  /** No contract is available. `damage` describes the corrupt journal; `undefined` if the store could not be read. */
  | { readonly kind: "unreadable"; readonly damage: string | undefined };

const UNREADABLE =
  "The operator's standing directives could not be read right now. Ask before you do anything that cannot be undone.";
const DAMAGED = `The journal of the operator's standing directives is damaged, so every tool call is denied until an operator has run \`${REPAIR_COMMAND}\`. Tell the person.`;

/** Returns the contract's text for the prompt; the same text for every prompt of a turn. */
export async function contractOfTurn(context: SessionContext, limitMs: number): Promise<string | undefined> {
  const { contracts } = context.ports;
  if (contracts === undefined) return undefined;
  const inForce = context.contract ?? (await takeContract(context, contracts, limitMs));
  if (inForce.kind === "unreadable") return inForce.damage === undefined ? UNREADABLE : DAMAGED;
  context.contractHash = inForce.contract.hash;
  return renderContract(inForce.contract);
}

/** Figures for the prompt event. An empty contract has a hash too. */
export function contractFigures({ contract: inForce }: SessionContext) {
  if (inForce === undefined || inForce.kind === "unreadable") return {};
  const { contract, degraded } = inForce;
  const { version, hash, directives } = contract;
  return {
    contract: { version, hash, directives: directives.length, ...(degraded ? { degraded: true as const } : {}) },
  };
}

/** Reads the contract for the rest of the turn, with the agent's standing rules. */
export async function takeContract(
  context: SessionContext,
  contracts: ContractService,
  limitMs: number = context.compiled.agent.limits.gatherMs ?? GATHER_MS,
): Promise<ContractInForce> {
  const read = await readContract(context, contracts, limitMs);
  if (context.contract !== undefined) return context.contract;
  context.contract = read;
  // The agent's standing rules come from the contract that was just read.
  const agent = context.agentOf(agentName(context));
  context.compiled =
    read.kind === "unreadable" ? agent.withAgent(withUnreadableRules(agent.agent, read.damage)) : agent;
  return read;
}

async function readContract(
  context: SessionContext,
  contracts: ContractService,
  limitMs: number,
): Promise<ContractInForce> {
  const read = await withinLimit(limitMs, () => contracts.state());
  const damage = "value" in read ? read.value.fault : undefined;
  if (damage?.trust === "none") {
    const message = `${damage.message}; every call is denied until an operator runs ${REPAIR_COMMAND}`;
    reportFault(context, { where: "contract", code: "governance-damaged", message });
    return { kind: "unreadable", damage: damage.message };
  }
  const state = "value" in read ? read.value : contracts.known;
  const why = damage?.message ?? ("fault" in read ? read.fault.message : undefined);
  if (why !== undefined) {
    const fix = damage === undefined ? "" : `; repair the journal with ${REPAIR_COMMAND}`;
    const code = damage === undefined ? "contract-degraded" : "governance-damaged";
    reportFault(context, { where: "contract", code, message: `${why}; the last known contract stays in force${fix}` });
  }
  if (state === undefined) return { kind: "unreadable", damage: undefined };
  return { kind: "known", contract: contracts.of(state, contractView(context)), degraded: why !== undefined };
}

export function contractView(context: SessionContext): ContractView {
  const { channel, user } = context.slices.get(identitySlice);
  return { agent: agentName(context), channel, user };
}
