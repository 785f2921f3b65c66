import { nearest } from "../../../../base/kernel/nearest.ts";
import type { Agent } from "../../../../base/words/hosting/agent.ts";
import { nodeClock } from "../../../../edge/host/node/node-clock.ts";
import { nodeIds } from "../../../../edge/host/node/node-ids.ts";
import { storePlace } from "../../../../edge/host/workspace/store-place.ts";
import type { SqlStore } from "../../../../edge/stores/sql/sql-store.ts";
import { ContractService } from "../../../../engine/governance/contract-service.ts";
import type { RuleChange } from "../../../../engine/replay/replay-agents.ts";
import type { ReplayQuery } from "../../../learning/replay/replay-sessions.ts";
import { clip, oneLine, quoted } from "../../../shared/printable.ts";
import type { ReplayArgs } from "../../declared/develop-commands.ts";
import { badArgument, done, type Failure, type Outcome } from "../../line/outcome.ts";
import { tellProgress } from "../../line/progress.ts";
import type { Terminal } from "../../line/terminal.ts";
import { configHere } from "../../stores/config-here.ts";
import { loadCounter, noSuchVersion, readSince, readVersion } from "../../stores/with-contract.ts";
import {
  commandOf,
  findSession,
  type JournalWorld,
  momentIn,
  processWorld,
  sessionNotFound,
  TRY_INIT,
  withStore,
} from "../../stores/with-store.ts";
import { wholeHistory } from "../behavior/contracts.ts";
import { renderContractReplay, renderReplay } from "./render.ts";

/** With fewer sessions, starting worker threads costs more than it saves. */
const FEW = 400;

/** `conduct replay --rules FILE [--add] [--for A] | --contract VERSION [--since 7d] [--agent A] [--session S] [--config FILE]` */
export async function replay(
  args: ReplayArgs,
  terminal: Terminal,
  world: JournalWorld = processWorld(),
): Promise<Outcome> {
  const { rules, contract } = args;
  if ((rules === undefined) === (contract === undefined)) {
    const message = rules === undefined ? "replay against what?" : "--rules and --contract cannot be combined";
    return badArgument(message, "give --rules FILE or --contract VERSION");
  }
  if (contract !== undefined && (args.for !== undefined || args.add === true)) {
    const message = `${args.add === true ? "--add" : "--for"} is only for --rules`;
    return badArgument(message, "leave it out, or give --rules FILE");
  }
  const since = readSince(args.since ?? "7d", world.now());
  if (typeof since !== "number") return since;
  if (rules !== undefined) return againstRules(rules, args, since, terminal, world);
  return againstContract(contract ?? "", args, since, terminal, world);
}

async function againstRules(
  file: string,
  args: ReplayArgs,
  since: number,
  terminal: Terminal,
  world: JournalWorld,
): Promise<Outcome> {
  const again = `conduct replay --rules ${quoted(file)}`;
  const { loadAll, ruleFaults } = await import("../policy/check.ts");
  const loaded = await loadAll([file], terminal.cwd);
  if ("ok" in loaded) return loaded;
  const [{ parsed, shown, text } = unloaded()] = loaded;
  if ("faults" in parsed)
    return ruleFaults("RULES_INVALID", parsed.faults, new Map([[shown, text]]), terminal.paint, again);
  const defined = await configHere(args.config, terminal, world.home);
  if ("ok" in defined) return defined;
  const { agents, config } = defined;
  const change: RuleChange = { how: args.add === true ? "add" : "replace", ruleSet: parsed.ruleSet, agent: args.for };
  return withStore(
    world,
    async (store) => {
      const query = await queryOf(store, args, since);
      if ("ok" in query) return query;
      const unknown = await unknownAgent(store, agents, change.agent);
      if (unknown !== undefined) return unknown;
      const { replaySessions, sessionsOf } = await import("../../../learning/replay/replay-sessions.ts");
      const ids = await sessionsOf(store.events, query);
      const [onProgress, over] = tellProgress(terminal, "replaying", "sessions");
      const standing = [...(await contractOf(store).state()).rules].map(([, rule]) => rule);
      const meant = { ...query, sessions: ids, change, standing, onProgress };
      const search = { home: world.home, workspace: terminal.cwd, flag: args.config };
      const place = storePlace(world.env, world.home);
      const report =
        ids.length <= FEW
          ? await replaySessions(store.events, { ...meant, agents })
          : await (await import("../../../learning/replay/replay-parallel.ts")).replayInParallel(store.events, {
              ...meant,
              place,
              search,
            });
      over();
      const asked = {
        rules: shown,
        how: change.how,
        for: args.for,
        agent: query.agent,
        since: new Date(since).toISOString(),
      };
      const layout = { ...terminal, timeOf: momentIn(world.zone, world.now()) };
      const first = report.details[0]?.changes[0];
      const description = "Show the first of these decisions, and why";
      const why = first === undefined ? [] : [{ command: commandOf("why", first.decision), description }];
      const test = { command: `conduct policy test ${quoted(file)}`, description: "Run the cases next to the rules" };
      const result = { ...asked, warnings: parsed.warnings, ...report };
      return done(result, renderReplay(report, asked, layout), [...why, test], config);
    },
    (where) => ({ ...nothingStoredYet(where), config }),
  );
}

