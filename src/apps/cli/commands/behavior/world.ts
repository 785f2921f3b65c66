import type { Clock } from "../../../../base/ports/clock.ts";
import type { Ids } from "../../../../base/ports/ids.ts";
import { type ContractCap, readCap } from "../../../../behavior/contract/contract-limits.ts";
import type { ChangeDecision } from "../../../../behavior/contract/decide/change-request.ts";
import { nodeClock } from "../../../../edge/host/node/node-clock.ts";
import { nodeIds } from "../../../../edge/host/node/node-ids.ts";
import { type OpenGovernance, openGovernance } from "../../../../edge/host/opening/open-governance.ts";
import type { AgentAround } from "../../../../edge/host/trust/inside-agent.ts";
import { conductHome } from "../../../../edge/host/workspace/conduct-home.ts";
import { storePlace } from "../../../../edge/host/workspace/store-place.ts";
import type { HistoryIndex } from "../../../../edge/stores/typesense/history-index.ts";
import { ContractService } from "../../../../engine/governance/contract-service.ts";
import type { Arguments, CommandBody } from "../../line/command.ts";
import type { Outcome } from "../../line/outcome.ts";
import type { Terminal } from "../../line/terminal.ts";

/** What commands on the contract and its journal need of the world; a test gives its own. */
export type GovernanceWorld = {
  readonly clock: Clock;
  readonly ids: Ids;
  cap(): Promise<ContractCap>;
  open(access: "read" | "write"): Promise<OpenGovernance>;
  inside(): Promise<AgentAround | undefined>;
  /** Who is at the terminal, for the journal. */
  by(): Promise<string>;
  /** The searchable copy of the history, where one is configured. */
  index(): Promise<HistoryIndex | undefined>;
  /** Telemetry hears of a change, where somebody listens. */
  tell(decision: ChangeDecision): Promise<void>;
  /** What is piped in; `undefined` when nothing is. */
  piped(): Promise<string | undefined>;
};

export type GovernanceCommand = (args: Arguments, terminal: Terminal, world: GovernanceWorld) => Promise<Outcome>;

/** A command as the command line runs it. */
export function onThisMachine(command: GovernanceCommand): CommandBody {
  return (args, terminal) => command(args, terminal, thisMachine());
}

export function thisMachine(): GovernanceWorld {
  return {
    clock: nodeClock(),
    ids: nodeIds(),
    cap: async () => readCap(process.env.CONDUCT_CONTRACT_CAP),
    open: async (access) =>
      openGovernance(storePlace(process.env, conductHome()), access, process.env.CONDUCT_REDIS_URL?.trim()),
    inside: async () => (await import("../../../../edge/host/trust/inside-agent.ts")).insideAgent(),
    by: async () => (await import("./person.ts")).personHere(),
    async index() {
      if (!process.env.CONDUCT_TYPESENSE_URL?.trim()) return undefined;
      return (await import("../../../../edge/stores/typesense/typesense-index.ts")).openHistoryIndex(process.env);
    },
    async tell(decision) {
      const { lazyTelemetry } = await import("../../../../edge/host/telemetry/lazy-telemetry.ts");
      const telemetry = await lazyTelemetry({}, process.env);
      telemetry?.contractChanged(decision.events, decision.kind === "accepted" ? decision.contract : undefined);
      await telemetry?.close();
    },
    piped: async () => (await import("./person.ts")).readPiped(process.stdin),
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
      const { clock, ids } = world;
      const counter = async () => (await import("../../../../behavior/results/tokens.ts")).loadTokenizer();
      const { journal, hot } = governance;
      const { limits } = await world.cap();
      const shared = hot === undefined ? {} : { hot };
      const service = new ContractService({ journal, clock, ids, counter, limits, ...shared });
      return await work({ ...governance, service });
    } finally {
      await governance.close();
    }
  } catch (error) {
    return (await import("./failure.ts")).failure(error);
  }
}

/** `undefined` where the option was not given. */
export function textOf(given: unknown): string | undefined {
  return typeof given === "string" && given.trim() !== "" ? given.trim() : undefined;
}
