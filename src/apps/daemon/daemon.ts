import { errorText } from "../../base/kernel/error-text.ts";
import { isObject } from "../../base/kernel/json.ts";
import type { ClaudeCodeHooks } from "../../edge/adapters/claude-code/adapter.ts";
import { claudeCodeRoutes } from "../../edge/adapters/claude-code/http-routes.ts";
import type { DaemonHello } from "../../edge/host/daemon/daemon-client.ts";
import { conductVersion, type DaemonPlace, daemonPlace, oldVersion } from "../../edge/host/daemon/daemon-place.ts";
import { keepDaemonSettings } from "../../edge/host/daemon/daemon-settings.ts";
import { type HookRoute, type HttpServer, hookHttp, listenForHttp } from "../../edge/host/daemon/hook-http.ts";
import { type HookServer, listenForHooks } from "../../edge/host/daemon/hook-socket.ts";
import { storePlace } from "../../edge/host/workspace/store-place.ts";
import { homeStores } from "../../edge/stores/home-stores.ts";
import { REPAIR_COMMAND } from "../../engine/governance/governance-health.ts";
import { EMPTY_FOLD, readOn } from "../../engine/governance/journal-fold.ts";
import { claudeCodeFailure } from "./failure-answers.ts";
import { openDaemonGuard } from "./hook-guard/daemon-guard.ts";
import type { OwnCode } from "./own-code.ts";
import { openRequests, type Requests } from "./requests.ts";

const IDLE_MS = 15 * 60_000;
/** A session that a runtime has begun and not ended keeps the daemon up, but not for ever: runtimes are killed, too. */
const UNDER_WAY_MS = 24 * 3_600_000;
const LOOK_MS = 5_000;
/** How long what is known of its own code is good: of itself, and for somebody who asks. */
const CODE_FRESH_MS = 30_000;
const HELLO_FRESH_MS = 1_000;
/** What is under way when it has to end gets so long. */
const GRACE_MS = 5_000;

export type DaemonOptions = {
  readonly home: string;
  readonly idleMs?: number;
  /** How often it looks whether it is still needed. */
  readonly lookMs?: number;
  readonly log?: (line: string) => void;
  /** What it says it is; that of the package unless told. */
  readonly version?: string;
  /** The code that it runs; not looked at unless told. */
  readonly code?: Pick<OwnCode, "isOld" | "isKnown" | "look">;
};

export type Daemon = {
  readonly hello: () => DaemonHello;
  /** Resolves, with the reason, when it has ended and everything is kept. */
  readonly ended: Promise<string>;
  end(reason: string): Promise<string>;
};

