import {
  callback,
  checkOptions,
  flag,
  having,
  number,
  oneOf,
  type ShapesOf,
  text,
} from "../../../base/kernel/check-options.ts";
import { errorText } from "../../../base/kernel/error-text.ts";
import { asList, asObject, asString } from "../../../base/kernel/json.ts";
import type { SessionHost } from "../../../engine/session/session-moments.ts";
import {
  changeParams,
  errorMessage,
  INVALID_REQUEST,
  type Received,
  type Rpc,
  type RpcId,
} from "../shared/mcp/json-rpc.ts";
import { type Pipe, type Relay, type RelayEnd, runRelay } from "../shared/mcp/pipe.ts";
import { onCreate, onExit, onOutput, onRead, onRelease, onWrite } from "./client-calls.ts";
import { type Known, LiveSession } from "./live-session.ts";
import { type OwnServer, serveOwnTools, withOwnServer } from "./own-tools.ts";
import { type Around, type Asked, onPermission } from "./permissions.ts";
import { onPrompt } from "./prompts.ts";
import { ownToolName } from "./tool-map.ts";
import { currentMode, DENIED, INTERNAL_ERROR, isUnasking, PROTOCOL, unaskingMode } from "./translate.ts";
import { onUpdate, tellUnasking } from "./updates.ts";
import { Wire } from "./wire.ts";

/** The client, the agent's command, and the sessions. */
export type AcpProxyOptions = {
  readonly host: SessionHost;
  /** The folder for sessions that were not opened through this proxy. */
  readonly cwd: string;
  /** A person types at the client. */
  readonly interactive: boolean;
  /** How long a call waits for Conduct's approver, before the person at the client is asked. */
  readonly waitMs: number;
  /** `any` allows modes in which the agent asks for no permission. */
  readonly modes: "asking" | "any";
  /** Must return unguessable ids. */
  readonly newId: () => string;
  readonly version: string;
  /** Receives lines for the person who debugs the connection. */
  readonly log: (line: string) => void;
};

/** How the connection ended. */
export type AcpEnd = RelayEnd<"agent">;

/**
 * Runs a proxy between an ACP client and an agent. Prompts, permission requests, files and terminals pass the moments;
 * all other messages are forwarded byte for byte. Resolves when both sides have ended.
 */
export async function runAcpProxy(client: Pipe, agent: Pipe, options: AcpProxyOptions): Promise<AcpEnd> {
  checkOptions("runAcpProxy", options, KEYS);
  return runRelay(client, ["agent", agent], new AcpRelay(client, agent, options), options.log);
}

type Request = Extract<Rpc, { kind: "request" }> & { readonly raw: string | Buffer };

const OPENS = new Set(["session/new", "session/load", "session/resume", "session/fork"]);

/** The agent's requests to the client that Conduct decides on. */
const DECIDED: { readonly [method: string]: (asked: Asked) => Promise<void> } = {
  "session/request_permission": onPermission,
  "fs/read_text_file": onRead,
  "fs/write_text_file": onWrite,
  "terminal/create": onCreate,
  "terminal/output": onOutput,
  "terminal/wait_for_exit": onExit,
  "terminal/release": onRelease,
};

class AcpRelay implements Relay {
  readonly #options: AcpProxyOptions;
  readonly #wire: Wire;
  readonly #around: Around;
  readonly #sessions = new Map<string, LiveSession>();
  readonly #servers: OwnServer[] = [];
  readonly #handling = new Set<Promise<void>>();
  #agent = { name: "", http: false };

