import {
  anything,
  callback,
  checkOptions,
  either,
  flag,
  having,
  listOf,
  mapOf,
  names,
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
import type { ConductPlugin, PluginApi } from "../../base/words/hosting/plugin.ts";
import type { PromptContributor } from "../../base/words/prompt.ts";
import { classificationSlice, classified } from "../../behavior/classification/classification-state.ts";
import type { ContractLimits } from "../../behavior/contract/contract-limits.ts";
import { type ProtectedPaths, protectedPathsPolicy } from "../../behavior/policy/builtin/protected-paths.ts";
import { tighterBudget } from "../../behavior/session/budget.ts";
import { modesSlice, safeModes } from "../../behavior/session/modes/modes.ts";
import { identitySlice, type SessionIdentity, turnSlice } from "../../behavior/session/session-identity.ts";
import { Slices } from "../../behavior/session/snapshot/slices.ts";
import { parseSnapshot, type Snapshot } from "../../behavior/session/snapshot/snapshot.ts";
import { CompiledAgent } from "../agent/compiled-agent.ts";
import { ContractService } from "../governance/contract-service.ts";
import { withStandingRules } from "../governance/standing-rules.ts";
import { Bus, type Listener } from "../journal/bus.ts";
import { withinLimit } from "../moments/gather.ts";
import { identityAfterLoss, slicesAfterLoss } from "./lost-state.ts";
import { Session } from "./session.ts";
import { ForwardClock } from "./session-clock.ts";
import { SessionError, type SessionOptions, sessionKeys } from "./session-options.ts";
import type { SharedPorts } from "./session-ports.ts";
import { SessionRegistry } from "./session-registry.ts";

/** How long a plugin may take to set itself up; what it registers later still counts. */
const PLUGIN_MS = 10_000;
/** Faults that no session could be told of yet. */
const WAITING_FAULTS = 100;

/** The world as Conduct reaches it, and what extends it. */
export type ConductPorts = SharedPorts & {
  readonly protected?: ProtectedPaths;
  readonly plugins?: readonly ConductPlugin[];
  readonly contractLimits?: ContractLimits;
  /** Run when what was buffered has to be kept now. */
  readonly flushing?: () => Promise<void>;
  /** Run when Conduct is closed: what is buffered is kept, what is open is closed. */
  readonly closing?: () => Promise<void>;
};

type Contributed = {
  readonly contributor: PromptContributor;
  readonly agents: readonly string[] | undefined;
  readonly takeOut: (() => void)[];
};

/** Agents and their live sessions. */
export class Conduct {
  readonly #ports: ConductPorts;
  readonly #agents: Map<string, CompiledAgent>;
  readonly #builtins: readonly AnyPolicy[];
  /** What plugins have given, for agents that come later. */
  readonly #contributed = new Set<Contributed>();
  /** Agents with the operator's standing rules, as they were compiled last. */
  readonly #standing = new Map<string, Standing>();
  /** The sessions in memory. */
  readonly sessions = new SessionRegistry();
  readonly #bus = new Bus();
  readonly #pluginsReady: Promise<void>;
  /** The only writer of the operator's contract; absent where nothing keeps it. */
  readonly contracts: ContractService | undefined;
  readonly #waiting: { readonly root: string | undefined; readonly fault: Fault }[] = [];

  constructor(agents: readonly Agent[], ports: ConductPorts) {
    if (Array.isArray(agents) && new Set(agents.map((agent) => agent?.name)).size < agents.length)
      throw new Error("two agents have the same name: the constraints of one would be lost");
    checkOptions("Conduct", { agents, ports }, { agents: listOf(object), ports: shape(portKeys) });
    this.#ports = ports;
    this.#builtins = ports.protected === undefined ? [] : [protectedPathsPolicy(ports.protected)];
    this.#agents = new Map(agents.map((agent) => [agent.name, new CompiledAgent(agent, this.#builtins)]));
    this.#bus.subscribe((event) => {
      if (event.type === "notice" && event.notice.kind === "ended") this.sessions.end(event.session);
    });
    const { governance: journal, clock, ids, counter, hot, contractLimits: limits } = ports;
    this.contracts =
      journal === undefined ? undefined : new ContractService({ journal, clock, ids, counter, hot, limits });
    this.#pluginsReady = this.#setUp(ports.plugins ?? []);
  }

  /**
   * Adds a contributor to the prompts of all agents, or of those named, from their next turn on. Returns what takes it out
   * again. Throws when it cannot be used; then no agent has it.
   */
  registerPromptContributor: PluginApi["registerPromptContributor"] = (contributor, options = {}) => {
    checkOptions("registerPromptContributor", options, { agents: optional(names) });
    const { agents } = options;
    const chosen = agents === undefined ? [...this.#agents.values()] : agents.map((name) => this.#agent(name));
    const given: Contributed = { contributor, agents, takeOut: [] };
    try {
      for (const { prompts } of chosen) given.takeOut.push(prompts.addPlugin(contributor));
    } catch (error) {
      for (const take of given.takeOut) take();
      throw error;
    }
    this.#contributed.add(given);
    return () => {
      this.#contributed.delete(given);
      for (const take of given.takeOut.splice(0)) take();
    };
  };

  /**
   * Adds an agent, or puts another definition in the place of one. Live sessions of it go on with the new one from their next
   * turn; what its policies know of a session stays with those that keep their names.
   */
  setAgent(agent: Agent): void {
    const compiled = new CompiledAgent(agent, this.#builtins);
    for (const given of this.#contributed) {
      if (given.agents !== undefined && !given.agents.includes(agent.name)) continue;
      given.takeOut.push(compiled.prompts.addPlugin(given.contributor));
    }
    this.#agents.set(agent.name, compiled);
  }

  /** Something is wrong outside of any session: told in the live sessions of that folder, else in the next one there. */
  report(fault: Fault, root?: string): void {
    const told = this.sessions.all().filter((session) => session.parent === undefined && session.isAt(root));
    for (const session of told) session.notice({ kind: "fault", fault });
    if (told.length === 0 && this.#waiting.length < WAITING_FAULTS) this.#waiting.push({ root, fault });
  }

  /** What has happened so far is kept when this resolves, as far as the store takes it. */
  async flush(): Promise<void> {
    await this.#ports.flushing?.();
  }

  /** Keeps what is still buffered and lets go of stores and watchers. Sessions that are still used afterwards keep nothing. */
  async close(): Promise<void> {
    await this.#ports.closing?.();
  }

  get agents(): readonly Agent[] {
    return [...this.#agents.values()].map(({ agent }) => agent);
  }

  /** The live session of that id. */
  find(id: string): Session | undefined {
    return this.sessions.find(id);
  }

  /** How often a subscriber failed; none of them broke a turn. */
  get subscriberFailures(): number {
    return this.#bus.failures;
  }

  /** Every event of every session, as it happens. Returns what ends the subscription. */
  subscribe(listener: Listener): () => void {
    return this.#bus.subscribe(listener);
  }

  /** Opens a session, or goes on with one from its snapshot. Throws a `SessionError` that says what is wrong. */
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
        window: options.window ?? agent.agent.limits.window,
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
    if (options.lost !== undefined) session.tellLost(options.lost);
    this.#tellWaiting(session);
    return session;
  }

  #tellWaiting(session: Session): void {
    for (const one of [...this.#waiting]) {
      if (session.parent !== undefined || !session.isAt(one.root)) continue;
      this.#waiting.splice(this.#waiting.indexOf(one), 1);
      session.notice({ kind: "fault", fault: one.fault });
    }
  }

  /** Begins at once, so that what plugins register without waiting is there before anything else happens. */
  async #setUp(plugins: readonly ConductPlugin[]): Promise<void> {
    const { registerPromptContributor } = this;
    const under = plugins.map(async (plugin) => {
      let name = "without a name";
      const done = await withinLimit(PLUGIN_MS, async () => {
        name = String(plugin.name);
        return plugin.setup({ registerPromptContributor });
      });
      if ("fault" in done) this.report({ where: `plugin ${name}`, code: "plugin", message: done.fault.message });
    });
    await Promise.all(under);
  }

  /** With the rules that the contract has, as far as it was read; sessions read it at every turn. */
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

/** `base` and `version` say what it was compiled from. */
type Standing = { readonly base: CompiledAgent; readonly version: number; readonly compiled: CompiledAgent };

/** A session that is told what it is about needs no classifier to know it. */
function knownSubject(slices: Slices, { classification }: SessionOptions): Slices {
  if (classification === undefined) return slices;
  const { number } = slices.get(turnSlice);
  const { domain = [], flags = [] } = classification;
  // A copy: what the host does with its own object later is not said of this session.
  const own = { ...classification, domain: [...domain], flags: [...flags] };
  const known = classified(slices.get(classificationSlice), own, number, "demand");
  return slices.with(classificationSlice, known);
}

function readSnapshot(text: string, { id, agent, user }: SessionOptions, parent: Session | undefined): Snapshot {
  const read = parseSnapshot(text);
  if ("fault" in read) {
    throw new SessionError(
      `snapshot-${read.fault.code}`,
      `${read.fault.message}. Nothing was opened; restore the snapshot from a copy, or leave it out to start anew.`,
    );
  }
  const foreign = (what: string) => new SessionError("foreign-snapshot", `this snapshot is of ${what}`);
  if (id !== undefined && id !== read.session) throw foreign(`session '${read.session}', not of '${id}'`);
  if (agent !== read.agent) throw foreign(`agent '${read.agent}', not of '${agent}'`);
  const { parent: above, user: whose } = read.slices.get(identitySlice);
  // What one user said and saw is in it.
  if (user !== undefined && whose !== undefined && user !== whose) throw foreign("another user");
  if (above !== parent?.id) {
    throw foreign(
      above === undefined
        ? "a session of its own, not of a child"
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

/** Bounds can only be tightened: by the options, by the parent, and by what the session had before a restart. */
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
  const user = options.user ?? before?.user;
  const zone = options.zone ?? before?.zone;
  const custom = options.custom ?? before?.custom;
  return {
    channel: options.channel ?? before?.channel ?? "cli",
    startedAt,
    budget: tighterBudget(tighterBudget(limits, options.budget ?? {}), before?.budget ?? {}),
    parent: parent?.id,
    user,
    zone,
    custom: custom && [...new Set(custom)],
    deadline,
  };
}

function checkBounds({ deadline, budget = {} }: SessionOptions): void {
  for (const [name, value] of Object.entries({ deadline, ...budget })) {
    if (value === undefined || (typeof value === "number" && Number.isFinite(value) && value >= 0)) continue;
    throw new SessionError("bad-limit", `'${name}' must be a number of at least 0, and is ${value}`);
  }
}

function earliest(...times: readonly (number | undefined)[]): number | undefined {
  const set = times.filter((time) => time !== undefined);
  return set.length === 0 ? undefined : Math.min(...set);
}

/** A channel as code or conduct.yaml declares it; who decides on Telegram stands there too. */
const CHANNEL = {
  interactive: optional(flag),
  guidance: optional(text),
  operators: optional(listOf(anything)),
  strangers: optional(text),
  agent: optional(text),
};

/** The keys of Conduct's ports. */
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
  workspacePrompts: optional(object),
  keepSections: optional(callback),
  channels: optional(mapOf(either(oneOf(null), shape(CHANNEL)))),
  paused: optional(callback),
  protected: optional(object),
  // One that is none is told as a fault, and takes no prompt with it.
  plugins: optional(listOf(anything)),
  contractLimits: optional(object),
  flushing: optional(callback),
  closing: optional(callback),
};
