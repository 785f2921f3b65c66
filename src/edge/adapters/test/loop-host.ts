import { join } from "node:path";
import type { ConductEvent } from "../../../base/words/event.ts";
import type { Conduct } from "../../../engine/session/conduct.ts";
import { replaceMoments, type SessionHost, type SessionMoments } from "../../../engine/session/session-moments.ts";
import { answerOrFail, type KitPlace } from "../../../testing/kit/driver.ts";
import { addDirectives, isOperators, type LocalRun } from "../../../testing/kit/local-run.ts";
import { type HookServer, listenForHooks } from "../../host/daemon/hook-socket.ts";
import { type HookLimit, sendHook } from "../../host/daemon/hook-socket-client.ts";
import { remoteHost } from "../../host/daemon/remote-session.ts";
import { serveMoments } from "../../host/daemon/serve-sessions.ts";
import { localHost } from "../../host/opening/local-host.ts";
import { openConductFromEnv } from "../../host/opening/open-conduct.ts";

const MAIN = "loop";
/** Timeout for Conduct in runs in which it fails. */
export const FAILING_MS = 500;

/** Conduct for one run of the loop: in this process, or behind a socket as with the daemon. */
export type LoopHost = {
  readonly events: readonly ConductEvent[];
  open(): Promise<SessionMoments>;
  openBelow(id: string): Promise<SessionMoments>;
  /** Closes Conduct and opens it again on the same home; the session continues from its saved state. */
  restart(): Promise<void>;
  /** The operator adds the directives of the turn. */
  direct(turn: number): Promise<void>;
  /** From now on Conduct fails in the way that the run specifies. */
  fail(): Promise<void>;
  close(): Promise<void>;
};

export async function openLoopHost(given: LocalRun, { workspace, home }: KitPlace, remote: boolean): Promise<LoopHost> {
  const { agent, ports = {}, failing } = given;
  const events: ConductEvent[] = [];
  const origin = { runtime: "scripted-loop", id: MAIN, cwd: workspace };
  const socket = join(home, "..", "run", "loop.sock");
  let begun = false;
  let up = await start();

  async function start(snapshot?: string) {
    const conduct = openConductFromEnv({ agents: [agent], workspace, home, ports });
    conduct.subscribe((event) => {
      if (!isOperators(event)) events.push(event);
    });
    const again = snapshot === undefined ? {} : { snapshot };
    const local = localHost(conduct, {
      agent: agent.name,
      sessionOptions: ({ id }) => (id === MAIN ? { ...given.session, ...again } : {}),
    });
    const host = failingHost(local, given, () => begun);
    if (!remote) return { conduct, host, server: undefined };
    const server = await listenForHooks(socket, (request, tell) =>
      answerOrFail(
        failing,
        () => begun,
        () => serveMoments(request, local, tell),
      ),
    );
    // Avoids waiting ten seconds for a Conduct that is known to hang.
    const send = (request: unknown, limit: HookLimit) => sendHook(socket, request, begun ? FAILING_MS : limit);
    return { conduct, host: remoteHost({ socket, send }), server };
  }

  return {
    events,
    open: () => up.host.open(origin),
    openBelow: (id) => up.host.open({ ...origin, id, parent: MAIN }),
    async restart() {
      const snapshot = up.conduct.find(MAIN)?.serialise();
      await end(up);
      up = await start(snapshot);
    },
    direct: (turn) => addDirectives(given, turn, up.conduct),
    async fail() {
      begun = true;
      if (failing === "gone") await up.server?.close();
    },
    close: () => end(up),
  };
}

async function end({ conduct, server }: { readonly conduct: Conduct; readonly server: HookServer | undefined }) {
  await server?.close();
  await conduct.close();
}

/** The same failures for a Conduct in this process. */
function failingHost(host: SessionHost, { failing }: LocalRun, begun: () => boolean): SessionHost {
  if (failing === undefined) return host;
  return {
    async open(origin) {
      const session = await host.open(origin);
      const ask = <T>(work: () => Promise<T>): Promise<T> => answerOrFail(failing, begun, work);
      return replaceMoments(session, {
        onMessage: (message) => ask(() => session.onMessage(message)),
        onPrompt: (request) => ask(() => session.onPrompt(request)),
        onCall: (call) => ask(() => session.onCall(call)),
        decide: (call, wait) => ask(() => session.decide(call, wait)),
        onResult: (call, result, options) => ask(() => session.onResult(call, result, options)),
        onStop: (request) => (failing === "hang" ? session.onStop(request) : ask(() => session.onStop(request))),
      });
    },
  };
}
