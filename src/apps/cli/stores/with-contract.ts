import { parseDuration } from "../../../base/kernel/duration.ts";
import { errorText } from "../../../base/kernel/error-text.ts";
import type { Clock } from "../../../base/ports/clock.ts";
import type { Ids } from "../../../base/ports/ids.ts";
import type { GovernanceJournal } from "../../../base/ports/stores/governance.ts";
import type { ContractView } from "../../../base/words/contract.ts";
import { type ContractCap, readCap } from "../../../behavior/contract/active-contract.ts";
import type { ContractState } from "../../../behavior/contract/contract-state.ts";
import { readTime } from "../../../behavior/contract/iso-time.ts";
import { isScope } from "../../../behavior/contract/scopes.ts";
import { nodeClock } from "../../../edge/host/node/node-clock.ts";
import { nodeIds } from "../../../edge/host/node/node-ids.ts";
import { type OpenGovernance, openGovernance } from "../../../edge/host/opening/open-governance.ts";
import type { PersonAtTerminal } from "../../../edge/host/switch/person-at-terminal.ts";
import type { AgentAround } from "../../../edge/host/trust/inside-agent.ts";
import { conductHome } from "../../../edge/host/workspace/conduct-home.ts";
import { storePlace } from "../../../edge/host/workspace/store-place.ts";
import type { homeStores as openHomeStores } from "../../../edge/stores/home-stores.ts";
import { StoreError } from "../../../edge/stores/sql/store-error.ts";
import type { HistoryIndex } from "../../../edge/stores/typesense/history-index.ts";
import { type ContractNews, ContractService } from "../../../engine/governance/contract-service.ts";
import { clip, oneLine } from "../../shared/printable.ts";
import type { ViewArgs } from "../declared/contract-commands.ts";
import { badArgument, type Failure, failed, missingPackage, type NextAction, type Outcome } from "../line/outcome.ts";
import type { Terminal } from "../line/terminal.ts";

/** Dependencies of the commands on the contract and its journal; replaced in tests. */
export type GovernanceWorld = {
  readonly clock: Clock;
  readonly ids: Ids;
  cap(): Promise<ContractCap>;
  open(access: "read" | "write"): Promise<OpenGovernance>;
  inside(): Promise<AgentAround | undefined>;
  /** The person at the terminal, for the journal. */
  by(): Promise<string>;
  /** Whether a person runs this command. */
  look(): Promise<PersonAtTerminal>;
  /** The rules of the configuration in force in this folder. */
  rulesHere?(terminal: Terminal, full: boolean): Promise<{ readonly agents: readonly object[]; readonly text: string }>;
  /** The search index of the history, if one is configured. */
  index(journal: Pick<GovernanceJournal, "read">): Promise<HistoryIndex | undefined>;
  /** Reports what this command has written to telemetry, and indexes it for the search. Never rejects. */
  tell(news: readonly ContractNews[], journal: GovernanceJournal): Promise<void>;
  /** Piped input; `undefined` at a terminal. */
  piped(): Promise<string | undefined>;
};

export type GovernanceCommand<Args = object> = (
  args: Args,
  terminal: Terminal,
  world?: GovernanceWorld,
) => Promise<Outcome>;

const person = () => import("../line/person.ts");

export function thisMachine(): GovernanceWorld {
  return {
    clock: nodeClock(),
    ids: nodeIds(),
    cap: async () => readCap(process.env.CONDUCT_CONTRACT_CAP),
    open: async (access) =>
      openGovernance(storePlace(process.env, conductHome()), access, process.env.CONDUCT_REDIS_URL?.trim()),
    inside: async () => (await import("../../../edge/host/trust/inside-agent.ts")).insideAgent(),
    by: async () => (await person()).personHere(),
    look: async () => (await person()).personCheck.look(),
    async index(journal) {
      if (!process.env.CONDUCT_TYPESENSE_URL?.trim()) return undefined;
      return (await import("../../../edge/stores/typesense/typesense-index.ts")).openHistoryIndex(process.env, journal);
    },
    async tell(news, journal) {
      const { lazyTelemetry } = await import("../../../edge/host/telemetry/lazy-telemetry.ts");
      const telemetry = await lazyTelemetry({}, process.env);
      for (const one of news) telemetry?.governance(one);
      const index = await this.index(journal).catch(() => undefined);
      await Promise.all([telemetry?.close(), index && projectSoon(index, journal)]);
    },
    rulesHere: async (terminal, full) => (await import("../commands/rules/rules-here.ts")).rulesHere(terminal, full),
    piped: async () => (await person()).readPiped(process.stdin),
  };
}

export type OpenContract = OpenGovernance & { readonly service: ContractService };

