import { existsSync } from "node:fs";
import { errorText } from "../../base/kernel/error-text.ts";
import { asObject, asString, isObject } from "../../base/kernel/json.ts";
import type { ClaudeCodeHooks } from "../../edge/adapters/claude-code/adapter.ts";
import { claudeCodeRoutes } from "../../edge/adapters/claude-code/http-routes.ts";
import type { DaemonHello } from "../../edge/host/daemon/daemon-client.ts";
import { type DaemonPlace, daemonPlace, isReplaceable, oldVersion } from "../../edge/host/daemon/daemon-place.ts";
import { keepDaemonSettings } from "../../edge/host/daemon/daemon-settings.ts";
import {
  type HookResponse,
  type HookRoute,
  type HttpServer,
  hookHttp,
  listenForHttp,
} from "../../edge/host/daemon/hook-http.ts";
import { type HookServer, listenForHooks } from "../../edge/host/daemon/hook-socket.ts";
import { execToken, GatedWorkspaces, writeGate } from "../../edge/host/gate/gate-files.ts";
import { gatePlace } from "../../edge/host/gate/gate-place.ts";
import { shellHookRoute, writeShellHook } from "../../edge/host/gate/shell-hook.ts";
import { conductVersion } from "../../edge/host/node/package-files.ts";
import { readRuntimes } from "../../edge/host/opening/runtime-settings.ts";
import { storePlace } from "../../edge/host/workspace/store-place.ts";
import { homeStores } from "../../edge/stores/home-stores.ts";
import { REPAIR_COMMAND } from "../../engine/governance/governance-health.ts";
import { EMPTY_FOLD, readOn } from "../../engine/governance/journal-fold.ts";
import { type ApiRequest, apiRoutes } from "./api-sessions.ts";
import { openDaemonGuard } from "./hook-guard/daemon-guard.ts";
import type { OwnCode } from "./own-code.ts";
import { RelyingSessions } from "./relying-sessions.ts";
import { openRequests, type Requests } from "./requests.ts";
import { claudeCodeFailure } from "./workspaces.ts";

const IDLE_MS = 15 * 60_000;
const LOOK_MS = 5_000;
/** How long a check of the daemon's own code stays valid: in the background, and for a `hello` request. */
const CODE_FRESH_MS = 30_000;
const HELLO_FRESH_MS = 1_000;
/** How long running requests may take when the daemon has to end. */
const GRACE_MS = 5_000;

export type DaemonOptions = {
  readonly home: string;
  readonly idleMs?: number;
  readonly lookMs?: number;
  readonly log?: (line: string) => void;
  /** Reported version; default: the package's. */
  readonly version?: string;
  /** The daemon's own code; not checked by default. */
  readonly code?: Pick<OwnCode, "isOld" | "isKnown" | "look">;
};

export type Daemon = {
  readonly hello: () => DaemonHello;
  /** Resolves with the reason when the daemon has ended and everything is saved. */
  readonly ended: Promise<string>;
  end(reason: string): Promise<string>;
};

