import type { Conduct } from "../../../engine/session/conduct.ts";
import type { SessionHost, SessionMoments } from "../../../engine/session/session-moments.ts";
import type { SessionOptions } from "../../../engine/session/session-options.ts";
import { localHost } from "../../host/opening/local-host.ts";
import type { CodexOrigin, CodexToolUse } from "./events.ts";
import { readKeptLive } from "./kept-live.ts";
import { turnFacts } from "./rollout.ts";
import type { ToldPrompt } from "./told-prompt.ts";

/** A call that was allowed and has no result yet. `folder` is where it was expected to run. */
export type UnderWay = { readonly use: CodexToolUse; readonly tool: string; readonly folder: string };

/** A Conduct session and what the adapter keeps beside it between two hooks. */
export type LiveSession = {
  readonly session: SessionMoments;
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
  /** Opens the sessions, and saves what the adapter knows of them. Without it they end with this process. */
  readonly host?: SessionHost;
};

/** Opens the session at its first hook, in the folder that Codex works in; a subagent's is a child of its root's. */
export async function openLive(
  conduct: Conduct,
  options: OpenOptions,
  event: CodexOrigin,
  parent: LiveSession | undefined,
): Promise<LiveSession> {
  const { agent } = options;
  const more = options.sessionOptions?.(event) ?? {};
  const host = options.host ?? localHost(conduct, { agent, sessionOptions: () => more });
  const saved = await host.adapterData?.(event.session);
  const kept = saved === undefined ? undefined : readKeptLive(saved);
  const root = kept?.root ?? (await folderOf(event));
  const isNew = conduct.find(event.session) === undefined;
  const session = await host.open({
    runtime: "codex",
    id: event.session,
    parent: parent?.session.id,
    cwd: root,
    model: event.model,
  });
  const live: LiveSession = {
    session,
    ...(kept ?? { root, calls: new Map(), step: 0, prompt: {}, owed: [] }),
    window: more.window,
  };
  await tellStarted(conduct, live, event, isNew);
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

/** Tells the session which model and window it has now; those that the operator has set come first. A new one knows its model. */
export async function tellStarted(
  conduct: Conduct,
  { session, window }: LiveSession,
  event: CodexOrigin,
  isNew = false,
): Promise<void> {
  const agent = conduct.find(session.id)?.agent;
  const own = conduct.agents.find(({ name }) => name === agent)?.limits.window ?? window;
  const known = own ?? (await turnFacts(event.transcript)).window;
  if (isNew && known === undefined) return;
  session.notice({ kind: "started", adapter: "codex", model: event.model, window: known });
}
