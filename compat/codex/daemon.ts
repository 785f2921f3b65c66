import { isObject } from "../../src/base/kernel/json.ts";
import type { ConductEvent } from "../../src/base/words/event.ts";
import type { Agent } from "../../src/base/words/hosting/agent.ts";
import { codexHooks } from "../../src/edge/adapters/codex/adapter.ts";
import type { CodexAnswer } from "../../src/edge/adapters/codex/translate.ts";
import { listenForHooks } from "../../src/edge/host/daemon/hook-socket.ts";
import { openConductFromEnv } from "../../src/edge/host/opening/open-conduct.ts";
import type { Conduct, ConductPorts } from "../../src/engine/session/conduct.ts";
import type { SessionOptions } from "../../src/engine/session/session-options.ts";
import type { CodexPlace } from "./codex-run.ts";

/** Conduct behind a socket in this process, as the daemon will be in its own. */
export type Daemon = {
  readonly events: readonly ConductEvent[];
  readonly conduct: Conduct;
  /** What the hooks had to say to the person. `codex exec` shows it nowhere; clients of the app server do. */
  readonly shown: readonly string[];
  close(): Promise<void>;
};

/** Conduct's own folder there. */
export function conductHome({ home }: CodexPlace): string {
  return `${home}/conduct`;
}

/** `around` may make an answer fail, or never come. */
export async function startDaemon(
  place: CodexPlace,
  agent: Agent,
  sessionOptions: () => Partial<SessionOptions> = () => ({}),
  ports: Partial<ConductPorts> = {},
  around: <T>(answer: () => Promise<T>) => Promise<T> = (answer) => answer(),
): Promise<Daemon> {
  const events: ConductEvent[] = [];
  const conduct = openConductFromEnv({ agents: [agent], workspace: place.workspace, home: conductHome(place), ports });
  conduct.subscribe((event) => {
    events.push(event);
  });
  const hooks = codexHooks(conduct, { agent: agent.name, sessionOptions });
  const shown: string[] = [];
  const server = await listenForHooks(place.socket, async (request) => {
    if (isObject(request) && "conduct_tool" in request) return around(() => hooks.callTool(request));
    const answer = await around(() => hooks.handle(request));
    shown.push(...linesFor(request, answer));
    return answer;
  });
  return {
    events,
    conduct,
    shown,
    async close() {
      await server.close();
      await conduct.close();
    },
  };
}

/** The reason of a held-back message is for the person; every other reason is for the model. */
function linesFor(request: unknown, { reason, systemMessage }: CodexAnswer): readonly string[] {
  const isMessage = isObject(request) && request.hook_event_name === "UserPromptSubmit";
  return [isMessage ? reason : undefined, systemMessage].filter((text) => text !== undefined);
}
