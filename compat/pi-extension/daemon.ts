import { isObject } from "../../src/base/kernel/json.ts";
import type { ConductEvent } from "../../src/base/words/event.ts";
import type { Agent } from "../../src/base/words/hosting/agent.ts";
import { listenForHooks } from "../../src/edge/host/daemon/hook-socket.ts";
import { serveMoments } from "../../src/edge/host/daemon/serve-sessions.ts";
import { localHost } from "../../src/edge/host/opening/local-host.ts";
import { openConductFromEnv } from "../../src/edge/host/opening/open-conduct.ts";
import type { Conduct, ConductPorts } from "../../src/engine/session/conduct.ts";
import type { SessionOptions } from "../../src/engine/session/session-options.ts";
import type { KitFailing } from "../../src/testing/kit/driver.ts";
import type { PiPlace } from "./place.ts";

/** Conduct behind a socket in this process, as the daemon is in its own. */
export type Daemon = {
  readonly events: readonly ConductEvent[];
  readonly conduct: Conduct;
  /** From now on it fails that way. */
  fail(how: KitFailing): Promise<void>;
  close(): Promise<void>;
};

export type DaemonOptions = {
  readonly session?: Partial<SessionOptions>;
  readonly ports?: Partial<ConductPorts>;
  /** Answers a request in the daemon's place; `undefined` leaves it to the daemon. */
  readonly instead?: (request: object, conduct: Conduct) => Promise<object> | undefined;
};

export async function startDaemon(place: PiPlace, agent: Agent, options: DaemonOptions = {}): Promise<Daemon> {
  const { session = {}, ports = {}, instead } = options;
  const conduct = openConductFromEnv({ agents: [agent], workspace: place.workspace, home: place.home, ports });
  const events: ConductEvent[] = [];
  conduct.subscribe((event) => {
    events.push(event);
  });
  // The window is the model's, and Pi tells it.
  const { window: _window, ...sessionOptions } = session;
  const host = localHost(conduct, { agent: agent.name, sessionOptions: () => sessionOptions });
  let failing: KitFailing | undefined;
  const server = await listenForHooks(place.socket, async (request, tell) => {
    if (failing === "crash") throw new Error("the store is gone");
    if (failing === "hang") return new Promise(() => {});
    const answer = isObject(request) ? instead?.(request, conduct) : undefined;
    return answer ?? serveMoments(request, host, tell);
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
    async close() {
      await stop();
      await conduct.close();
    },
  };
}
