import { isObject } from "../../src/base/kernel/json.ts";
import type { Agent } from "../../src/base/words/agent.ts";
import type { ConductEvent } from "../../src/base/words/event.ts";
import { type CodexHooks, codexHooks } from "../../src/edge/adapters/codex/adapter.ts";
import { listenForHooks } from "../../src/edge/host/hook-socket.ts";
import { openConduct } from "../../src/edge/host/open-conduct.ts";
import type { ConductPorts } from "../../src/engine/moments/conduct.ts";
import type { SessionOptions } from "../../src/engine/moments/session-options.ts";
import type { CodexPlace } from "./codex-run.ts";

/** Conduct behind a socket in this process, as the daemon will be in its own. */
export type Daemon = { readonly events: readonly ConductEvent[]; readonly hooks: CodexHooks; close(): Promise<void> };

export async function startDaemon(
  place: CodexPlace,
  agent: Agent,
  sessionOptions: () => Partial<SessionOptions> = () => ({}),
  ports: Partial<ConductPorts> = {},
): Promise<Daemon> {
  const events: ConductEvent[] = [];
  const conduct = openConduct({ agents: [agent], workspace: place.workspace, home: `${place.home}/conduct`, ports });
  conduct.subscribe((event) => {
    events.push(event);
  });
  const hooks = codexHooks(conduct, { agent: agent.name, sessionOptions });
  const server = await listenForHooks(place.socket, (request) =>
    isObject(request) && "conduct_tool" in request ? hooks.callTool(request) : hooks.handle(request),
  );
  return { events, hooks, close: () => server.close() };
}
