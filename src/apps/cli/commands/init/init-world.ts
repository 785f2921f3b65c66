import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { nearest } from "../../../../base/kernel/nearest.ts";
import type { GovernanceDraft } from "../../../../base/ports/stores/governance.ts";
import type { Agent } from "../../../../base/words/hosting/agent.ts";
import { type CodexTrust, codexTrustStatus, trustCodexHooks } from "../../../../edge/adapters/codex/trust.ts";
import { ensureDaemon } from "../../../../edge/host/daemon/daemon-client.ts";
import { daemonPlace } from "../../../../edge/host/daemon/daemon-place.ts";
import { keepDaemonSettings, readDaemonSettings } from "../../../../edge/host/daemon/daemon-settings.ts";
import { accountName } from "../../../../edge/host/node/account.ts";
import { journalDraft } from "../../../../edge/host/opening/open-governance.ts";
import { type RuntimeSettings, readRuntimes } from "../../../../edge/host/opening/runtime-settings.ts";
import { type AgentAround, insideAgent } from "../../../../edge/host/trust/inside-agent.ts";
import { conductHome } from "../../../../edge/host/workspace/conduct-home.ts";
import { findProgram } from "../../../install/find-program.ts";
import { withLevel } from "../../../install/pack-level.ts";
import { ChangedMeanwhileError, type Plan } from "../../../install/plan.ts";
import type { InstallableRuntime, InstallPlace, SettingsFile } from "../../../install/runtime.ts";
import { STARTER_CONFIG } from "../../../install/starter-config.ts";
import { oneLine } from "../../../shared/printable.ts";
import type { InitArgs } from "../../declared/setup-commands.ts";
import { badArgument, failed, type Outcome, refuseAgent } from "../../line/outcome.ts";
import { confirm, type PersonCheck, personCheck, personHere, requirePerson } from "../../line/person.ts";
import { thisMachine } from "../../stores/with-contract.ts";

/** How the runtime will be bound. `files` is the starter configuration if there is no configuration yet. */
export type Binding = {
  readonly settings: RuntimeSettings;
  readonly agent: string;
  /** `runtimes.json` has another entry, or none. */
  readonly isNew: boolean;
  /** The conduct.yaml with the agent. */
  readonly config: string;
  /** The agent has no rules, for example because it was made for the gateway: nothing would be blocked. */
  readonly hasNoRules?: boolean;
  readonly files: readonly SettingsFile[];
};

const STARTER_AGENT = "coding";

/** The settings that the options ask for; a runtime that was set up before keeps the others. */
export function askedSettings(
  args: Pick<InitArgs, "agent" | "operator" | "user">,
  before: RuntimeSettings | undefined,
  fresh: {
    readonly enforcement: RuntimeSettings["enforcement"];
    readonly account: string | undefined;
    readonly now: number;
  },
): { readonly settings: RuntimeSettings; readonly isNew: boolean } {
  const settings = {
    agent: args.agent ?? before?.agent,
    enforcement: before?.enforcement ?? fresh.enforcement,
    operator: before?.operator === true || args.operator === true,
    since: before?.since ?? new Date(fresh.now).toISOString(),
    // Written down, so that it stays the same when another account starts the daemon.
    user: args.user?.trim() ?? (before === undefined ? fresh.account : before.user),
  };
  const isNew =
    before === undefined ||
    before.operator !== settings.operator ||
    before.agent !== settings.agent ||
    before.user !== settings.user;
  return { settings, isNew };
}

