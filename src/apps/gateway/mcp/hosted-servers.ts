import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { canonicalJson } from "../../../base/kernel/canonical-json.ts";
import { errorText } from "../../../base/kernel/error-text.ts";
import type { Clock } from "../../../base/ports/clock.ts";
import type { Fault } from "../../../base/words/event.ts";
import type { McpServer } from "../../../base/words/hosting/agent.ts";
import type { Role } from "../../../base/words/hosting/user.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import type { McpTool } from "../../../edge/adapters/shared/mcp/client.ts";
import type { Response } from "../../../edge/adapters/shared/mcp/json-rpc.ts";
import type { Sandbox } from "../../../edge/host/sandbox/sandbox.ts";
import { Listeners } from "../listeners.ts";
import { allowedHosts } from "../sandbox/allowed-hosts.ts";
import { type EgressProxy, openEgressProxy } from "../sandbox/egress-proxy.ts";
import { describeChange, type KnownTools, type ToolChange } from "./known-tools.ts";
import { openServer } from "./open-server.ts";
import { ServerConnection } from "./server-connection.ts";

/** A server that nobody has used for this time is ended; the next turn starts it again. */
const IDLE_MS = 10 * 60_000;

export type HostedServersOptions = {
  readonly sandbox: Sandbox;
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Pick<Clock, "monotonic">;
  readonly known: KnownTools;
  /** The agent's servers in the current definition. */
  readonly serversOf: (agent: string) => { readonly [name: string]: McpServer };
  readonly roleOf: (user: string) => Promise<Role | undefined>;
  /** Records a fault in the sessions of a workspace. */
  readonly record: (fault: Fault, workspace: string) => void;
  readonly report: (line: string) => void;
};

/** A tool of a server, as it is offered to the model. */
export type ServerTool = {
  readonly server: string;
  readonly tool: McpTool;
  /** Rejects with a sentence for the model. */
  call(args: JsonObject, signal?: AbortSignal): Promise<Response>;
};

/** An agent's tools for a turn, and the servers that it has to do without. */
export type ServedTools = { readonly tools: readonly ServerTool[]; readonly missing: readonly string[] };

/** The servers of one user's agent. Never rejects: a server that fails is missing. */
export type AgentServers = { tools(): Promise<ServedTools> };

export type ServerStatus = { readonly agent: string; readonly server: string } & (
  | { readonly tools: number }
  | { readonly why: string }
);

type Live = {
  readonly agent: string;
  readonly user: string;
  readonly spec: string;
  readonly connection: ServerConnection;
};

/** The MCP servers of hosted agents: a process or a connection for each user, agent and server. */
export class HostedServers {
  /** Changed tool lists. */
  readonly changes = new Listeners<ToolChange>();
  readonly #options: HostedServersOptions;
  readonly #live = new Map<string, Live>();
  readonly #proxies = new Map<string, Promise<EgressProxy>>();
  /** The newest state of each server, whoever uses it. */
  readonly #status = new Map<string, ServerStatus>();
  /** Changes that no session has recorded yet, by agent. */
  readonly #unrecorded = new Map<string, readonly Fault[]>();
  #closed = false;

  constructor(options: HostedServersOptions) {
    this.#options = options;
  }