function unloaded(): never {
  throw new Error("the file was not loaded");
}

async function againstContract(
  contract: string,
  args: ReplayArgs,
  since: number,
  terminal: Terminal,
  world: JournalWorld,
): Promise<Outcome> {
  const version = readVersion(contract, "--contract");
  if (typeof version !== "number") return version;
  return withStore(
    world,
    async (store) => {
      const query = await queryOf(store, args, since);
      if ("ok" in query) return query;
      const history = await wholeHistory(contractOf(store));
      const newest = (await store.governance.head()).seq;
      if (version > newest) return noSuchVersion(version, newest);
      const [onProgress, over] = tellProgress(terminal, "reading prompts", "sessions");
      const { replayContract } = await import("../../../learning/replay/replay-contract.ts");
      const report = await replayContract(store.events, { ...query, version, history, onProgress });
      over();
      const layout = { ...terminal, timeOf: momentIn(world.zone, world.now()) };
      const result = { since: new Date(since).toISOString(), ...report };
      const next = [{ command: `conduct behavior show --version ${version}`, description: "Show that version" }];
      return done(result, renderContractReplay(report, result.since, layout), next);
    },
    nothingStoredYet,
  );
}

function contractOf({ governance }: SqlStore): ContractService {
  return new ContractService({ journal: governance, clock: nodeClock(), ids: nodeIds(), counter: loadCounter });
}

/** A name that is neither configured nor recorded is a typo: it would change nothing. */
async function unknownAgent(
  { events }: SqlStore,
  agents: readonly Agent[],
  name: string | undefined,
): Promise<Failure | undefined> {
  const names = agents.map((agent) => agent.name);
  if (name === undefined || names.includes(name)) return undefined;
  if ((await events.sessions({ agent: name, limit: 1 })).sessions.length > 0) return undefined;
  const meant = nearest(name, names);
  const known = names.length === 0 ? "conduct.yaml defines none" : `known: ${names.map(oneLine).join(", ")}`;
  const message = `no agent '${clip(oneLine(name), 60)}' is configured or recorded; ${known}`;
  const fix = meant === undefined ? "give the name of an agent, or --config FILE" : `--for ${quoted(meant)}`;
  return badArgument(message, fix, "UNKNOWN_AGENT");
}

async function queryOf({ events }: SqlStore, args: ReplayArgs, since: number): Promise<ReplayQuery | Failure> {
  const { agent, session } = args;
  if (session === undefined) return { since, agent };
  const found = await findSession(events, session);
  // A named session is replayed in full.
  if ("session" in found) return { agent, sessions: [found.session] };
  return sessionNotFound(session, found.near, (id) => commandOf("watch", "--session", id, "--once"));
}

function nothingStoredYet(where: string): Outcome {
  const text = `\n  ${oneLine(where)} has no events yet: there is nothing to replay\n\n`;
  return done({ sessions: 0, calls: 0, changed: 0, cannotTell: 0, details: [] }, text, [TRY_INIT]);
}
