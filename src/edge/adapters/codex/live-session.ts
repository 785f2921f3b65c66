import type { Conduct } from "../../../engine/moments/conduct.ts";
import type { Session } from "../../../engine/moments/session.ts";
import type { SessionOptions } from "../../../engine/moments/session-options.ts";
import type { SessionKeeper } from "../../host/daemon/session-keeper.ts";
import { nodeCommands } from "../../host/node/node-commands.ts";
import { nodeFilesystem } from "../../host/node/node-filesystem.ts";
import { openTaken } from "../../host/opening/open-from-state.ts";
import type { CodexOrigin, CodexToolUse } from "./events.ts";
import { readKeptLive } from "./kept-live.ts";
import { turnFacts } from "./rollout.ts";
import type { ToldPrompt } from "./told-prompt.ts";

/** A call that was allowed and has no result yet. `folder` is where it was expected to run. */
export type UnderWay = { readonly use: CodexToolUse; readonly tool: string; readonly folder: string };

/** A Conduct session and what the adapter keeps beside it between two hooks. */
export type LiveSession = {
  readonly session: Session;
  readonly root: string;
  readonly calls: Map<string, UnderWay>;
  /** Model responses seen; the calls of one share it. */
  step: number;
  /** The prompt that the model has, and one that was handed to Codex but not yet sent with a request. */
  prompt: { readonly had?: ToldPrompt; readonly given?: ToldPrompt };
  /** Feedback that no answer could carry yet. */
  owed: string[];
  /** The turn that a denial has ended; Codex cannot be made to end it. */
  endedTurn?: string | undefined;
  /** The window that the host has set. */
  readonly window?: number;
  /** The rollout that the conversation is in. */
  transcript?: string | undefined;
};

export type OpenOptions = {
  /** Name of the agent that Codex plays. */
  readonly agent: string;
  /** More for a session that is opened at its first hook: user, deadline, budget, modes, a snapshot to go on from. */
  readonly sessionOptions?: (first: CodexOrigin) => Partial<SessionOptions>;
  /** How many sessions that have ended in Codex are kept to be resumed; 200 unless set. */
  readonly keep?: number;
  /** Keeps sessions beyond this process. Without it they end with it. */
  readonly keeper?: SessionKeeper;
};

/** Opens the session at its first hook, in the folder that Codex works in; a subagent's is a child of its root's. */
export async function openLive(
  conduct: Conduct,
  options: OpenOptions,
  event: CodexOrigin,
  parent: LiveSession | undefined,
): Promise<LiveSession> {
  const more = options.sessionOptions?.(event) ?? {};
  const known = conduct.find(event.session);
  const taken = known === undefined ? await options.keeper?.take(event.session) : undefined;
  const kept = taken === undefined ? undefined : readKeptLive(taken.beside);
  const root = kept?.root ?? (await folderOf(event));
  const settings = {
    agent: options.agent,
    adapter: "codex",
    filesystem: nodeFilesystem(root),
    commands: nodeCommands(root),
    ...more,
    // A session goes on with the agent that it had, as long as there is one of that name.
    ...(conduct.agents.some(({ name }) => name === taken?.agent) ? { agent: taken?.agent ?? options.agent } : {}),
  };
  const session =
    known ??
    (await openTaken(event.session, taken, options.keeper, (from) =>
      parent === undefined
        ? conduct.session({ ...settings, ...from, id: event.session })
        : parent.session.child(event.session, { ...settings, ...from }),
    ));
  const live: LiveSession = {
    session,
    ...(kept ?? { root, calls: new Map(), step: 0, prompt: {}, owed: [] }),
    ...(more.window === undefined ? {} : { window: more.window }),
  };
  await tellStarted(conduct, live, event);
  return live;
}

/** A call may name a folder of its own, which then is the hook's `cwd`: it must not become the workspace. */
async function folderOf(event: CodexOrigin): Promise<string> {
  return "use" in event ? ((await turnFacts(event.transcript)).cwd ?? event.cwd) : event.cwd;
}

/**
 * A conversation that was cut back goes on in another rollout. What the model was told and what it has seen may be gone
 * with what was cut: it is told again, and has to look again.
 */
export function followRollout({ transcript }: CodexOrigin, live: LiveSession): void {
  if (transcript === undefined || transcript === live.transcript) return;
  if (live.transcript !== undefined) {
    live.prompt = {};
    live.session.notice({ kind: "compacted" });
  }
  live.transcript = transcript;
}

/** Tells the session which model and window it has now; those that the operator has set come first. */
export async function tellStarted(
  conduct: Conduct,
  { session, window }: LiveSession,
  event: CodexOrigin,
): Promise<void> {
  const own = conduct.agents.find(({ name }) => name === session.agent)?.limits.window ?? window;
  const known = own ?? (await turnFacts(event.transcript)).window;
  session.notice({
    kind: "started",
    adapter: "codex",
    ...(event.model === undefined ? {} : { model: event.model }),
    ...(known === undefined ? {} : { window: known }),
  });
}
