import { errorText } from "../../base/kernel/error-text.ts";
import type { Clock } from "../../base/ports/clock.ts";
import type { Ids } from "../../base/ports/ids.ts";
import type { ContractState } from "../../behavior/contract/contract-state.ts";
import { conductHome } from "../../edge/host/conduct-home.ts";
import { type ContractCap, contractCap } from "../../edge/host/contract-cap.ts";
import type { AgentAround } from "../../edge/host/inside-agent.ts";
import { nodeClock } from "../../edge/host/node-clock.ts";
import { nodeIds } from "../../edge/host/node-ids.ts";
import { type OpenGovernance, openGovernance } from "../../edge/host/open-governance.ts";
import { storePlace } from "../../edge/host/store-place.ts";
import { StoreError } from "../../edge/stores/sql/store-error.ts";
import { ContractService } from "../../engine/governance/contract-service.ts";
import type { Arguments, CommandBody } from "./command.ts";
import type { Outcome } from "./outcome.ts";
import type { Terminal } from "./terminal.ts";

/** What commands on the contract and its journal need of the world; a test gives its own. */
export type GovernanceWorld = {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly cap: ContractCap;
  open(access: "read" | "write"): Promise<OpenGovernance>;
  inside(): Promise<AgentAround | undefined>;
  /** Who is at the terminal, for the journal. */
  by(): Promise<string>;
  /** What is piped in; `undefined` when nothing is. */
  piped(): Promise<string | undefined>;
};

export type GovernanceCommand = (args: Arguments, terminal: Terminal, world: GovernanceWorld) => Promise<Outcome>;

/** A command as the command line runs it. */
export function onThisMachine(command: GovernanceCommand): CommandBody {
  return (args, terminal) => command(args, terminal, thisMachine());
}

function thisMachine(): GovernanceWorld {
  return {
    clock: nodeClock(),
    ids: nodeIds(),
    cap: contractCap(process.env),
    open: async (access) => openGovernance(storePlace(process.env, conductHome()), access),
    inside: async () => (await import("../../edge/host/inside-agent.ts")).insideAgent(),
    by: async () => (await import("./behavior-person.ts")).personHere(),
    piped: async () => (await import("./behavior-person.ts")).readPiped(process.stdin),
  };
}

export type OpenContract = OpenGovernance & { readonly service: ContractService };

/** Opens the store, does the work, closes it. A store that cannot be used is an answer like any other. */
export async function withContract(
  world: GovernanceWorld,
  access: "read" | "write",
  work: (contract: OpenContract) => Promise<Outcome>,
): Promise<Outcome> {
  try {
    const governance = await world.open(access);
    try {
      const { clock, ids, cap } = world;
      const counter = async () => (await import("../../behavior/results/tokens.ts")).loadTokenizer();
      const service = new ContractService({
        ...{ journal: governance.journal, clock, ids, counter },
        limits: cap.limits,
      });
      return await work({ ...governance, service });
    } finally {
      await governance.close();
    }
  } catch (error) {
    return storeFailure(error);
  }
}

function storeFailure(error: unknown): Outcome {
  if (error instanceof StoreError) {
    const { code, fix } = error;
    return { ok: false, code, message: error.message.replace(` ${fix}`, ""), fix, next: [] };
  }
  const fix = "try again; if it stays so, run: conduct journal verify";
  return { ok: false, code: "GATEWAY_BEHAVIOR_FAILED", message: errorText(error), fix, next: [VERIFY] };
}

const VERIFY = { command: "conduct journal verify", description: "See whether the journal is whole" };

/** What is said when the journal cannot be relied on to its end. `result`: what was last known to be good. */
export function damaged(fault: NonNullable<ContractState["fault"]>, result: unknown): Outcome {
  const message = `the stored contract cannot be trusted: ${fault.message}`;
  const fix = "what was in force before stays so, and nothing is written until it is repaired: conduct journal verify";
  return { ok: false, code: "GATEWAY_BEHAVIOR_FAILED", message, fix, result, next: [VERIFY] };
}

/** A command line that was understood, with a value that was not. */
export function badArgument(message: string, fix: string, code = "BAD_ARGUMENT"): Extract<Outcome, { ok: false }> {
  return { ok: false, code, message, fix, next: [], exitCode: 2 };
}

/** `undefined` where the option was not given. */
export function textOf(given: unknown): string | undefined {
  return typeof given === "string" && given.trim() !== "" ? given.trim() : undefined;
}