/** Keeps an existing binding; a new runtime starts in shadow mode. Returns an outcome if it cannot be bound at all. */
export async function bindingFor(
  { runtime, args }: InitRequest,
  world: InitWorld,
  cwd: string,
): Promise<Binding | Outcome> {
  const { home } = world;
  const { [runtime.name]: before } = await readRuntimes(home);
  const { settings, isNew } = askedSettings(args, before, {
    enforcement: "shadow",
    account: world.account,
    now: world.now(),
  });
  const { agent } = settings;
  const { bindAgents, settingsFor } = await import("../../../../edge/host/daemon/daemon-agents.ts");
  const bound = await bindAgents(home, cwd);
  const config = bound.config.file ?? join(home, "conduct.yaml");
  if (bound.config.from === "built-in" && bound.kind === "ready") {
    if (agent !== undefined && agent !== STARTER_AGENT) return noAgent(agent, config);
    return { settings, agent: STARTER_AGENT, isNew, config, files: [configFile(config, args.level)] };
  }
  if (bound.kind === "broken") {
    const message = `${bound.message}; until it is corrected, every call would be denied`;
    const next = [{ command: `conduct config check ${config}`, description: "Show every fault" }];
    return failed("CONFIG_INVALID", message, `conduct config check ${config}`, { next });
  }
  const told = settingsFor(runtime.name, { agents: bound.agents, runtimes: { [runtime.name]: settings } });
  if ("message" in told) {
    const names = bound.agents.map(({ name }) => name);
    const fix = `conduct init ${runtime.name} --agent ${names[0]}`;
    return failed("AGENT_NEEDED", told.message, fix, { result: { agents: names } });
  }
  const bare = bound.agents.find(({ name }) => name === told.agent);
  const files = args.level === undefined ? [] : [configFile(config, args.level)];
  return { settings, agent: told.agent, isNew, config, hasNoRules: bare !== undefined && hasNoRules(bare), files };
}

/** Agents of the gateway may have none: nothing is blocked when a runtime plays one. */
export function hasNoRules({ policies, sections }: Agent): boolean {
  return policies.length === 0 && sections.every((section) => (section.policies ?? []).length === 0);
}

/** Written once; afterwards it belongs to the person, and undo leaves it. `level` changes the packs in it. */
function configFile(path: string, level: string | undefined): SettingsFile {
  const about = "the rules of your agents; it is yours to edit, and undo keeps it";
  const add = (text = STARTER_CONFIG) => ({ text: level === undefined ? text : withLevel(text, level) });
  return { path, about, add, remove: (text) => ({ text }), faults: () => [] };
}

function noAgent(agent: string, config: string): Outcome {
  const message = `there is no agent '${agent}': ${config} is not there yet`;
  return failed("AGENT_NEEDED", message, "omit --agent");
}

/** Dependencies of `init` and `enforce`; replaced in tests. */
export type InitWorld = {
  readonly env: NodeJS.ProcessEnv;
  readonly home: string;
  readonly now: () => number;
  readonly by: string;
  /** The account's name. */
  readonly account?: string | undefined;
  inside(): AgentAround | undefined;
  /** Checks for a person before enforcement is loosened. */
  readonly person: Pick<PersonCheck, "look">;
  ask(question: string): Promise<boolean | undefined>;
  /** The daemon's HTTP address; starts the daemon if the address is not known yet. */
  daemon(): Promise<InstallPlace["daemon"]>;
  /** The daemon's HTTP address. If there is none yet, a free one: nothing is written or started before a person agrees. */
  planDaemon(): Promise<InstallPlace["daemon"]>;
  /** Starts the daemon at the planned address, which the settings of runtimes contain. */
  startDaemon(planned: InstallPlace["daemon"]): Promise<void>;
  find(program: string): string | undefined;
  codexTrust(codexHome: string, cwd: string, program: string): Promise<CodexTrust>;
  trustCodex(codexHome: string, cwd: string, program: string): Promise<CodexTrust>;
  /** Returns why the entry is not in the governance journal; `undefined` if it is. */
  journal(draft: GovernanceDraft): Promise<string | undefined>;
};

export function initWorld(): InitWorld {
  const { env } = process;
  const home = conductHome();
  let planned: Promise<InstallPlace["daemon"]> | undefined;
  return {
    env,
    home,
    now: Date.now,
    by: personHere(),
    account: accountName(),
    inside: insideAgent,
    person: personCheck,
    ask: confirm,
    daemon: () => daemonAt(home),
    planDaemon: () => {
      planned ??= plannedDaemon(home);
      return planned;
    },
    startDaemon: (address) => startDaemonAt(home, address),
    find: (program) => findProgram(program, env),
    codexTrust: codexTrustStatus,
    trustCodex: trustCodexHooks,
    journal: (draft) => journalDraft(thisMachine(), draft),
  };
}

/**
 * Only a person removes enforced rules. In shadow mode nothing is enforced, so a script may undo what it set up, with
 * `--yes`. Returns the proof for the journal, or the refusal.
 */
