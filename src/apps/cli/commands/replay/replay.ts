import { existsSync } from "node:fs";
import { relative, resolve } from "node:path";
import { parseDuration } from "../../../../base/kernel/duration.ts";
import { nearest } from "../../../../base/kernel/nearest.ts";
import type { Agent } from "../../../../base/words/hosting/agent.ts";
import { nodeClock } from "../../../../edge/host/node/node-clock.ts";
import { nodeIds } from "../../../../edge/host/node/node-ids.ts";
import { loadConfigFile } from "../../../../edge/host/opening/load-config.ts";
import { loadRules } from "../../../../edge/host/opening/load-rules.ts";
import { storePlace } from "../../../../edge/host/workspace/store-place.ts";
import type { SqlStore } from "../../../../edge/stores/sql/sql-store.ts";
import { ContractService } from "../../../../engine/governance/contract-service.ts";
import type { RuleChange } from "../../../../engine/replay/replay-agents.ts";
import { replayContract } from "../../../learning/replay/replay-contract.ts";
import { replayInParallel } from "../../../learning/replay/replay-parallel.ts";
import { type ReplayQuery, replaySessions, sessionsOf } from "../../../learning/replay/replay-sessions.ts";
import { clip, oneLine, quoted } from "../../../shared/printable.ts";
import type { Arguments, CommandBody } from "../../line/command.ts";
import { badArgument, type Outcome } from "../../line/outcome.ts";
import type { Terminal } from "../../line/terminal.ts";
import {
  commandOf,
  findSession,
  type JournalWorld,
  momentIn,
  processWorld,
  TRY_DEMO,
  withStore,
} from "../../stores/with-store.ts";
import { wholeHistory } from "../behavior/contracts.ts";
import { noSuchVersion, readInstant, readVersion } from "../behavior/read-options.ts";
import { faultyOutcome } from "../policy/rule-files.ts";
import { tellProgress } from "./progress.ts";
import { renderContractReplay, renderReplay } from "./render.ts";

type Wrong = Extract<Outcome, { readonly ok: false }>;

/** With fewer sessions, starting worker threads costs more than it saves. */
const FEW = 400;
const WEEK = "7d";

/** `conduct replay --rules FILE [--add] [--for A] | --contract VERSION [--since 7d] [--agent A] [--session S] [--config FILE]` */
export const replay: CommandBody = (args, terminal) => runReplay(args, terminal, processWorld());

export async function runReplay(args: Arguments, terminal: Terminal, world: JournalWorld): Promise<Outcome> {
  const { rules, contract } = args;
  if ((typeof rules === "string") === (typeof contract === "string")) {
    const message = typeof rules === "string" ? "--rules and --contract are two questions" : "against what?";
    return { ...badArgument(message, "give --rules FILE or --contract VERSION"), exitCode: 2 };
  }
  if (typeof contract === "string" && (args.for !== undefined || args.add === true)) {
    const message = `${args.add === true ? "--add" : "--for"} says what becomes of rules, and a contract has none`;
    return { ...badArgument(message, "leave it out, or give --rules FILE"), exitCode: 2 };
  }
  const since = readSince(args.since, world.now());
  if (typeof since !== "number") return since;
  if (typeof contract === "string") return againstContract(args, since, terminal, world);
  return againstRules(String(rules), args, since, terminal, world);
}

async function againstRules(
  file: string,
  args: Arguments,
  since: number,
  terminal: Terminal,
  world: JournalWorld,
): Promise<Outcome> {
  const again = `conduct replay --rules ${quoted(file)}`;
  const loaded = await loadRules(file, terminal.cwd);
  if ("error" in loaded) {
    return {
      ok: false,
      ...loaded.error,
      next: [{ command: "conduct policy schema", description: "What a rule file may say" }],
    };
  }
  const { parsed, shown, text } = loaded;
  if ("faults" in parsed) {
    return faultyOutcome(
      { code: "RULES_INVALID", files: [shown], again },
      parsed.faults,
      new Map([[shown, text]]),
      terminal.paint,
    );
  }
  const defined = await definedAgents(args, again, terminal);
  if ("outcome" in defined) return defined.outcome;
  const whose = typeof args.for === "string" ? args.for : undefined;
  const change: RuleChange = { how: args.add === true ? "add" : "replace", ruleSet: parsed.ruleSet, agent: whose };
  return withStore(
    world,
    async (store) => {
      const query = await queryOf(store, args, since);
      if ("ok" in query) return query;
      const unknown = await unknownAgent(store, defined.agents, change.agent);
      if (unknown !== undefined) return unknown;
      const ids = await sessionsOf(store.events, query);
      const [onProgress, over] = tellProgress(terminal, "replaying", "sessions");
      const standing = [...(await contractOf(store).state()).rules].map(([, rule]) => rule);
      const meant = { ...query, sessions: ids, change, standing, onProgress };
      const { agents, config } = defined;
      const place = storePlace(world.env, world.home);
      const report =
        ids.length <= FEW
          ? await replaySessions(store.events, { ...meant, agents })
          : await replayInParallel(store.events, { ...meant, place, config });
      over();
      const asked = {
        rules: shown,
        how: change.how,
        for: whose,
        agent: query.agent,
        since: new Date(since).toISOString(),
      };
      const layout = { ...terminal, timeOf: momentIn(world.zone, world.now()) };
      const first = report.details[0]?.changes[0];
      const description = "What was decided on the first of them, and why";
      const why = first === undefined ? [] : [{ command: commandOf("why", first.decision), description }];
      const test = { command: `conduct policy test ${quoted(file)}`, description: "Run the cases beside the rules" };
      return {
        ok: true,
        result: { ...asked, warnings: parsed.warnings, ...report },
        text: renderReplay(report, asked, layout),
        next: [...why, test],
      };
    },
    nothingKept,
  );
}

