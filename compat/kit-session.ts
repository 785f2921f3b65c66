import type { ConductEvent } from "../src/base/words/event.ts";
import { openConductFromEnv } from "../src/edge/host/opening/open-conduct.ts";
import type { Session } from "../src/engine/session/session.ts";
import type { SessionOptions } from "../src/engine/session/session-options.ts";
import { answerOrFail, type KitPlace } from "../src/testing/kit/driver.ts";
import { addDirectives, isOperators, type LocalRun } from "../src/testing/kit/local-run.ts";

/** How long a call waits for Conduct in a run in which it fails. */
export const FAILING_MS = 1_000;

/** The one session of a run, in the process of the runtime's host. */
export type KitSession = {
  readonly events: readonly ConductEvent[];
  readonly session: Session;
  /** The host's process ends, and another one goes on with what the session had. */
  restart(): Promise<void>;
  /** The operator adds the directives of the turn. */
  direct(turn: number): Promise<void>;
  close(): Promise<void>;
};

/** `begun`: has the model been asked? Conduct fails from then on, where the run wants it to. */
export function openKitSession(run: LocalRun, { workspace, home }: KitPlace, begun: () => boolean): KitSession {
  const { agent, ports = {} } = run;
  const events: ConductEvent[] = [];
  const open = (options: Partial<SessionOptions>) => {
    const conduct = openConductFromEnv({ agents: [agent], workspace, home, ports });
    conduct.subscribe((event) => {
      if (!isOperators(event)) events.push(event);
    });
    const session = conduct.session({ agent: agent.name, ...options });
    failWhenBegun(session, run, begun);
    return { conduct, session };
  };
  let up = open({ ...run.session });
  return {
    events,
    get session() {
      return up.session;
    },
    async restart() {
      const snapshot = up.session.serialise();
      await up.conduct.close();
      up = open({ ...run.session, snapshot });
    },
    direct: (turn) => addDirectives(run, turn, up.conduct),
    close: () => up.conduct.close(),
  };
}

/** At a stop it does not hang: whoever waits there would wait for nothing that runs. */
function failWhenBegun(session: Session, { failing }: LocalRun, begun: () => boolean): void {
  if (failing === undefined) return;
  const { onMessage, onPrompt, onCall, decide, onResult, onStop } = session;
  const fails =
    <A extends readonly unknown[], R>(moment: (...given: A) => Promise<R>) =>
    (...given: A): Promise<R> =>
      answerOrFail(failing, begun, () => moment.call(session, ...given));
  Object.assign(session, {
    onMessage: fails(onMessage),
    onPrompt: fails(onPrompt),
    onCall: fails(onCall),
    decide: fails(decide),
    onResult: fails(onResult),
    ...(failing === "hang" ? {} : { onStop: fails(onStop) }),
  });
}