  constructor(client: Pipe, agent: Pipe, options: AcpProxyOptions) {
    this.#options = options;
    const { newId, waitMs, log } = options;
    this.#wire = new Wire(client, agent, newId);
    const toolName = (tool: string) => ownToolName(this.#agent.name, tool);
    this.#around = { wire: this.#wire, newId, waitMs, log, ownToolName: toolName };
  }

  async end(why: string): Promise<void> {
    this.#wire.end(why);
    await Promise.allSettled(this.#handling);
    for (const { settling } of this.#sessions.values()) await settling;
    await Promise.all(this.#servers.map((server) => server.close()));
  }

  fromClient({ rpc, raw }: Received): void {
    if (rpc.kind === "response") {
      if (!this.#wire.answered("client", rpc.id, { body: rpc.body, raw })) this.#wire.toAgent(raw);
    } else if (rpc.kind === "notification") {
      const live = this.#sessions.get(asString(rpc.params.sessionId));
      if (rpc.method === "session/cancel" && live?.turn === "open") live.turn = "cancelled";
      // A lenient agent might run a request without an id.
      if (rpc.method === "session/prompt") this.#options.log("dropped a session/prompt without an id");
      else this.#wire.toAgent(raw);
    } else this.#clientAsks({ ...rpc, raw });
  }

  #clientAsks(request: Request): void {
    const { id, method, params, raw } = request;
    const mode = this.#options.modes === "asking" ? unaskingMode(method, params) : undefined;
    if (this.#wire.isAsked("agent", id)) {
      this.#wire.toClient(errorMessage(id, INVALID_REQUEST, "a request with this id is still pending"));
    } else if (mode !== undefined) {
      const text = `Conduct blocked mode '${mode}': the agent would no longer ask for permission, so no call could be refused. Start the proxy with --any-mode to allow it.`;
      this.#wire.toClient(errorMessage(id, DENIED, text));
    } else if (method === "initialize") this.#handle("client", id, this.#initialize(request));
    else if (OPENS.has(method)) this.#handle("client", id, this.#open(request));
    else if (method === "session/prompt") {
      const live = this.#session(asString(params.sessionId));
      this.#handle("client", id, onPrompt({ live, id, params, raw, around: this.#around }));
    } else if (method === "session/delete") this.#handle("client", id, this.#delete(request));
    else this.#wire.toAgent(raw);
  }

  fromOther({ rpc, raw }: Received): void {
    if (rpc.kind === "response") {
      if (!this.#wire.answered("agent", rpc.id, { body: rpc.body, raw })) this.#wire.toClient(raw);
    } else if (rpc.kind === "notification") {
      const live = this.#sessions.get(asString(rpc.params.sessionId));
      this.#wire.toClient(raw);
      if (rpc.method !== "session/update" || live === undefined || live.replaying) return;
      onUpdate(live, asObject(rpc.params.update), this.#around);
    } else this.#agentAsks({ ...rpc, raw });
  }

  #agentAsks({ id, method, params, raw }: Request): void {
    const live = this.#session(asString(params.sessionId), this.#working());
    const handling = DECIDED[method]?.({ live, id, params, raw, around: this.#around });
    if (handling === undefined) this.#wire.toClient(raw);
    else this.#handle("agent", id, handling);
  }

  /** Answers a failure with an error, so that no side waits forever and nothing runs. */
  #handle(asked: "client" | "agent", id: RpcId, handling: Promise<void>): void {
    const handled = handling
      .catch((error: unknown) => {
        const message = errorMessage(id, INTERNAL_ERROR, `Conduct: ${errorText(error)}`);
        if (asked === "client") this.#wire.toClient(message);
        else this.#wire.toAgent(message);
      })
      .finally(() => this.#handling.delete(handled));
    this.#handling.add(handled);
  }

  /** Both sides must use the protocol version that the proxy supports. */
  async #initialize({ id, params, raw }: Request): Promise<void> {
    const asked =
      Number(params.protocolVersion) > PROTOCOL
        ? changeParams(raw, (given) => ({ ...given, protocolVersion: PROTOCOL }))
        : raw;
    const { body, raw: answer } = await this.#wire.askAgent(id, asked);
    const result = asObject(body.result);
    const { agentInfo, agentCapabilities, protocolVersion } = result;
    if (body.error === undefined && protocolVersion !== PROTOCOL) {
      const text = `Conduct supports version ${PROTOCOL} of ACP, but the agent uses ${protocolVersion}, so its calls could not be checked.`;
      return this.#wire.toClient(errorMessage(id, DENIED, text));
    }
    const http = asObject(asObject(agentCapabilities).mcpCapabilities).http === true;
    this.#agent = { name: asString(asObject(agentInfo).name), http };
    this.#wire.toClient(answer);
  }

  async #open({ id, method, params, raw }: Request): Promise<void> {
    const opened = Promise.withResolvers<LiveSession>();
    opened.promise.catch(() => undefined);
    const own = this.#agent.http ? await serveOwnTools(opened.promise, this.#around, this.#options.version) : undefined;
    if (own !== undefined) this.#servers.push(own);
    const loaded = method === "session/fork" ? "" : asString(params.sessionId);
    const place = {
      cwd: asString(params.cwd) || this.#options.cwd,
      servers: asList(params.mcpServers).map((server) => asString(asObject(server).name)),
    };
    const before = loaded === "" ? undefined : this.#begin({ id: loaded, ...place });
    if (before !== undefined) before.replaying = true;
    const request = own === undefined ? raw : changeParams(raw, (given) => withOwnServer(given, own));
    const { body, raw: answer } = await this.#wire.askAgent(id, request);
    const result = asObject(body.result);
    const live =
      before ?? (body.error === undefined ? this.#begin({ id: asString(result.sessionId), ...place }) : undefined);
    if (before !== undefined) before.replaying = false;
    if (live === undefined || body.error !== undefined) {
      opened.reject(new Error("the agent did not open the session"));
      if (loaded !== "") this.#sessions.delete(loaded);
    } else {
      opened.resolve(live);
      const mode = currentMode(result);
      if (isUnasking(mode)) tellUnasking(live, mode, this.#around);
    }
    this.#wire.toClient(answer);
  }

  /** A closed session may be loaded again; a deleted one has ended. */
  async #delete({ id, params, raw }: Request): Promise<void> {
    const { body, raw: answer } = await this.#wire.askAgent(id, raw);
    const session = asString(params.sessionId);
    const live = this.#sessions.get(session);
    if (body.error === undefined && live !== undefined) {
      this.#sessions.delete(session);
      (await live.moments().catch(() => undefined))?.notice({ kind: "ended" });
    }
    this.#wire.toClient(answer);
  }

  #begin(known: Known): LiveSession {
    const live = new LiveSession(known, this.#options.host, this.#options.interactive);
    this.#sessions.set(known.id, live);
    return live;
  }

  /** Also for sessions that were opened elsewhere, and for subagents. */
  #session(id: string, parent?: LiveSession): LiveSession {
    const { cwd, servers } = parent ?? { cwd: this.#options.cwd, servers: [] };
    return this.#sessions.get(id) ?? this.#begin({ id, cwd, servers, parent });
  }

  /** The only session with a turn: an unknown session is a subagent of it. */
  #working(): LiveSession | undefined {
    const [only, another] = [...this.#sessions.values()].filter(({ turn }) => turn !== "none");
    return another === undefined ? only : undefined;
  }
}

const KEYS: ShapesOf<AcpProxyOptions> = {
  host: having("open"),
  cwd: text,
  interactive: flag,
  waitMs: number,
  modes: oneOf("asking", "any"),
  newId: callback,
  version: text,
  log: callback,
};
