import { asObject, isObject } from "../../../base/kernel/json.ts";
import type { KeptSession, SessionsStore } from "../../../base/ports/stores/sessions.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import type { Conduct } from "../../../engine/session/conduct.ts";
import {
  type Beginning,
  openPersistent,
  type PersistentSession,
  type SessionSaves,
} from "../../../engine/session/persistent-session.ts";
import type { Session } from "../../../engine/session/session.ts";
import type { SessionHost, SessionOrigin } from "../../../engine/session/session-moments.ts";
import type { SessionOptions } from "../../../engine/session/session-options.ts";
import { isDamagedSession } from "../../stores/sql/store-error.ts";
import { nodeCommands } from "../node/node-commands.ts";
import { nodeFilesystem } from "../node/node-filesystem.ts";

export type LocalHostOptions = {
  readonly agent: string;
  /** Extra options for a new session: user, sender, deadline, budget, enforcement. */
  readonly sessionOptions?: (origin: SessionOrigin) => Partial<SessionOptions>;
  /** Saves sessions so that another process can continue them. Without it they are lost when this process ends. */
  readonly saves?: SessionSaves;
  /** Saved with each session, so that the next process can find it. */
  readonly workspace?: string;
};

/**
 * Sessions in this process: found by id, else restored, else opened in the runtime's folder. An origin may name an
 * existing agent and a user, but cannot grant either any rights.
 */
export function localHost(conduct: Conduct, options: LocalHostOptions): SessionHost {
  const { agent, sessionOptions, saves, workspace } = options;

  function openSaved(origin: SessionOrigin, saving: SessionSaves): Promise<PersistentSession> {
    return conduct.sessions.open(origin.id, () =>
      openPersistent(origin.id, saving, async (from, details) => {
        const { origin: stored, started } = asObject(details.own);
        // A session never changes its folder or its parent.
        const { cwd = origin.cwd, parent: above = origin.parent, user } = asObject(stored) as Partial<SessionOrigin>;
        // Nor its user, even if `conduct init --user` names another one for new sessions.
        const opened = { ...origin, cwd, parent: above, user: origin.user ?? user };
        const { runtime } = origin;
        // After a restart, a subagent may call before its parent session does.
        const parent = above === undefined ? undefined : await openSaved({ runtime, cwd, id: above }, saving);
        const session = openLocal(opened, parent?.local, from, { agent: details.agent, started: asObject(started) });
        const own = { origin: { ...opened, user: session.view.user }, started };
        return { session, parent, details: { ...details, workspace, own } };
      }),
    );
  }

  function openLocal(
    origin: SessionOrigin,
    parent: Session | undefined,
    from: Beginning = {},
    before: { readonly agent?: unknown; readonly started?: JsonObject } = {},
  ): Session {
    const { id, runtime: adapter, cwd, model } = origin;
    const given = sessionOptions?.(origin);
    // A session continues with its previous agent while that agent exists.
    const known = conduct.agents.find(({ name }) => name === before.agent)?.name;
    const settings: SessionOptions = {
      adapter,
      filesystem: nodeFilesystem(cwd, { temporary: true }),
      commands: nodeCommands(cwd),
      ...given,
      window: given?.window ?? origin.window,
      channel: given?.channel ?? origin.channel,
      agent: known ?? origin.agent ?? given?.agent ?? agent,
      user: origin.user ?? given?.user,
      ...from,
    };
    const session = parent === undefined ? conduct.session({ ...settings, id }) : parent.child(id, settings);
    session.notice({ kind: "started", adapter, model, window: settings.window, ...before.started });
    return session;
  }

  const detailsOf = async (id: string) =>
    (await conduct.sessions.findSaved(id))?.details ?? (saves && (await peekSession(saves.store, id))?.beside);

  return {
    async open(origin) {
      if (saves !== undefined) return openSaved(origin, saves);
      const parent = origin.parent === undefined ? undefined : conduct.find(origin.parent);
      return conduct.find(origin.id) ?? openLocal(origin, parent);
    },
    async adapterData(id) {
      const { adapter, own } = (await detailsOf(id)) ?? {};
      if (isObject(adapter)) return adapter;
      // Earlier versions stored the data of the Codex adapter here.
      return isObject(own) && own.origin === undefined ? own : undefined;
    },
    async saveAdapterData(id, adapter) {
      await (await conduct.sessions.findSaved(id))?.saveDetails({ adapter });
    },
  };
}

/** Reads a saved session; `undefined` if it is unknown or cannot be decoded. */
export async function peekSession(store: Pick<SessionsStore, "load">, id: string): Promise<KeptSession | undefined> {
  return store.load(id).catch((error: unknown) => {
    if (isDamagedSession(error)) return undefined;
    throw error;
  });
}
