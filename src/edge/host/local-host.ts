import type { Conduct } from "../../engine/moments/conduct.ts";
import type { Session } from "../../engine/moments/session.ts";
import type { SessionHost, SessionOrigin } from "../../engine/moments/session-moments.ts";
import type { SessionOptions } from "../../engine/moments/session-options.ts";
import { nodeCommands } from "./node-commands.ts";
import { nodeFilesystem } from "./node-filesystem.ts";

export type LocalHostOptions = {
  /** Name of the agent that the runtime plays. */
  readonly agent: string;
  /** More for a session that is opened: user, sender, deadline, budget, enforcement. */
  readonly sessionOptions?: (origin: SessionOrigin) => Partial<SessionOptions>;
};

/** Sessions of a Conduct in this process: found by id, else opened in the folder that the runtime works in. */
export function localHost(conduct: Conduct, { agent, sessionOptions }: LocalHostOptions): SessionHost {
  return {
    async open(origin): Promise<Session> {
      const known = conduct.find(origin.id);
      if (known !== undefined) return known;
      const settings = {
        agent,
        adapter: origin.runtime,
        filesystem: nodeFilesystem(origin.cwd),
        commands: nodeCommands(origin.cwd),
        ...(origin.window === undefined ? {} : { window: origin.window }),
        ...sessionOptions?.(origin),
      };
      const parent = origin.parent === undefined ? undefined : conduct.find(origin.parent);
      const session =
        parent === undefined ? conduct.session({ ...settings, id: origin.id }) : parent.child(origin.id, settings);
      session.notice({
        kind: "started",
        adapter: origin.runtime,
        ...(origin.model === undefined ? {} : { model: origin.model }),
        ...(settings.window === undefined ? {} : { window: settings.window }),
      });
      return session;
    },
  };
}
