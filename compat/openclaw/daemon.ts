import { setTimeout as sleep } from "node:timers/promises";
import { asList, asObject, isObject } from "../../src/base/kernel/json.ts";
import type { ConductEvent } from "../../src/base/words/event.ts";
import type { Agent } from "../../src/base/words/hosting/agent.ts";
import { listenForHooks } from "../../src/edge/host/daemon/hook-socket.ts";
import { serveMoments } from "../../src/edge/host/daemon/serve-sessions.ts";
import { localHost } from "../../src/edge/host/opening/local-host.ts";
import { openConductFromEnv } from "../../src/edge/host/opening/open-conduct.ts";
import type { Conduct, ConductPorts } from "../../src/engine/session/conduct.ts";
import type { SessionOptions } from "../../src/engine/session/session-options.ts";
import type { KitFailing } from "../../src/testing/kit/driver.ts";
import { isOperators } from "../../src/testing/kit/local-run.ts";

/** Conduct behind a socket in this process, as the daemon is in its own. */
export type Daemon = {
  readonly events: readonly ConductEvent[];
  readonly conduct: Conduct;
  /** From now on it fails that way. */
  fail(how: KitFailing): Promise<void>;
  /** Resolves when nobody has asked anything for a while. */
  quiet(): Promise<void>;
  close(): Promise<void>;
};

export type DaemonOptions = {
  readonly socket: string;
  readonly workspace: string;
  readonly home: string;
  readonly session?: Partial<SessionOptions>;
  readonly ports?: Partial<ConductPorts>;
};

export async function startDaemon(agent: Agent, options: DaemonOptions): Promise<Daemon> {
  const { socket, workspace, home, session = {}, ports = {} } = options;
  const conduct = openConductFromEnv({ agents: [agent], workspace, home, ports });
  const events: ConductEvent[] = [];
  conduct.subscribe((event) => {
    if (!isOperators(event)) events.push(event);
  });
  const host = localHost(conduct, { agent: agent.name, sessionOptions: () => session });
  const own = session.window ?? agent.limits.window;
  let failing: KitFailing | undefined;
  let asked = 0;
  let underWay = 0;
  const server = await listenForHooks(socket, async (request, tell) => {
    asked += 1;
    if (failing === "crash") throw new Error("the store is gone");
    if (failing === "hang") return new Promise(() => {});
    underWay += 1;
    try {
      return await serveMoments(own === undefined ? request : withoutWindow(request), host, tell);
    } finally {
      underWay -= 1;
    }
  });
  let closed: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    closed ??= server.close();
    return closed;
  };
  return {
    events,
    conduct,
    async fail(how) {
      failing = how;
      if (how === "gone") await stop();
    },
    async quiet() {
      for (let seen = -1; seen !== asked || underWay > 0; ) {
        seen = asked;
        await sleep(150);
      }
    },
    async close() {
      await stop();
      await conduct.close();
    },
  };
}

/** OpenClaw runs no model with a window as small as the kit's: what it tells of its own is left out. */
function withoutWindow(request: unknown): unknown {
  if (!isObject(request) || request.does !== "notice") return request;
  const { window: _window, ...notice } = asObject(asList(request.args)[0]);
  return { ...request, args: [notice] };
}
