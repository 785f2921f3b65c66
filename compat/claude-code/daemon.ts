import type { ConductEvent } from "../../src/base/words/event.ts";
import type { Agent } from "../../src/base/words/hosting/agent.ts";
import { type ClaudeCodeHooks, claudeCodeHooks } from "../../src/edge/adapters/claude-code/adapter.ts";
import { claudeCodeRoutes } from "../../src/edge/adapters/claude-code/http-routes.ts";
import { hookHttp, listenForHttp } from "../../src/edge/host/daemon/hook-http.ts";
import { localHost } from "../../src/edge/host/opening/local-host.ts";
import { openConductFromEnv } from "../../src/edge/host/opening/open-conduct.ts";
import type { Conduct, ConductPorts } from "../../src/engine/session/conduct.ts";
import type { SessionOrigin } from "../../src/engine/session/session-moments.ts";
import type { SessionOptions } from "../../src/engine/session/session-options.ts";
import type { Place } from "./place.ts";

/** Conduct behind http in this process, as the daemon is in its own. */
export type Daemon = {
  readonly conduct: Conduct;
  readonly hooks: ClaudeCodeHooks;
  readonly events: readonly ConductEvent[];
  /** Every hook that came, by the name of its event; further parts as `Event 2`. */
  readonly seen: readonly string[];
  readonly port: number;
  readonly token: string;
  /** Nobody answers from now on. */
  close(): Promise<void>;
};

export type DaemonOptions = {
  readonly agent: Agent;
  readonly session?: Partial<SessionOptions>;
  readonly sessionOptions?: (origin: SessionOrigin) => Partial<SessionOptions>;
  readonly ports?: Partial<ConductPorts>;
  readonly waitMs?: number;
  /** What becomes of each answer; it may fail, or never come. */
  readonly around?: <T>(answer: () => Promise<T>) => Promise<T>;
};

export async function startDaemon(place: Place, options: DaemonOptions): Promise<Daemon> {
  const { agent, session = {}, ports = {}, waitMs = 2_000, around = (answer) => answer() } = options;
  const events: ConductEvent[] = [];
  const conduct = openConductFromEnv({ agents: [agent], workspace: place.workspace, home: place.conduct, ports });
  conduct.subscribe((event) => events.push(event));
  const hooks = claudeCodeHooks(
    localHost(conduct, { agent: agent.name, sessionOptions: options.sessionOptions ?? (() => session) }),
    {
      home: place.home,
      waitMs,
    },
  );
  const seen: string[] = [];
  const token = crypto.randomUUID();
  const routes = claudeCodeRoutes(hooks).map((route) => ({
    ...route,
    handle: (request: Parameters<typeof route.handle>[0]) => {
      seen.push(nameOf(request));
      return around(() => route.handle(request));
    },
  }));
  const server = await listenForHttp(hookHttp(token, routes));
  return { conduct, hooks, events, seen, port: server.port, token, close: () => server.close() };
}

function nameOf({ body, query }: { readonly body: unknown; readonly query: URLSearchParams }): string {
  const { hook_event_name: event = "mcp" } = body as { readonly hook_event_name?: string };
  return [event, query.get("part")].filter((text) => text !== null).join(" ");
}
