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
import type { Fault } from "../../base/words/event.ts";
import type { Agent } from "../../base/words/hosting/agent.ts";
import type { ConductPlugin, PluginTool } from "../../base/words/hosting/plugin.ts";
import type { ContractLimits } from "../../behavior/contract/active-contract.ts";
import type { Keywords } from "../../behavior/contract/parse/directive-form.ts";
import type { ProtectedPaths } from "../../behavior/policy/builtin/protected-paths.ts";
import { modesSlice, safeModes } from "../../behavior/session/modes/modes.ts";
import { identitySlice } from "../../behavior/session/session-identity.ts";
import { Slices } from "../../behavior/session/snapshot/snapshot.ts";
import { AgentRegistry } from "../agent/agent-registry.ts";
import { ContractService } from "../governance/contract-service.ts";
import { Bus, type Listener } from "../journal/bus.ts";
import { withinLimit } from "../moments/gather.ts";
import { identityAfterLoss, slicesAfterLoss } from "./lost-state.ts";
import { identityOf, knownSubject, readSnapshot } from "./open-session.ts";
import { Session } from "./session.ts";
import { ForwardClock } from "./session-clock.ts";
import { type SessionOptions, type SharedPorts, sessionKeys } from "./session-options.ts";
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
  readonly contractKeywords?: Keywords;
  /** Writes buffered data to the store now: all of it, or at least the data of one session and its subagents. */
  readonly flushing?: (conversation?: string) => Promise<void>;
  /** Runs on close: saves buffered data and releases open resources. */
  readonly closing?: () => Promise<void>;
};

/** Agents, their sessions and the operator's contract in one process. */
export class Conduct {
  readonly #ports: ConductPorts;
  readonly #agents: AgentRegistry;
  /** Adds a contributor to the prompts of all agents, or of those named, from their next turn on. */
  readonly registerPromptContributor: AgentRegistry["plugins"]["registerPromptContributor"];
  readonly sessions = new SessionRegistry();
  readonly #bus = new Bus({
    type: "notice",
    listener: (event) => {
      if (event.type === "notice" && event.notice.kind === "ended") this.sessions.end(event.session);
    },
  });
  readonly #pluginsReady: Promise<void>;
  /** The only writer of the operator's contract; absent without a store for it. */
  readonly contracts: ContractService | undefined;
  readonly #waiting: { readonly root: string | undefined; readonly fault: Fault }[] = [];

  constructor(agents: readonly Agent[], ports: ConductPorts) {
    if (Array.isArray(agents) && new Set(agents.map((agent) => agent?.name)).size < agents.length)
      throw new Error("two agents have the same name; rename one of them");
    checkOptions("Conduct", { agents, ports }, { agents: listOf(object), ports: shape(portKeys) });
    this.#ports = ports;
    const { governance: journal, clock, ids, counter, hot, contractLimits: limits, contractKeywords: keywords } = ports;
    this.contracts =
      journal === undefined ? undefined : new ContractService({ journal, clock, ids, counter, hot, limits, keywords });
    this.#agents = new AgentRegistry(agents, {
      ...{ protected: ports.protected, bus: this.#bus, contracts: this.contracts },
      report: (message) => this.report({ where: "standing rules", code: "standing-rule", message }),
    });
    this.registerPromptContributor = this.#agents.plugins.registerPromptContributor;
    this.#pluginsReady = this.#setUp(ports.plugins ?? []);
  }

  /** The agent as it would be in force here. Throws an `AgentError` if a plugin's names clash with its own. */
  withPlugins(agent: Agent): Agent {
    return this.#agents.withPlugins(agent);
  }

  /** The contributors of plugins, for a Conduct that only previews the prompts of these agents. */
  get contributed(): ConductPlugin {
    return this.#agents.contributed;
  }

  /** The tools that plugins give to this agent's host. */
  toolsOf(agent: string): readonly PluginTool[] {
    return this.#agents.toolsOf(agent);
  }

  /**
   * Adds or replaces an agent, and returns it as it is in force. Live sessions use the new definition from their next
   * turn; policies that keep their name keep their session state.
   */
  setAgent(agent: Agent): Agent {
    return this.#agents.set(agent);
  }

  /** Reports a fault outside any session: in the live sessions of that folder, else in the next one there. */
  report(fault: Fault, root?: string): void {
    const affected = this.sessions.all().filter((session) => session.parent === undefined && session.isAt(root));
    for (const session of affected) session.notice({ kind: "fault", fault });
    if (affected.length === 0 && this.#waiting.length < WAITING_FAULTS) this.#waiting.push({ root, fault });
  }

  /** Resolves when everything so far, or of this session, is saved, as far as the store accepts it. */
  async flush(session?: string): Promise<void> {
    await this.#ports.flushing?.(session);
  }

  /** Saves buffered data and releases stores and watchers. Sessions used afterwards save nothing. */
  async close(): Promise<void> {
    await this.#ports.closing?.();
  }

  get agents(): readonly Agent[] {
    return this.#agents.all;
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
    const agent = this.#agents.find(options.agent);
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
        agentOf: (name) => this.#agents.find(name),
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
        return plugin.setup(this.#agents.plugins);
      });
      if ("fault" in done) this.report({ where: `plugin ${name}`, code: "plugin", message: done.fault.message });
    });
    await Promise.all(under);
  }
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
  feedback: optional(callback),
  channels: optional(mapOf(either(oneOf(null), shape(CHANNEL)))),
  paused: optional(callback),
  protected: optional(object),
  // An invalid plugin is reported as a fault and breaks no prompt.
  plugins: optional(listOf(anything)),
  contractLimits: optional(object),
  contractKeywords: optional(object),
  flushing: optional(callback),
  closing: optional(callback),
};
