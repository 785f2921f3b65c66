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
import type { JsonObject } from "../../../base/words/json.ts";
import type { SessionHost } from "../../../engine/session/session-moments.ts";
import {
  errorMessage,
  INVALID_REQUEST,
  PARSE_ERROR,
  parseExactly,
  type Received,
  type Rpc,
  type RpcId,
  readLine,
} from "../mcp/json-rpc.ts";
import type { Pipe, PipeEnd } from "../mcp/pipe.ts";
import { onRead, onWrite } from "./client-calls.ts";
import { type Known, type LiveSession, liveSession } from "./live-session.ts";
import { DENIED, INTERNAL_ERROR, PROTOCOL } from "./native.ts";
import { type OwnServer, serveOwnTools, withOwnServer } from "./own-tools.ts";
import { onPermission } from "./permissions.ts";
import type { Around } from "./permit.ts";
import { onPrompt } from "./prompts.ts";
import { onCreate, onExit, onOutput, onRelease } from "./terminals.ts";
import { ownToolName } from "./tool-map.ts";
import { currentMode, isUnasking, unaskingMode } from "./translate.ts";
import { onUpdate, tellUnasking } from "./updates.ts";
import { Wire } from "./wire.ts";

export type AcpProxyOptions = {
  readonly host: SessionHost;
  /** Where sessions are that the client has not opened through this proxy. */
  readonly cwd: string;
  /** A person types at the client. */
  readonly interactive: boolean;
  /** How long a call waits for Conduct's approver, before the person at the client is asked. */
  readonly waitMs: number;
  /** `any` lets the client switch on modes in which the agent asks nobody. */
  readonly modes: "asking" | "any";
  /** Makes ids that nobody can guess. */
  readonly newId: () => string;
  readonly version: string;
  /** For the person who runs it. */
  readonly log: (line: string) => void;
};

/** Which side ended it. */
export type AcpEnd = { readonly by: "client" | "agent" } & PipeEnd;

/**
 * Stands between an ACP client and an agent. Prompts, permission requests, files and terminals pass the moments; all else, known
 * or not, is passed on as the bytes it came in. Resolves when one side has ended, and the other with it.
 */
export async function runAcpProxy(client: Pipe, agent: Pipe, options: AcpProxyOptions): Promise<AcpEnd> {
  checkOptions("runAcpProxy", options, KEYS);
  const relay = new Relay(client, agent, options);
  const ended = await new Promise<AcpEnd>((resolve) => {
    client.listen({
      message: (line) => relay.fromClient(line),
      drained: () => agent.resume(),
      end: (end) => resolve({ by: "client", ...end }),
    });
    agent.listen({
      message: (line) => relay.fromAgent(line),
      drained: () => client.resume(),
      end: (end) => resolve({ by: "agent", ...end }),
    });
  });
  await relay.end(`the ${ended.by} is gone: ${ended.why}`);
  await agent.close();
  await client.close();
  return ended;
}

type Request = Extract<Rpc, { kind: "request" }> & { readonly raw: string | Buffer };

const OPENS = new Set(["session/new", "session/load", "session/resume", "session/fork"]);

class Relay {
  readonly #options: AcpProxyOptions;
  readonly #wire: Wire;
  readonly #around: Around & { ownToolName(tool: string): string };
  readonly #sessions = new Map<string, LiveSession>();
  readonly #servers: OwnServer[] = [];
  readonly #handling = new Set<Promise<void>>();
  #agent = { name: "", http: false };

  constructor(client: Pipe, agent: Pipe, options: AcpProxyOptions) {
    this.#options = options;
    const { newId, waitMs, log } = options;
    this.#wire = new Wire(client, agent, newId);
    this.#around = {
      wire: this.#wire,
      newId,
      waitMs,
      log,
      ownToolName: (tool) => ownToolName(this.#agent.name, tool),
    };
  }

  fromClient(line: Buffer): void {
    const received = readLine(line);
    for (const one of received ?? []) this.#clientSays(one);
    if (received !== undefined) return;
    this.#options.log("a line of the client's is no JSON-RPC message; it is not passed on");
    this.#wire.toClient(errorMessage(null, PARSE_ERROR, "this is no JSON-RPC message"));
  }

  fromAgent(line: Buffer): void {
    const received = readLine(line);
    if (received === undefined) this.#options.log("a line of the agent's is no JSON-RPC message; it is dropped");
    for (const one of received ?? []) this.#agentSays(one);
  }

