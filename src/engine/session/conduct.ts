import {
  anything,
  callback,
  checkOptions,
  either,
  flag,
  having,
  listOf,
  mapOf,
  object,
  oneOf,
  optional,
  type ShapesOf,
  shape,
  text,
} from "../../base/kernel/check-options.ts";
import { nearest } from "../../base/kernel/nearest.ts";
import type { Fault } from "../../base/words/event.ts";
import type { Agent, AnyPolicy, Limits } from "../../base/words/hosting/agent.ts";
import type { ConductPlugin, PluginTool } from "../../base/words/hosting/plugin.ts";
import { classificationSlice, classified } from "../../behavior/classification/classification-state.ts";
import type { ContractLimits } from "../../behavior/contract/active-contract.ts";
import { type ProtectedPaths, protectedPathsPolicy } from "../../behavior/policy/builtin/protected-paths.ts";
import { skillPaths } from "../../behavior/policy/builtin/skill-paths.ts";
import { tighterBudget } from "../../behavior/session/budget.ts";
import { modesSlice, safeModes } from "../../behavior/session/modes/modes.ts";
import { identitySlice, type SessionIdentity, turnSlice } from "../../behavior/session/session-identity.ts";
import { parseSnapshot, Slices, type Snapshot } from "../../behavior/session/snapshot/snapshot.ts";
import { CompiledAgent } from "../agent/compiled-agent.ts";
import { extendAgent, isFor, type PluginPart, pluginApi } from "../agent/plugin-parts.ts";
import { ContractService } from "../governance/contract-service.ts";
import { withStandingRules } from "../governance/standing-rules.ts";
import { Bus, type Listener } from "../journal/bus.ts";
import { withinLimit } from "../moments/gather.ts";
import { identityAfterLoss, slicesAfterLoss } from "./lost-state.ts";
import { Session } from "./session.ts";
import { ForwardClock } from "./session-clock.ts";
import { SessionError, type SessionOptions, type SharedPorts, sessionKeys } from "./session-options.ts";
import { SessionRegistry } from "./session-registry.ts";

/** Setup timeout of a plugin; later registrations still count. */
const PLUGIN_MS = 10_000;
/** How many faults wait for the first session. */
const WAITING_FAULTS = 100;

/** Everything that `Conduct` needs from its host. */
export type ConductPorts = SharedPorts & {
  readonly protected?: ProtectedPaths;
  readonly plugins?: readonly ConductPlugin[];
  readonly contractLimits?: ContractLimits;
  /** Writes buffered data to the store now. */
  readonly flushing?: () => Promise<void>;
  /** Runs on close: saves buffered data and releases open resources. */
  readonly closing?: () => Promise<void>;
};

/** A plugin's part, and how to remove it from what it was added to. */
type Added = { readonly part: PluginPart; readonly remove: (() => void)[] };

/** Agents, their sessions and the operator's contract in one process. */
export class Conduct {
  readonly #ports: ConductPorts;
  /** Agents as defined; `#agents` are those in force, with the parts of plugins. */
  readonly #defined: Map<string, Agent>;
  readonly #agents: Map<string, CompiledAgent>;
  /** What plugins have added, also for agents added later. */
  readonly #added = new Set<Added>();
  /** Agents with the operator's standing rules, as last compiled. */
  readonly #standing = new Map<string, Standing>();
  readonly sessions = new SessionRegistry();
  readonly #bus = new Bus();
  readonly #pluginsReady: Promise<void>;
  /** The only writer of the operator's contract; absent without a store for it. */
  readonly contracts: ContractService | undefined;
  readonly #waiting: { readonly root: string | undefined; readonly fault: Fault }[] = [];