/** Conduct for every runtime of this account. Rejects with a `SocketTakenError` when there is one already. */
export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const {
    home,
    idleMs = IDLE_MS,
    lookMs = Math.min(LOOK_MS, idleMs / 4),
    log = () => undefined,
    version = conductVersion(),
    code,
  } = options;
  /** What it says it is. As long as its code has not changed under it that is what is installed; else it is taken for another. */
  const told = () => (code?.isOld === true ? oldVersion(version) : version);
  const place = daemonPlace(home);
  const startedAt = Date.now();
  const ended = Promise.withResolvers<string>();
  /** It is known whether there is an http side: whoever asks before that would take it for none. */
  const up = Promise.withResolvers<void>();
  let opened: Promise<Requests> | undefined;
  let sessions = () => 0;
  let underWay = 0;
  let lastAt = performance.now();
  let ending: Promise<string> | undefined;
  let http: HttpServer | undefined;
  let httpFault: string | undefined;
  /** Sessions of runtimes that cannot start a daemon themselves: when each was last heard of. */
  const relying = new Map<string, number>();

  /** Nothing that switches hooks off goes unnoticed: looked at before each answer, and all the time. */
  const guard = openDaemonGuard({
    home,
    log,
    fault: (fault) =>
      void requests().then(
        (open) => open.report(fault),
        () => undefined,
      ),
  });

  /** A store that cannot be opened is tried again at the next request; until then each is refused with the reason. */
  function requests(): Promise<Requests> {
    opened ??= openRequests(home, process.env, log).then(
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
    ...(http === undefined ? {} : { port: http.port }),
    ...(httpFault === undefined ? {} : { httpFault }),
  });

  async function handle(request: unknown, tell: (waits: object) => void): Promise<unknown> {
    await up.promise;
    if (isObject(request) && typeof request.daemon === "string") return control(request.daemon);
    return counted(async () => {
      const isCodex = isObject(request) && "hook_event_name" in request;
      await (isCodex ? guard.before("codex", request) : guard.before());
      const answer = await (await requests()).handle(request, tell);
      return isCodex && isObject(answer) ? guard.after(request, answer) : answer;
    });
  }

  async function control(what: string): Promise<object> {
    switch (what) {
      case "hello":
        // Whoever starts it waits for its first word, and there is nothing to compare with yet.
        if (code?.isKnown === true) await code.look(HELLO_FRESH_MS);
        return hello();
      case "yield": {
        const ends = underWay === 0;
        if (ends) setImmediate(end, "another version takes over");
        return { ends };
      }
      case "stop":
        setImmediate(end, "it was told to stop");
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

  /** Claude Code's hooks over http. A hook that fails must say what it blocks, in the form that Claude Code reads. */
  const claudeCode: ClaudeCodeHooks = {
    async handle(event, from) {
      const { session_id: session, hook_event_name: name } = isObject(event) ? event : {};
      if (name === "SessionEnd") relying.delete(String(session));
      else relying.set(String(session), performance.now());
      try {
        return await counted(async () => {
          await guard.before("claude-code", event);
          const answer = await (await requests()).claudeCode.handle(event, from);
          return from?.part === undefined ? guard.after(event, answer) : answer;
        });
      } catch (error) {
        return claudeCodeFailure(home)(String(name), errorText(error));
      }
    },
    callTool: (...call) => counted(async () => (await requests()).claudeCode.callTool(...call)),
    // The rooms see to what is kept beside a session.
    beside: () => undefined,
    restore: () => undefined,
    underWay: () => underWay > 0,
  };

  function end(reason: string): Promise<string> {
    ending ??= (async () => {
      log(`ends: ${reason}`);
      clearInterval(timer);
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
    for (const [session, at] of relying) if (now - at > UNDER_WAY_MS) relying.delete(session);
    void code?.look(CODE_FRESH_MS);
    if (!server.isThere()) void end("its socket was taken away");
    else if (underWay > 0 || relying.size > 0) return;
    else if (now - lastAt > idleMs) void end("nobody needs it");
    // The next hook starts the new one.
    else if (code?.isOld === true) void end("its code has changed since it was started");
  }

  const server: HookServer = await listenForHooks(place.socket, handle, { version: told });
  const timer = setInterval(look, lookMs);
  try {
    const health = async () => ({ status: 200, body: { ok: true, version: told() } });
    http = await openHttp(place, [
      { method: "GET", path: "/health", open: true, handle: health },
      ...claudeCodeRoutes(claudeCode),
    ]);
  } catch (error) {
    // What speaks over the socket is bound all the same.
    httpFault = errorText(error);
  }
  up.resolve();
  log(`listens at ${place.socket}${http === undefined ? `, not over http: ${httpFault}` : ` and port ${http.port}`}`);
  lastAt = performance.now();
  void requests().catch(() => undefined);
  void logDamage(home, log);
  return { hello, ended: ended.promise, end };
}

/** A damaged governance journal is in the log from the start, not only when a call is denied for it. */
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

/** On the port that runtimes' settings name, which is the one that the system gave the first time. No other one will do. */
async function openHttp({ settings: file }: DaemonPlace, routes: readonly HookRoute[]): Promise<HttpServer> {
  const { token, port = 0 } = keepDaemonSettings(file, { node: process.execPath });
  const http = await listenForHttp(hookHttp(token, routes), { port });
  keepDaemonSettings(file, { port: http.port });
  return http;
}