async function againstContract(
  args: Arguments,
  since: number,
  terminal: Terminal,
  world: JournalWorld,
): Promise<Outcome> {
  const version = readVersion(String(args.contract), "--contract");
  if (typeof version !== "number")
    return version ?? badArgument("--contract needs a version", "give its number: 8 or v8");
  return withStore(
    world,
    async (store) => {
      const query = await queryOf(store, args, since);
      if ("ok" in query) return query;
      const service = contractOf(store);
      const history = await wholeHistory(service);
      const newest = (await store.governance.head()).seq;
      if (version > newest) return noSuchVersion(version, newest);
      const [onProgress, over] = tellProgress(terminal, "looking at prompts", "sessions");
      const report = await replayContract(store.events, { ...query, version, history, onProgress });
      over();
      const layout = { ...terminal, timeOf: momentIn(world.zone, world.now()) };
      const result = { since: new Date(since).toISOString(), ...report };
      const next = [
        { command: `conduct behavior show --version ${version}`, description: "The contract of that version" },
      ];
      return { ok: true, result, text: renderContractReplay(report, result.since, layout), next };
    },
    nothingKept,
  );
}

function contractOf({ governance }: SqlStore): ContractService {
  const counter = async () => (await import("../../../../behavior/results/token-counter.ts")).loadTokenizer();
  return new ContractService({ journal: governance, clock: nodeClock(), ids: nodeIds(), counter });
}

/** The agents as defined now: `--config`, else the conduct.yaml in this folder, else none. */
async function definedAgents(
  args: Arguments,
  again: string,
  { cwd, paint }: Terminal,
): Promise<
  | { readonly outcome: Outcome }
  | { readonly agents: readonly Agent[]; readonly config?: { readonly path: string; readonly shown: string } }
> {
  const given = typeof args.config === "string" ? args.config : undefined;
  const path = resolve(cwd, given ?? "conduct.yaml");
  if (given === undefined && !existsSync(path)) return { agents: [] };
  const shown = path.startsWith(`${cwd}/`) ? relative(cwd, path) : (given ?? path);
  const loaded = await loadConfigFile(path, shown);
  const next = [{ command: `conduct config check ${quoted(shown)}`, description: "Check the file" }];
  if ("error" in loaded) return { outcome: { ok: false, ...loaded.error, next } };
  const { parsed, texts } = loaded;
  if (!("faults" in parsed)) return { agents: parsed.agents, config: { path, shown } };
  return { outcome: faultyOutcome({ code: "CONFIG_INVALID", files: [shown], again }, parsed.faults, texts, paint) };
}

/** A name that is neither configured nor recorded is a typo: it would change nothing. */
async function unknownAgent(
  { events }: SqlStore,
  agents: readonly Agent[],
  name: string | undefined,
): Promise<Wrong | undefined> {
  const names = agents.map((agent) => agent.name);
  if (name === undefined || names.includes(name)) return undefined;
  if ((await events.sessions({ agent: name, limit: 1 })).sessions.length > 0) return undefined;
  const meant = nearest(name, names);
  const there = names.length === 0 ? "none is defined here" : `there are: ${names.map(oneLine).join(", ")}`;
  const message = `no agent '${clip(oneLine(name), 60)}' is defined here, and none was recorded; ${there}`;
  const fix = meant === undefined ? "give the name of an agent, or --config FILE" : `--for ${quoted(meant)}`;
  return { ok: false, code: "UNKNOWN_AGENT", message, fix, next: [], exitCode: 2 };
}

async function queryOf({ events }: SqlStore, args: Arguments, since: number): Promise<ReplayQuery | Wrong> {
  const agent = typeof args.agent === "string" ? args.agent : undefined;
  if (typeof args.session !== "string") return { since, agent };
  const found = await findSession(events, args.session);
  // A named session is replayed in full.
  if ("session" in found) return { agent, sessions: [found.session] };
  const near = found.near.length === 0 ? "" : `; near: ${found.near.join(", ")}`;
  const message = `no session '${clip(oneLine(args.session), 60)}' is kept${near}`;
  const next = [{ command: "conduct status", description: "See which sessions there are" }];
  return {
    ok: false,
    code: "SESSION_NOT_FOUND",
    message,
    fix: "take a session that is kept",
    result: { near: found.near },
    next,
  };
}

function readSince(given: unknown, now: number): number | Wrong {
  const text = typeof given === "string" ? given : WEEK;
  const ms = parseDuration(text);
  if (ms !== undefined) return now - ms;
  const at = /^\d{4}-/.test(text) ? readInstant(text, "--since") : undefined;
  return (
    at ?? badArgument(`--since: '${clip(oneLine(text), 40)}' is no time`, "give 24h, 7d or a time as 2026-11-15T08:00Z")
  );
}

function nothingKept(where: string): Outcome {
  const text = `\n  nothing has been kept in ${oneLine(where)} yet: there is nothing to replay\n\n`;
  return {
    ok: true,
    result: { sessions: 0, calls: 0, changed: 0, cannotTell: 0, details: [] },
    text,
    next: [TRY_DEMO],
  };
}