  constructor(agents: readonly Agent[], ports: ConductPorts) {
    if (Array.isArray(agents) && new Set(agents.map((agent) => agent?.name)).size < agents.length)
      throw new Error("two agents have the same name; rename one of them");
    checkOptions("Conduct", { agents, ports }, { agents: listOf(object), ports: shape(portKeys) });
    this.#ports = ports;
    this.#defined = new Map(agents.map((agent) => [agent.name, agent]));
    this.#agents = new Map(agents.map((agent) => [agent.name, new CompiledAgent(agent, this.#builtins(agent))]));
    this.#bus.subscribe((event) => {
      if (event.type === "notice" && event.notice.kind === "ended") this.sessions.end(event.session);
    });
    const { governance: journal, clock, ids, counter, hot, contractLimits: limits } = ports;
    this.contracts =
      journal === undefined ? undefined : new ContractService({ journal, clock, ids, counter, hot, limits });
    this.#pluginsReady = this.#setUp(ports.plugins ?? []);
  }

  /** The functions for plugins. Each throws if its argument is invalid, and then nothing is added. */
  readonly #plugins = pluginApi((part) => this.#add(part));

  /** Adds a contributor to the prompts of all agents, or of those named, from their next turn on. */
  readonly registerPromptContributor = this.#plugins.registerPromptContributor;

  #add(part: PluginPart): () => void {
    const added: Added = { part, remove: [] };
    for (const name of part.agents ?? []) this.#agent(name);
    const chosen = [...this.#agents.keys()].filter((name) => isFor(part, name));
    if (part.kind === "tool" && chosen.some((name) => this.toolsOf(name).some((one) => one.name === part.tool.name)))
      throw new Error(`two plugins have a tool '${part.tool.name}'`);
    this.#added.add(added);
    const remove = () => {
      this.#added.delete(added);
      for (const take of added.remove.splice(0)) take();
      for (const name of chosen) this.#compile(name);
    };
    try {
      if (part.kind === "listener") added.remove.push(this.#bus.subscribe(part.listener));
      for (const name of chosen) {
        const { prompts } = this.#compile(name);
        if (part.kind === "contributor") added.remove.push(prompts.addPlugin(part.contributor));
      }
    } catch (error) {
      remove();
      throw error;
    }
    return remove;
  }

  #builtins({ prompt }: Agent): readonly AnyPolicy[] {
    const { protected: own } = this.#ports;
    return own === undefined ? [] : [protectedPathsPolicy(own, skillPaths(prompt, own.paths))];
  }

  /** Applies the parts of plugins anew. Prompts stay, with their contributors. */
  #compile(name: string): CompiledAgent {
    const [before, defined] = [this.#agents.get(name), this.#defined.get(name)];
    if (before === undefined || defined === undefined) throw new Error(`no agent '${name}'`);
    const agent = this.withPlugins(defined);
    const compiled = agent === before.agent ? before : before.withAgent(agent);
    this.#agents.set(name, compiled);
    return compiled;
  }

  /** The agent as it would be in force here. Throws an `AgentError` if a plugin's names clash with its own. */
  withPlugins(agent: Agent): Agent {
    return extendAgent(
      agent,
      [...this.#added].map(({ part }) => part),
    );
  }

  /** The contributors of plugins, for a Conduct that only previews the prompts of these agents. */
  get contributed(): ConductPlugin {
    const parts = [...this.#added].map(({ part }) => part);
    return {
      name: "previewed",
      setup(api) {
        for (const part of parts)
          if (part.kind === "contributor") api.registerPromptContributor(part.contributor, { agents: part.agents });
      },
    };
  }

  /** The tools that plugins give to this agent's host. */
  toolsOf(agent: string): readonly PluginTool[] {
    return [...this.#added].flatMap(({ part }) => (part.kind === "tool" && isFor(part, agent) ? [part.tool] : []));
  }

  /**
   * Adds or replaces an agent, and returns it as it is in force. Live sessions use the new definition from their next
   * turn; policies that keep their name keep their session state.
   */
  setAgent(agent: Agent): Agent {
    const compiled = new CompiledAgent(this.withPlugins(agent), this.#builtins(agent));
    for (const { part, remove } of this.#added) {
      if (part.kind === "contributor" && isFor(part, agent.name))
        remove.push(compiled.prompts.addPlugin(part.contributor));
    }
    this.#defined.set(agent.name, agent);
    this.#agents.set(agent.name, compiled);
    return compiled.agent;
  }

  /** Reports a fault outside any session: in the live sessions of that folder, else in the next one there. */
  report(fault: Fault, root?: string): void {
    const affected = this.sessions.all().filter((session) => session.parent === undefined && session.isAt(root));
    for (const session of affected) session.notice({ kind: "fault", fault });
    if (affected.length === 0 && this.#waiting.length < WAITING_FAULTS) this.#waiting.push({ root, fault });
  }

  /** Resolves when everything so far is saved, as far as the store accepts it. */
  async flush(): Promise<void> {
    await this.#ports.flushing?.();
  }

  /** Saves buffered data and releases stores and watchers. Sessions used afterwards save nothing. */
  async close(): Promise<void> {
    await this.#ports.closing?.();
  }

  get agents(): readonly Agent[] {
    return [...this.#agents.values()].map(({ agent }) => agent);
  }

  /** Returns the live session with this id. */
  find(id: string): Session | undefined {
    return this.sessions.find(id);
  }

  /** How often a subscriber failed; a failing subscriber never breaks a turn. */
  get subscriberFailures(): number {
    return this.#bus.failures;
  }

  /** Subscribes to every event of every session. Returns a function that unsubscribes. */
  subscribe(listener: Listener): () => void {
    return this.#bus.subscribe(listener);
  }

  /** Opens a session or resumes one from its snapshot. Throws a `SessionError` with the reason. */
  session(options: SessionOptions): Session {
    checkOptions("session", options, sessionKeys);
    return this.#open(options);
  }

  #open(options: SessionOptions, parent?: Session): Session {
    const agent = this.#agent(options.agent);
    const resumed = options.snapshot === undefined ? undefined : readSnapshot(options.snapshot, options, parent);
    const id = options.id ?? resumed?.session ?? this.#ports.ids.next("s");
    this.sessions.checkFree(id);
    const clock = new ForwardClock(this.#ports.clock, resumed?.at);
    const lost = options.lost === undefined ? undefined : slicesAfterLoss(agent, options.lost);
    const before = resumed?.slices ?? lost ?? Slices.empty;
    const known = resumed?.slices.get(identitySlice) ?? identityAfterLoss(options.lost);
    const identity = identityOf(options, agent.agent.limits, known, parent, clock.now());
    const modes = safeModes({ ...safeModes(before.get(modesSlice)), ...options.modes });
    const { adapter, sender, enforcement } = options;
    const session = new Session(
      {
        ...{ id, parent, agent, clock, adapter, sender, enforcement },
        agentOf: (name) => this.#agent(name),
        slices: knownSubject(before, options).with(identitySlice, identity).with(modesSlice, modes),
        window: options.window,
        ports: {
          ...this.#ports,
          bus: this.#bus,
          pluginsReady: this.#pluginsReady,
          contracts: this.contracts,
          filesystem: options.filesystem ?? this.#ports.filesystem,
          commands: options.commands ?? this.#ports.commands,
          approver: options.approver ?? this.#ports.approver,
        },
      },
      (below, above) => this.#open(below, above),
    );
    this.sessions.add(session);
    session.opened(resumed === undefined ? "opened" : "resumed", resumed?.point);
    if (options.lost !== undefined) session.reportLost(options.lost);
    this.#reportWaiting(session);
    return session;
  }

  #reportWaiting(session: Session): void {
    for (const one of [...this.#waiting]) {
      if (session.parent !== undefined || !session.isAt(one.root)) continue;
      this.#waiting.splice(this.#waiting.indexOf(one), 1);
      session.notice({ kind: "fault", fault: one.fault });
    }
  }

  /** Starts immediately, so that synchronous registrations of plugins come first. */
  async #setUp(plugins: readonly ConductPlugin[]): Promise<void> {
    const under = plugins.map(async (plugin) => {
      let name = "without a name";
      const done = await withinLimit(PLUGIN_MS, async () => {
        name = String(plugin.name);
        return plugin.setup(this.#plugins);
      });
      if ("fault" in done) this.report({ where: `plugin ${name}`, code: "plugin", message: done.fault.message });
    });
    await Promise.all(under);
  }

  /** Adds the contract's rules, as last read; sessions read the contract every turn. */
  #withStandingRules(base: CompiledAgent): CompiledAgent {
    const { rules, rulesVersion: version = 0 } = this.contracts?.known ?? {};
    if (rules === undefined || version === 0) return base;
    const { name } = base.agent;
    const last = this.#standing.get(name);
    if (last?.base === base && last.version === version) return last.compiled;
    const { agent, faults } = withStandingRules(
      base.agent,
      [...rules].map(([, rule]) => rule),
    );
    for (const message of faults) this.report({ where: "standing rules", code: "standing-rule", message });
    const compiled = agent === base.agent ? base : base.withAgent(agent);
    this.#standing.set(name, { base, version, compiled });
    return compiled;
  }

  #agent(name: string): CompiledAgent {
    const agent = this.#agents.get(name);
    if (agent !== undefined) return this.#withStandingRules(agent);
    const meant = nearest(name, this.#agents.keys());
    const known = [...this.#agents.keys()].join(", ") || "none";
    throw new SessionError(
      "unknown-agent",
      `no agent '${name}'${meant === undefined ? "" : ` (did you mean '${meant}'?)`}; known: ${known}`,
    );
  }
}

/** `base` and `version` identify the input of the compilation. */
type Standing = { readonly base: CompiledAgent; readonly version: number; readonly compiled: CompiledAgent };

/** A session with a given classification needs no classifier. */
function knownSubject(slices: Slices, { classification }: SessionOptions): Slices {
  if (classification === undefined) return slices;
  const { number } = slices.get(turnSlice);
  const { domain = [], flags = [] } = classification;
  // A copy, so that later changes by the host do not affect this session.
  const own = { ...classification, domain: [...domain], flags: [...flags] };
  const known = classified(slices.get(classificationSlice), own, number, "demand");
  return slices.with(classificationSlice, known);
}

function readSnapshot(text: string, { id, agent, user }: SessionOptions, parent: Session | undefined): Snapshot {
  const read = parseSnapshot(text);
  if ("fault" in read) {
    throw new SessionError(
      `snapshot-${read.fault.code}`,
      `${read.fault.message}. Nothing was opened; restore the snapshot from a copy, or omit it to start a new session.`,
    );
  }
  const foreign = (what: string) => new SessionError("foreign-snapshot", `this snapshot is of ${what}`);
  if (id !== undefined && id !== read.session) throw foreign(`session '${read.session}', not of '${id}'`);
  if (agent !== read.agent) throw foreign(`agent '${read.agent}', not of '${agent}'`);
  const { parent: above, user: whose } = read.slices.get(identitySlice);
  // The snapshot contains one user's messages.
  if (user !== undefined && whose !== undefined && user !== whose) throw foreign("another user");
  if (above !== parent?.id) {
    throw foreign(
      above === undefined
        ? "a top-level session, not of a child"
        : `a child of session '${above}'; open it with that session's child()`,
    );
  }
  if (read.slices.get(turnSlice).ended) {
    throw new SessionError(
      "session-ended",
      `session '${read.session}' had ended when this snapshot was taken; open a new one`,
    );
  }
  return read;
}

/** Limits can only be tightened: by the options, by the parent, or by the limits before a restart. */
function identityOf(
  options: SessionOptions,
  limits: Limits,
  before: Partial<SessionIdentity> | undefined,
  parent: Session | undefined,
  now: number,
): SessionIdentity {
  checkBounds(options);
  const startedAt = before?.startedAt ?? now;
  const ofAgent = limits.deadline === undefined ? undefined : startedAt + limits.deadline;
  const deadline = earliest(options.deadline, ofAgent, before?.deadline, parent?.view.deadline);
  const custom = options.custom ?? before?.custom;
  return {
    channel: options.channel ?? before?.channel ?? "cli",
    startedAt,
    budget: tighterBudget(tighterBudget(limits, options.budget ?? {}), before?.budget ?? {}),
    parent: parent?.id,
    user: options.user ?? before?.user,
    zone: options.zone ?? before?.zone,
    custom: custom && [...new Set(custom)],
    deadline,
  };
}

function checkBounds({ deadline, budget = {} }: SessionOptions): void {
  for (const [name, value] of Object.entries({ deadline, ...budget })) {
    if (value === undefined || (typeof value === "number" && Number.isFinite(value) && value >= 0)) continue;
    throw new SessionError("bad-limit", `'${name}' must be a number of at least 0, not ${value}`);
  }
}

function earliest(...times: readonly (number | undefined)[]): number | undefined {
  const set = times.filter((time) => time !== undefined);
  return set.length === 0 ? undefined : Math.min(...set);
}

/** A channel as declared in code or conduct.yaml, including the approvers on Telegram. */
const CHANNEL = {
  interactive: optional(flag),
  guidance: optional(text),
  operators: optional(listOf(anything)),
  strangers: optional(text),
  agent: optional(text),
};

export const portKeys: ShapesOf<ConductPorts> = {
  clock: having("now"),
  ids: having("next"),
  results: object,
  counter: callback,
  filesystem: optional(having("look")),
  commands: optional(having("run")),
  approver: optional(having("ask")),
  models: optional(having("ask")),
  governance: optional(object),
  hot: optional(object),
  instructions: optional(object),
  memory: optional(object),
  zones: optional(object),
  days: optional(object),
  workspacePrompts: optional(object),
  keepSections: optional(callback),
  channels: optional(mapOf(either(oneOf(null), shape(CHANNEL)))),
  paused: optional(callback),
  protected: optional(object),
  // An invalid plugin is reported as a fault and breaks no prompt.
  plugins: optional(listOf(anything)),
  contractLimits: optional(object),
  flushing: optional(callback),
  closing: optional(callback),
};
