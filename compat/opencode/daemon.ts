import type { ConductEvent } from "../../src/base/words/event.ts";
import type { Agent } from "../../src/base/words/hosting/agent.ts";
import { listenForHooks } from "../../src/edge/host/daemon/hook-socket.ts";
import { serveMoments } from "../../src/edge/host/daemon/serve-sessions.ts";
import { localHost } from "../../src/edge/host/opening/local-host.ts";
import { openConductFromEnv } from "../../src/edge/host/opening/open-conduct.ts";
import type { Conduct, ConductPorts } from "../../src/engine/session/conduct.ts";
import type { SessionOptions } from "../../src/engine/session/session-options.ts";

/** Conduct behind a socket in this process, as the daemon is in its own. */
export type Daemon = {
  readonly conduct: Conduct;
  readonly events: readonly ConductEvent[];
  /** Resolves with the first event, of those before too, that is looked for. */
  when(looked: (event: ConductEvent) => boolean): Promise<ConductEvent>;
  close(): Promise<void>;
};

export type DaemonOptions = {
  readonly agent: Agent;
  readonly socket: string;
  readonly workspace: string;
  readonly home: string;
  readonly session?: Partial<SessionOptions>;
  readonly ports?: Partial<ConductPorts>;
  /** Stands between a request and its answer. */
  readonly around?: (answer: () => Promise<object>) => Promise<object>;
};

export async function startDaemon({
  agent,
  socket,
  workspace,
  home,
  session,
  ports = {},
  around = (answer) => answer(),
}: DaemonOptions): Promise<Daemon> {
  const events: ConductEvent[] = [];
  const waiting = new Set<() => void>();
  const conduct = openConductFromEnv({ agents: [agent], workspace, home, ports });
  conduct.subscribe((event) => {
    events.push(event);
    for (const look of waiting) look();
  });
  const host = localHost(conduct, { agent: agent.name, sessionOptions: () => session ?? {} });
  const server = await listenForHooks(socket, (request, tell) => around(() => serveMoments(request, host, tell)));
  return {
    conduct,
    events,
    when: (looked) =>
      new Promise((resolve) => {
        const look = () => {
          const found = events.find(looked);
          if (found === undefined) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      }),
    close: () => server.close(),
  };
}