/** Starts the daemon for all runtimes of this account. Rejects with a `SocketTakenError` if one is already running. */
export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const {
    home,
    idleMs = IDLE_MS,
    lookMs = Math.min(LOOK_MS, idleMs / 4),
    log = () => undefined,
    version = conductVersion(),
    code,
  } = options;
  /** The reported version. After a code change the daemon reports a different one, so that clients replace it. */
  const told = () => (code?.isOld === true ? oldVersion(version) : version);
  const place = daemonPlace(home);
  const startedAt = Date.now();
  const ended = Promise.withResolvers<string>();
  /** Resolves when the HTTP server has started or failed; earlier requests would see no HTTP server. */
  const up = Promise.withResolvers<void>();
  let opened: Promise<Requests> | undefined;
  let sessions = () => 0;
  let underWay = 0;
  let lastAt = performance.now();
  let ending: Promise<string> | undefined;
  let http: HttpServer | undefined;
  let httpFault: string | undefined;
  let gated: GatedWorkspaces | undefined;
  let removeShellHook = (): void => undefined;
  const relying = new RelyingSessions();

  /** Detects everything that switches hooks off: checked before each answer and in the background. */
  const guard = openDaemonGuard({
    home,
    log,
    fault: (fault) =>
      void requests().then(
        (open) => open.report(fault),
        () => undefined,
      ),
  });

  /** Opening the store is retried at the next request; until then every request is rejected with the reason. */
  function requests(): Promise<Requests> {
    opened ??= up.promise
      .then(() => openRequests(home, process.env, log, gated))
      .then(
        (open) => {
          sessions = () => open.sessions;
          return open;
        },
        (error: unknown) => {
          opened = undefined;
          log(`the store cannot be opened: ${errorText(error)}`);
          throw error;
        },
      );
    return opened;
  }

  const hello = (): DaemonHello => ({
    version: told(),
    pid: process.pid,
    startedAt,
    sessions: sessions(),
    port: http?.port,
    httpFault,
  });

  async function handle(request: unknown, tell: (waits: object) => void): Promise<unknown> {
    await up.promise;
    if (isObject(request) && typeof request.daemon === "string")
      return control(request.daemon, String(request.version ?? ""));
    return counted(async () => {
      const runtime = runtimeOf(request);
      await guard.before(runtime, request);
      const answer = await (await requests()).handle(request, tell);
      return runtime !== undefined && isObject(answer) ? guard.after(runtime, request, answer) : answer;
    });
  }

  async function control(what: string, asker: string): Promise<object> {
    switch (what) {
      case "hello":
        // Skipped at startup: the starter waits for the first `hello`, and there is nothing to compare with yet.
        if (code?.isKnown === true) await code.look(HELLO_FRESH_MS);
        return hello();
      case "yield": {
        const ends = underWay === 0 && isReplaceable(told(), asker);
        if (ends) setImmediate(end, "another version takes over");
        return { ends };
      }
      case "stop":
        setImmediate(end, "a stop was requested");
        return { ends: true };
      default:
        throw new Error(`the daemon cannot '${what}'`);
    }
  }

  async function counted<T>(work: () => Promise<T>): Promise<T> {
    underWay += 1;
    try {
      return await work();
    } catch (error) {
      log(`a request failed: ${errorText(error)}`);
      throw error;
    } finally {
      underWay -= 1;
      lastAt = performance.now();
    }
  }

  /** A Claude Code hook over HTTP. A failure is answered in Claude Code's format, see `claudeCodeFailure`. */
  const claudeCode: ClaudeCodeHooks["handle"] = async (event, from) => {
    const { session_id: session, hook_event_name: name } = asObject(event);
    relying.sawHook(String(session), String(name), performance.now());
    try {
      return await counted(async () => {
        if (await isAnsweredAsCursor(home, event)) return {};
        await guard.before("claude-code", event);
        const answer = await (await requests()).claudeCode(event, from);
        return from?.part === undefined ? guard.after("claude-code", event, answer) : answer;
      });
    } catch (error) {
      return claudeCodeFailure(home)(String(name), errorText(error));
    }
  };

  /** A program over HTTP cannot start a daemon, so its open session keeps this one running. */
  async function api(request: ApiRequest): Promise<HookResponse> {
    return counted(async () => {
      await guard.before();
      const answer = await (await requests()).api(request);
      const id = request.session ?? asString(asObject(answer.body).session);
      relying.sawRequest(id, request.moment, answer.status, performance.now());
      return answer;
    });
  }

  function end(reason: string): Promise<string> {
    ending ??= (async () => {
      log(`ends: ${reason}`);
      clearInterval(timer);
      removeShellHook();
      await (await opened?.catch(() => undefined))?.giveUp();
      await Promise.all([server.close(GRACE_MS), http?.close()]);
      await guard.close();
      await (await opened?.catch(() => undefined))?.close();
      ended.resolve(reason);
      return reason;
    })();
    return ending;
  }

  function look(): void {
    const now = performance.now();
    void code?.look(CODE_FRESH_MS);
    if (!server.isThere()) void end("its socket was removed");
    else if (underWay > 0 || relying.isAnyOpen(now)) return;
    else if (now - lastAt > idleMs) void end("it was idle");
    // The next hook starts the new daemon.
    else if (code?.isOld === true) void end("its code has changed since it was started");
  }

  const server: HookServer = await listenForHooks(place.socket, handle, { version: told });
  const timer = setInterval(look, lookMs);
  try {
    const health = async () => ({ status: 200, body: { ok: true, version: told() } });
    const { token } = keepDaemonSettings(place.settings);
    http = await openHttp(place, [
      {
        method: "POST",
        path: "/exec",
        raw: { token: execToken(token) },
        handle: ({ body }) => counted(async () => (await requests()).exec(String(body))),
      },
      shellHookRoute(token, (event) => handle(event, () => undefined)),
      { method: "GET", path: "/health", open: true, handle: health },
      ...claudeCodeRoutes({
        handle: claudeCode,
        callTool: (...call) => counted(async () => (await requests()).callTool(...call)),
      }),
      ...apiRoutes(api),
    ]);
    // Shims of another version are replaced; `conduct init` writes the first ones.
    if (existsSync(gatePlace(home).bin)) writeGate(home);
    gated = new GatedWorkspaces(home, { port: http.port, token });
    removeShellHook = writeShellHook(home, http.port, token);
  } catch (error) {
    // Runtimes that use the socket are still enforced.
    httpFault = errorText(error);
  }
  up.resolve();
  log(`listens at ${place.socket}${http === undefined ? `, not over http: ${httpFault}` : ` and port ${http.port}`}`);
  lastAt = performance.now();
  void requests().catch(() => undefined);
  void logDamage(home, log);
  return { hello, ended: ended.promise, end };
}

/** The runtime whose hook sent the request. Only Codex sends its events as they are; plugins and commands are no hooks. */
function runtimeOf(request: unknown): string | undefined {
  if (!isObject(request) || !("hook_event_name" in request)) return undefined;
  return asString(request.conduct_hook) || "codex";
}

/** Logs a damaged governance journal at startup, not only when a call is denied for it. */
async function logDamage(home: string, log: (line: string) => void): Promise<void> {
  const stores = homeStores(storePlace(process.env, home));
  try {
    const { fault } = await readOn(stores.governance, EMPTY_FOLD);
    if (fault !== undefined) log(`the governance journal is damaged: ${fault.message}; repair it: ${REPAIR_COMMAND}`);
  } catch (error) {
    log(`the governance journal cannot be read: ${errorText(error)}`);
  } finally {
    await stores.close();
  }
}

/** Listens on the port named in the runtimes' settings, which the system chose the first time. No other port works. */
async function openHttp({ settings: file }: DaemonPlace, routes: readonly HookRoute[]): Promise<HttpServer> {
  const { token, port = 0 } = keepDaemonSettings(file, { node: process.execPath });
  const http = await listenForHttp(hookHttp(token, routes), { port });
  keepDaemonSettings(file, { port: http.port });
  return http;
}

/**
 * Cursor runs the hooks of Claude Code's settings too, and names its version in every event. Where its own hooks are
 * set up they decide, and a second answer would count the call twice.
 */
async function isAnsweredAsCursor(home: string, event: unknown): Promise<boolean> {
  if (typeof asObject(event).cursor_version !== "string") return false;
  return Object.hasOwn(await readRuntimes(home), "cursor");
}