  /** A side is gone: what waits is told. Resolves when everything is settled. */
  async end(why: string): Promise<void> {
    this.#wire.end(why);
    await Promise.allSettled(this.#handling);
    for (const { settling } of this.#sessions.values()) await settling;
    await Promise.all(this.#servers.map((server) => server.close()));
  }

  #clientSays({ rpc, raw }: Received): void {
    if (rpc.kind === "response") {
      if (!this.#wire.answered("client", rpc.id, { body: rpc.body, raw })) this.#wire.toAgent(raw);
    } else if (rpc.kind === "notification") {
      const live = this.#sessions.get(asString(rpc.params.sessionId));
      if (rpc.method === "session/cancel" && live?.turn === "open") live.turn = "cancelled";
      // A lenient agent might take a request that nobody waits for.
      if (rpc.method === "session/prompt") this.#options.log("a session/prompt without an id is not passed on");
      else this.#wire.toAgent(raw);
    } else this.#clientAsks({ ...rpc, raw });
  }

  #clientAsks(request: Request): void {
    const { id, method, params, raw } = request;
    const mode = this.#options.modes === "asking" ? unaskingMode(method, params) : undefined;
    if (this.#wire.isAsked("agent", id)) {
      this.#wire.toClient(errorMessage(id, INVALID_REQUEST, "a request with this id is still under way"));
    } else if (mode !== undefined) {
      const text = `Conduct does not let the agent go into mode '${mode}': it would no longer ask before it acts, and nothing could be refused. Start the proxy with --any-mode to allow it.`;
      this.#wire.toClient(errorMessage(id, DENIED, text));
    } else if (method === "initialize") this.#handle("client", id, this.#initialize(request));
    else if (OPENS.has(method)) this.#handle("client", id, this.#open(request));
    else if (method === "session/prompt") {
      const live = this.#session(asString(params.sessionId));
      this.#handle("client", id, onPrompt({ live, id, params, raw, around: this.#around }));
    } else if (method === "session/delete") this.#handle("client", id, this.#delete(request));
    else this.#wire.toAgent(raw);
  }

  #agentSays({ rpc, raw }: Received): void {
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
    const call = { live, id, params, raw, around: this.#around };
    const handling = (() => {
      switch (method) {
        case "session/request_permission":
          return onPermission(live, id, params, raw, this.#around);
        case "fs/read_text_file":
          return onRead(call);
        case "fs/write_text_file":
          return onWrite(call);
        case "terminal/create":
          return onCreate(call);
        case "terminal/output":
          return onOutput(call);
        case "terminal/wait_for_exit":
          return onExit(call);
        case "terminal/release":
          return onRelease(call);
        default:
          return undefined;
      }
    })();
    if (handling === undefined) this.#wire.toClient(raw);
    else this.#handle("agent", id, handling);
  }

  /** What fails here is answered with an error: nobody waits for ever, and nothing runs. */
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

  /** Newer versions of the protocol say things in other words: both sides are held to the one that is understood here. */
  async #initialize({ id, params, raw }: Request): Promise<void> {
    const asked = Number(params.protocolVersion) > PROTOCOL ? changed(raw, { protocolVersion: PROTOCOL }) : raw;
    const { body, raw: answer } = await this.#wire.askAgent(id, asked);
    const result = asObject(body.result);
    const { agentInfo, agentCapabilities, protocolVersion } = result;
    if (body.error === undefined && protocolVersion !== PROTOCOL) {
      const text = `Conduct understands version ${PROTOCOL} of ACP, and the agent speaks ${protocolVersion}: what it does could not be checked.`;
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
    const request =
      own === undefined ? raw : JSON.stringify(withOwnServer(asObject(parseExactly(raw.toString())), own));
    const { body, raw: answer } = await this.#wire.askAgent(id, request);
    const result = asObject(body.result);
    const live =
      before ?? (body.error === undefined ? this.#begin({ id: asString(result.sessionId), ...place }) : undefined);
    if (before !== undefined) before.replaying = false;
    if (live === undefined || body.error !== undefined) {
      opened.reject(new Error("the agent has not opened the session"));
      if (loaded !== "") this.#sessions.delete(loaded);
    } else {
      opened.resolve(live);
      const mode = currentMode(result);
      if (isUnasking(mode)) tellUnasking(live, mode, this.#around);
    }
    this.#wire.toClient(answer);
  }

  /** One that is only closed may be loaded again, and goes on then. */
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
    const live = liveSession(known, this.#options.host, this.#options.interactive);
    this.#sessions.set(known.id, live);
    return live;
  }

  /** One that was opened elsewhere, or is a subagent's, is bound all the same. */
  #session(id: string, parent?: LiveSession): LiveSession {
    const { cwd, servers } = parent ?? { cwd: this.#options.cwd, servers: [] };
    return this.#sessions.get(id) ?? this.#begin({ id, cwd, servers, ...(parent === undefined ? {} : { parent }) });
  }

  /** The only session that has a turn: what is asked for one that nobody has opened is asked for a subagent of it. */
  #working(): LiveSession | undefined {
    const [only, another] = [...this.#sessions.values()].filter(({ turn }) => turn !== "none");
    return another === undefined ? only : undefined;
  }
}

function changed(raw: string | Buffer, change: JsonObject): string {
  const exact = asObject(parseExactly(raw.toString()));
  return JSON.stringify({ ...exact, params: { ...asObject(exact.params), ...change } });
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
