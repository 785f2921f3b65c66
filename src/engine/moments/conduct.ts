import { nearest } from "../../base/kernel/nearest.ts";
import type { Clock } from "../../base/ports/clock.ts";
import type { Commands } from "../../base/ports/commands.ts";
import type { Filesystem } from "../../base/ports/filesystem.ts";
import type { Ids } from "../../base/ports/ids.ts";
import type { Results } from "../../base/ports/results.ts";
import type { TokenCounter } from "../../base/ports/token-counter.ts";
import type { Agent, AnyPolicy, Limits } from "../../base/words/agent.ts";
import type { Budget } from "../../base/words/budget.ts";
import { type ProtectedPaths, protectedPathsPolicy } from "../../behavior/policy/protected-paths-policy.ts";
import { modesSlice, safeModes } from "../../behavior/session/modes.ts";
import { Slices } from "../../behavior/session/slices.ts";
import { parseSnapshot, type Snapshot } from "../../behavior/session/snapshot.ts";
import { startSlice } from "../../behavior/session/turn.ts";
import { CompiledAgent } from "../agent/compiled-agent.ts";
import { Bus, type Listener } from "../journal/bus.ts";
import { Session } from "./session.ts";
import { SessionClock } from "./session-clock.ts";
import { SessionError, type SessionOptions } from "./session-options.ts";

/** The world as Conduct reaches it. */
export type ConductPorts = {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly results: Results;
  readonly counter: () => Promise<TokenCounter>;
  readonly filesystem?: Filesystem;
  readonly commands?: Commands;
  readonly protected?: ProtectedPaths;
};

/** Agents and their live sessions. */
export class Conduct {
  readonly #ports: ConductPorts;
  readonly #agents: ReadonlyMap<string, CompiledAgent>;
  readonly #sessions = new Map<string, Session>();
  readonly #bus = new Bus();

  constructor(agents: readonly Agent[], ports: ConductPorts) {
    this.#ports = ports;
    const builtins: readonly AnyPolicy[] = ports.protected === undefined ? [] : [protectedPathsPolicy(ports.protected)];
    this.#agents = new Map(agents.map((agent) => [agent.name, new CompiledAgent(agent, builtins)]));
    // An ended session decides nothing any more; whoever holds it can still look at it.
    this.#bus.subscribe((event) => {
      if (event.type === "notice" && event.notice.kind === "ended") this.#sessions.delete(event.session);
    });
  }

  get agents(): readonly Agent[] {
    return [...this.#agents.values()].map(({ agent }) => agent);
  }

  /** The live session of that id. */
  find(id: string): Session | undefined {
    return this.#sessions.get(id);
  }

  /** Every event of every session, as it happens. Returns what ends the subscription. */
  subscribe(listener: Listener): () => void {
    return this.#bus.subscribe(listener);
  }

  /** Opens a session, or goes on with one from its snapshot. Throws a `SessionError` that says what is wrong. */
  session(options: SessionOptions): Session {
    return this.#open(options);
  }

  #open(options: SessionOptions, parent?: Session): Session {
    const agent = this.#agent(options.agent);
    const resumed = options.snapshot === undefined ? undefined : readSnapshot(options.snapshot, options);
    const id = options.id ?? resumed?.session ?? this.#ports.ids.next("s");
    if (this.#sessions.has(id)) throw new SessionError("session-exists", `session '${id}' is already open`);
    const clock = new SessionClock(this.#ports.clock, resumed?.at);
    const startedAt = resumed?.slices.get(startSlice).startedAt ?? clock.now();
    const deadline = earliest(
      options.deadline,
      agent.agent.limits.deadline === undefined ? undefined : startedAt + agent.agent.limits.deadline,
      parent?.view.deadline,
    );
    const filesystem = options.filesystem ?? this.#ports.filesystem;
    const commands = options.commands ?? this.#ports.commands;
    const window = options.window ?? agent.agent.limits.window;
    const slices = resumed?.slices ?? new Slices().with(startSlice, { startedAt });
    const init = {
      identity: {
        id,
        channel: options.channel ?? "cli",
        startedAt,
        budget: { ...budgetOf(agent.agent.limits), ...options.budget },
        ...(parent === undefined ? {} : { parent: parent.id }),
        ...(options.user === undefined ? {} : { user: options.user }),
        ...(deadline === undefined ? {} : { deadline }),
      },
      ...(parent === undefined ? {} : { parent }),
      agent,
      clock,
      slices: slices.with(modesSlice, safeModes({ ...safeModes(slices.get(modesSlice)), ...options.modes })),
      ...(window === undefined ? {} : { window }),
      ...(options.adapter === undefined ? {} : { adapter: options.adapter }),
      ports: {
        clock: this.#ports.clock,
        ids: this.#ports.ids,
        results: this.#ports.results,
        counter: this.#ports.counter,
        bus: this.#bus,
        ...(filesystem === undefined ? {} : { filesystem }),
        ...(commands === undefined ? {} : { commands }),
      },
    };
    const session = new Session(init, {
      agent: (name) => this.#agent(name),
      // What a parent may do is not the child's to inherit: an elevated child is elevated by its own operator.
      open: (below, above) => this.#open(below, above),
    });
    this.#sessions.set(id, session);
    session.opened(resumed === undefined ? "opened" : "resumed");
    return session;
  }

  #agent(name: string): CompiledAgent {
    const agent = this.#agents.get(name);
    if (agent !== undefined) return agent;
    const meant = nearest(name, this.#agents.keys());
    const known = [...this.#agents.keys()].join(", ") || "none";
    throw new SessionError(
      "unknown-agent",
      `no agent '${name}'${meant === undefined ? "" : ` (did you mean '${meant}'?)`}; known: ${known}`,
    );
  }
}

function readSnapshot(text: string, { id, agent }: SessionOptions): Snapshot {
  const read = parseSnapshot(text);
  if ("fault" in read) {
    throw new SessionError(
      `snapshot-${read.fault.code}`,
      `${read.fault.message}. Nothing was opened; restore the snapshot from a copy, or leave it out to start anew.`,
    );
  }
  if (id !== undefined && id !== read.session) {
    throw new SessionError("foreign-snapshot", `this snapshot is of session '${read.session}', not of '${id}'`);
  }
  if (agent !== read.agent) {
    throw new SessionError("foreign-snapshot", `this snapshot is of agent '${read.agent}', not of '${agent}'`);
  }
  return read;
}

function budgetOf({ tokens, inputTokens, outputTokens, calls, cost, time }: Limits): Budget {
  const all = { tokens, inputTokens, outputTokens, calls, cost, time };
  return Object.fromEntries(Object.entries(all).filter(([, limit]) => limit !== undefined));
}

function earliest(...times: readonly (number | undefined)[]): number | undefined {
  const set = times.filter((time) => time !== undefined);
  return set.length === 0 ? undefined : Math.min(...set);
}
