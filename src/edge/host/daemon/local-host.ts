import type { Conduct } from "../../../engine/moments/conduct.ts";
import type { Session } from "../../../engine/moments/session.ts";
import type { SessionHost, SessionMoments, SessionOrigin } from "../../../engine/moments/session-moments.ts";
import type { SessionOptions } from "../../../engine/moments/session-options.ts";
import { nodeCommands } from "../node/node-commands.ts";
import { nodeFilesystem } from "../node/node-filesystem.ts";
import { openTaken } from "../opening/open-from-state.ts";
import { KeptMoments, type KeptOrigin, readKeptOrigin } from "./kept-moments.ts";
import type { SessionKeeper, TakenSession } from "./session-keeper.ts";

export type LocalHostOptions = {
  /** Name of the agent that the runtime plays. */
  readonly agent: string;
  /** More for a session that is opened: user, sender, deadline, budget, enforcement. */
  readonly sessionOptions?: (origin: SessionOrigin) => Partial<SessionOptions>;
  /** Keeps sessions beyond this process. Without it they end with it. */
  readonly keeper?: SessionKeeper;
};

/**
 * Sessions of a Conduct in this process: found by id, else as they were kept, else opened in the folder that the runtime works in.
 * An origin may name an agent that there is, and a user; what either may do is not its to say.
 */
export function localHost(conduct: Conduct, { agent, sessionOptions, keeper }: LocalHostOptions): SessionHost {
  /** Those of ours, by id; two requests may come for one that is not open yet. */
  const opening = new Map<string, Promise<SessionMoments>>();

  async function open(origin: SessionOrigin): Promise<SessionMoments> {
    const known = conduct.find(origin.id);
    if (known !== undefined && keeper === undefined) return known;
    const under = opening.get(origin.id);
    // One that has ended is gone from Conduct, and begins anew.
    if (under !== undefined && (known !== undefined || !(await hasEnded(under)))) return under;
    const begun = begin(origin);
    opening.set(origin.id, begun);
    begun.catch(() => opening.delete(origin.id));
    return begun;
  }

  async function begin(origin: SessionOrigin): Promise<SessionMoments> {
    const taken = await keeper?.take(origin.id);
    const kept = taken === undefined ? { origin } : readKeptOrigin(taken.beside, origin);
    const session = await openSession(kept, taken);
    return keeper === undefined ? session : new KeptMoments(session, kept, keeper);
  }

  async function openSession({ origin, started }: KeptOrigin, taken: TakenSession | undefined): Promise<Session> {
    const settings = {
      agent,
      adapter: origin.runtime,
      filesystem: nodeFilesystem(origin.cwd),
      commands: nodeCommands(origin.cwd),
      ...(origin.window === undefined ? {} : { window: origin.window }),
      ...(origin.channel === undefined ? {} : { channel: origin.channel }),
      ...sessionOptions?.(origin),
      ...(origin.agent === undefined ? {} : { agent: origin.agent }),
      ...(origin.user === undefined ? {} : { user: origin.user }),
      // A session goes on with the agent that it had, as long as there is one of that name.
      ...(conduct.agents.some(({ name }) => name === taken?.agent) ? { agent: taken?.agent ?? agent } : {}),
    };
    const parent = await parentOf(origin);
    const session = await openTaken(origin.id, taken, keeper, (from) =>
      parent === undefined
        ? conduct.session({ ...settings, ...from, id: origin.id })
        : parent.child(origin.id, { ...settings, ...from }),
    );
    session.notice({
      kind: "started",
      adapter: origin.runtime,
      ...(origin.model === undefined ? {} : { model: origin.model }),
      ...(settings.window === undefined ? {} : { window: settings.window }),
      ...started,
    });
    return session;
  }

  /** After a restart a subagent may be heard of before the session that it belongs to. */
  async function parentOf({ parent: id, ...child }: SessionOrigin): Promise<Session | undefined> {
    if (id === undefined) return undefined;
    if (keeper !== undefined) await open({ runtime: child.runtime, cwd: child.cwd, id });
    return conduct.find(id);
  }

  return { open };
}

async function hasEnded(opening: Promise<SessionMoments>): Promise<boolean> {
  const session = await opening.catch(() => undefined);
  return session instanceof KeptMoments && session.ended;
}
