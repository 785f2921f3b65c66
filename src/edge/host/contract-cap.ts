import { CONTRACT_LIMITS, type ContractLimits, readCap } from "../../behavior/contract/contract-limits.ts";

/** What one block may hold on this machine. `note`: why what `CONDUCT_CONTRACT_CAP` says is not used. */
export type ContractCap = { readonly limits: ContractLimits; readonly note?: string };

/** The limits as `CONDUCT_CONTRACT_CAP` sets them: how many directives one block may have. */
export function contractCap(env: NodeJS.ProcessEnv): ContractCap {
  const { items, note } = readCap(env.CONDUCT_CONTRACT_CAP);
  return { limits: { ...CONTRACT_LIMITS, items }, ...(note === undefined ? {} : { note }) };
}