export async function requirePersonIfEnforced(
  { home, person }: Pick<InitWorld, "home" | "person">,
  runtimes: readonly string[] | "all",
  does: string,
  again: string,
): Promise<{ readonly proof: string } | Outcome> {
  const settings = Object.entries(await readRuntimes(home));
  const enforced = settings.filter(
    ([name, { enforcement }]) => enforcement === "enforce" && (runtimes === "all" || runtimes.includes(name)),
  );
  if (settings.length > 0 && enforced.length === 0) return { proof: "nothing was enforced" };
  return requirePerson(person, does, `run it in your own terminal: ${again}`);
}

/** The daemon's HTTP address without starting it; an unused port if the address is not known. */
export function knownDaemon(home: string): InstallPlace["daemon"] {
  const known = readDaemonSettings(daemonPlace(home).settings);
  return { port: known?.port ?? 0, token: known?.token ?? "" };
}

/** Settings name the daemon's port, which only the daemon itself knows. */
export async function daemonAt(home: string): Promise<InstallPlace["daemon"]> {
  const known = readDaemonSettings(daemonPlace(home).settings);
  if (known?.port !== undefined) return { port: known.port, token: known.token };
  const { port, httpFault } = await ensureDaemon(home);
  const settings = readDaemonSettings(daemonPlace(home).settings);
  if (port === undefined || settings === undefined) {
    throw new Error(`the daemon cannot be reached over HTTP: ${httpFault ?? "no reason given"}`);
  }
  return { port, token: settings.token };
}

async function plannedDaemon(home: string): Promise<InstallPlace["daemon"]> {
  const known = readDaemonSettings(daemonPlace(home).settings);
  const token = known?.token ?? randomBytes(32).toString("hex");
  return { port: known?.port ?? (await freePort()), token };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no port of 127.0.0.1 is free");
  return address.port;
}

/** Throws if another process has taken the port, or has started a daemon with another address in the meantime. */
async function startDaemonAt(home: string, planned: InstallPlace["daemon"]): Promise<void> {
  const { settings } = daemonPlace(home);
  if (readDaemonSettings(settings)?.port === undefined) {
    mkdirSync(home, { recursive: true, mode: 0o700 });
    keepDaemonSettings(settings, planned);
    const { port, httpFault } = await ensureDaemon(home);
    if (port === undefined)
      throw new Error(`the daemon cannot be reached over HTTP: ${httpFault ?? "no reason given"}`);
  }
  const { port, token } = await daemonAt(home);
  if (port !== planned.port || token !== planned.token)
    throw new ChangedMeanwhileError("the daemon has another address than the settings that were shown");
}

/** The arguments with all that is known about them. `folder` is where the record is saved. */
export type InitRequest = {
  readonly runtime: InstallableRuntime;
  readonly files: readonly SettingsFile[];
  readonly folder: string;
  readonly place: InstallPlace;
  readonly args: InitArgs;
  readonly yes: boolean;
};

/** Reports why a file cannot be changed, with the line at fault. */
export function settingsRefused(plan: Extract<Plan, { readonly refused: string }>): Outcome {
  const where = plan.line === undefined ? plan.path : `${plan.path}:${plan.line}`;
  return failed(plan.readOnly ? "SETTINGS_READ_ONLY" : "SETTINGS_BROKEN", `${where}  ${plan.refused}`, plan.fix);
}

/** Only a person may change the rules that apply to agents. */
export function refusedHere(world: Pick<InitWorld, "inside">, does: string, again: string): Outcome | undefined {
  const around = world.inside();
  return around && refuseAgent(around, `only a person ${does}`, again);
}

/** Reports a runtime that `conduct COMMAND` does not know, with the known ones. */
export function unknownRuntime(given: string | undefined, command: string, names: readonly string[]): Outcome {
  const known = names.join(", ");
  const first = `conduct ${command} ${names[0]}`;
  if (given === undefined) return badArgument(`no runtime given; known: ${known}`, first);
  const word = given.toLowerCase();
  const meant = (word === "" ? undefined : names.find((name) => name.startsWith(word))) ?? nearest(word, names);
  const hint = meant === undefined ? "" : `did you mean '${meant}'? `;
  const fix = meant === undefined ? first : `conduct ${command} ${meant}`;
  return badArgument(`there is no runtime '${oneLine(given)}': ${hint}known: ${known}`, fix);
}