  of(agent: string, user: string, workspace: string): AgentServers {
    return { tools: () => this.#toolsOf(agent, user, workspace) };
  }

  /** The newest state of the servers that the agents have now. */
  status(agents: readonly string[]): readonly ServerStatus[] {
    return agents.flatMap((agent) =>
      Object.keys(this.#options.serversOf(agent)).flatMap((server) => this.#status.get(keyOf(agent, server)) ?? []),
    );
  }

  /** Starts every server once in an empty folder, so that the operator knows which of them work. */
  async trial(agents: readonly string[]): Promise<readonly ServerStatus[]> {
    const folder = await mkdtemp(join(tmpdir(), "conduct-mcp-"));
    try {
      await Promise.all(
        agents.flatMap((agent) =>
          Object.entries(this.#options.serversOf(agent)).map(async ([server, spec]) => {
            const connection = this.#connect(agent, server, spec, folder, undefined);
            await connection.tools().catch(() => undefined);
            await connection.close();
          }),
        ),
      );
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
    return this.status(agents);
  }

  /** Ends the servers of a user, or those of one agent. */
  async leave(user: string, agent?: string): Promise<void> {
    await this.#end((live) => live.user === user && (agent === undefined || live.agent === agent));
  }

  /** Ends idle servers. */
  async sweep(): Promise<void> {
    const before = this.#options.clock.monotonic() - IDLE_MS;
    await this.#end(({ connection }) => !connection.isBusy && connection.lastUsed < before);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#end(() => true);
    const proxies = await Promise.allSettled(this.#proxies.values());
    this.#proxies.clear();
    await Promise.all(proxies.map((one) => (one.status === "fulfilled" ? one.value.close() : undefined)));
  }

  async #toolsOf(agent: string, user: string, workspace: string): Promise<ServedTools> {
    for (const fault of this.#unrecorded.get(agent) ?? []) this.#options.record(fault, workspace);
    this.#unrecorded.delete(agent);
    const servers = Object.entries(this.#options.serversOf(agent));
    const found = await Promise.all(
      servers.map(async ([server, spec]): Promise<ServedTools> => {
        try {
          await this.#checkRole(spec, user);
          const connection = await this.#liveOf(agent, user, server, spec, workspace);
          const tools = await connection.tools();
          const offered = tools.map((tool) => ({
            server,
            tool,
            call: (args: JsonObject, signal?: AbortSignal) => connection.call(tool, args, signal),
          }));
          return { tools: offered, missing: [] };
        } catch {
          return { tools: [], missing: [server] };
        }
      }),
    );
    return { tools: found.flatMap((one) => one.tools), missing: found.flatMap((one) => one.missing) };
  }

  /** The message was refused already, unless the role has changed since. */
  async #checkRole(spec: McpServer, user: string): Promise<void> {
    if ("url" in spec || this.#options.sandbox.kind !== "none") return;
    if ((await this.#options.roleOf(user)) !== "operator") throw new Error("only operators may start it");
  }

  async #liveOf(agent: string, user: string, server: string, given: McpServer, workspace: string) {
    const key = keyOf(agent, user, server);
    const spec = canonicalJson({ given, workspace } as unknown as JsonObject);
    const live = this.#live.get(key);
    if (live?.spec === spec) return live.connection;
    if (this.#closed) throw new Error("the gateway is shutting down");
    const connection = this.#connect(agent, server, given, workspace, workspace);
    this.#live.set(key, { agent, user, spec, connection });
    // The definition has changed.
    await live?.connection.close();
    return connection;
  }

  /** `recorded`: the workspace whose sessions record what happens. */
  #connect(agent: string, server: string, spec: McpServer, workspace: string, recorded: string | undefined) {
    const { sandbox, env, known, report, clock, record } = this.#options;
    const tell = (fault: Fault) => {
      report(fault.message);
      if (recorded !== undefined) record(fault, recorded);
      else if (fault.code === "tools-changed")
        this.#unrecorded.set(agent, [...(this.#unrecorded.get(agent) ?? []), fault]);
    };
    const where = `mcp ${server}`;
    return new ServerConnection({
      name: server,
      timeoutMs: spec.timeout,
      open: async () => openServer(spec, { sandbox, env, workspace, proxy: await this.#proxyOf(agent, server, spec) }),
      onTools: (tools) => {
        this.#status.set(keyOf(agent, server), { agent, server, tools: tools.length });
        const change = known.update(agent, server, tools);
        if (change === undefined) return;
        tell({ where, code: "tools-changed", message: describeChange(change) });
        this.changes.tell(undefined, change);
      },
      onLost: (why) => {
        this.#status.set(keyOf(agent, server), { agent, server, why });
        tell({ where, code: "server-lost", message: `The MCP server ${server} of ${agent} is not available: ${why}` });
      },
      now: () => clock.monotonic(),
    });
  }

  async #proxyOf(agent: string, server: string, spec: McpServer) {
    const listed = () => {
      const now = this.#options.serversOf(agent)[server] ?? spec;
      return allowedHosts("url" in now ? [] : (now.network ?? []));
    };
    if ("url" in spec || spec.network === undefined || spec.network.length === 0) return undefined;
    const key = keyOf(agent, server);
    const opening = this.#proxies.get(key) ?? openEgressProxy({ hosts: listed });
    this.#proxies.set(key, opening);
    opening.catch(() => this.#proxies.delete(key));
    return { socket: (await opening).socket, loopback: listed().loopback };
  }

  async #end(isOver: (live: Live) => boolean): Promise<void> {
    const over = [...this.#live].filter(([, live]) => isOver(live));
    for (const [key] of over) this.#live.delete(key);
    await Promise.all(
      over.map(([, { connection }]) =>
        connection.close().catch((error: unknown) => this.#options.report(errorText(error))),
      ),
    );
  }
}

function keyOf(...names: readonly string[]): string {
  return JSON.stringify(names);
}