/** Opens the store, runs the command and closes the store. An unusable store becomes a failure outcome. */
export async function withContract(
  world: GovernanceWorld,
  access: "read" | "write",
  work: (contract: OpenContract) => Promise<Outcome>,
): Promise<Outcome> {
  try {
    const governance = await world.open(access);
    try {
      const { clock, ids } = world;
      const { journal, hot } = governance;
      const { limits } = await world.cap();
      const service = new ContractService({ journal, clock, ids, counter: loadCounter, limits, hot });
      const news: ContractNews[] = [];
      service.onNews((one) => news.push(one));
      const outcome = await work({ ...governance, service });
      if (news.length > 0) await world.tell(news, journal);
      return outcome;
    } finally {
      await governance.close();
    }
  } catch (error) {
    return failure(error);
  }
}

/** A command does not wait longer for the search index; the next command or the gateway continues. */
const PROJECT_MS = 3_000;

/** Indexes what the journal has and the index lacks. Returns false if that failed: the next call catches up. */
export async function projectSoon(index: HistoryIndex, journal: GovernanceJournal): Promise<boolean> {
  const { projectTo } = await import("../../../edge/stores/typesense/history-index.ts");
  const limit = new Promise<false>((resolve) => setTimeout(resolve, PROJECT_MS, false).unref());
  const done = projectTo(journal, index).then(
    () => true,
    () => false,
  );
  return Promise.race([done, limit]);
}

type HomeStores = ReturnType<typeof openHomeStores>;

/** Opens all stores of a home for one command. An unusable store becomes a failure outcome. */
export async function withHomeStores(
  env: NodeJS.ProcessEnv,
  work: (stores: HomeStores, home: string) => Promise<Outcome>,
): Promise<Outcome> {
  const { homeStores } = await import("../../../edge/stores/home-stores.ts");
  const home = conductHome(env);
  const stores = homeStores(storePlace(env, home));
  try {
    return await work(stores, home);
  } catch (error) {
    if (error instanceof StoreError) return failure(error);
    throw error;
  } finally {
    await stores.close();
  }
}

/** Loads the tokenizer only when tokens are counted. */
export async function loadCounter() {
  return (await import("../../../behavior/results/token-counter.ts")).loadTokenizer();
}

export const LIST: NextAction = { command: "conduct behavior list", description: "Show the contract" };
export const HISTORY: NextAction = {
  command: "conduct behavior history",
  description: "Show what changed, when and by whom",
};
export const VERIFY: NextAction = {
  command: "conduct journal verify",
  description: "Verify the journal",
};
export const REPAIR: NextAction = {
  command: "conduct journal repair --dry-run",
  description: "Show what a repair would do",
};

/** The failure for a damaged journal. `result`: the last state known to be good. */
export function damaged(fault: NonNullable<ContractState["fault"]>, result?: unknown): Failure {
  const fix = "nothing is written and every call is denied until it is repaired: conduct journal repair";
  const message = `the governance journal is damaged: ${fault.message}`;
  return failed("GATEWAY_BEHAVIOR_FAILED", message, fix, { result, next: [VERIFY, REPAIR] });
}

export function failure(error: unknown): Failure {
  if (error instanceof StoreError) {
    const { code, fix } = error;
    return failed(code, error.message.replace(`. ${fix}`, ""), fix);
  }
  const missing = missingPackage(error);
  if (missing !== undefined) return missing;
  const fix = "try again; if it fails again, run: conduct journal verify";
  return failed("GATEWAY_BEHAVIOR_FAILED", errorText(error), fix, { next: [VERIFY] });
}

/** Reads a version: `8` or `v8`. */
export function readVersion(text: string, name: string): number | Failure;
export function readVersion(text: string | undefined, name: string): number | Failure | undefined;
export function readVersion(text: string | undefined, name: string): number | Failure | undefined {
  if (text === undefined) return undefined;
  const seq = /^v?\d{1,15}$/i.test(text) ? Number(text.replace(/^v/i, "")) : Number.NaN;
  if (Number.isSafeInteger(seq)) return seq;
  const message = `${name}: '${clip(oneLine(text), 40)}' is not a version`;
  return badArgument(message, "give its number, from the history: 8 or v8");
}

/** Reads how far back to look, as a duration or a time; returns milliseconds since the epoch. */
export function readSince(text: string, now: number): number | Failure {
  const ms = parseDuration(text);
  if (ms !== undefined) return now - ms;
  const time = readTime(text);
  if (time !== undefined) return Date.parse(time);
  return badArgument(`--since: '${clip(oneLine(text), 40)}' is not a time`, "use 24h, 7d or 2026-11-15T08:00Z");
}

export function noSuchVersion(asked: number, newest: number): Failure {
  const message = `there is no version ${asked}; the newest is ${newest}`;
  return failed("VERSION_NOT_FOUND", message, "use a version from the history", { next: [HISTORY] });
}

export function readView({ agent, channel, user }: ViewArgs): ContractView | Failure {
  const given = Object.entries({ agent, channel, user }).filter(([, name]) => name !== undefined);
  for (const [kind, name = ""] of given) {
    if (isScope(`${kind}:${name}`)) continue;
    const message = `--${kind}: '${clip(oneLine(name), 80)}' is not a name`;
    return badArgument(message, "give a name without spaces", "INVALID_SCOPE");
  }
  return Object.fromEntries(given);
}
