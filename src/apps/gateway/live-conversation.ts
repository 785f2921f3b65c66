import type { Conversation, TurnRecord } from "../../base/words/conversation.ts";
import type { JsonObject } from "../../base/words/json.ts";
import { nodeFilesystem } from "../../edge/host/node-filesystem.ts";
import type { Session } from "../../engine/moments/session.ts";
import type { ConversationsOptions } from "./conversations-options.ts";
import { keptSession, settleLost } from "./kept-session.ts";
import type { HostedSession } from "./runtimes/hosted.ts";
import { StateKeeper } from "./states.ts";

/** A conversation in memory: its session, its runtime, and the turns that wait. */
export type LiveConversation = {
  readonly conversation: Conversation;
  readonly session: Session;
  readonly state: StateKeeper;
  readonly hosted: HostedSession;
  /** Waiting, the next first. */
  readonly queue: TurnRecord[];
  /** Those on their way into it. */
  readonly entering: Set<Promise<unknown>>;
  running:
    | {
        readonly turn: TurnRecord;
        readonly abort: AbortController;
        readonly done: Promise<void>;
        /** Ids of the messages that were steered into it. */
        readonly steered: Set<string>;
      }
    | undefined;
  /** On the monotonic clock: a clock that is set back must not keep it in memory. */
  lastUsed: number;
};

/** Brings a conversation into memory as it was left, in its runtime. */
export async function loadConversation(
  conversation: Conversation,
  options: ConversationsOptions,
): Promise<LiveConversation> {
  const { conduct, store, states, approvals, runtimeOf, workspaceOf, userOf, clock } = options;
  const { id, agent, user, channel } = conversation;
  const [snapshot, transcript, workspace, known] = await Promise.all([
    states.load(id),
    store.transcript(id),
    workspaceOf(conversation),
    userOf(user),
  ]);
  const commands = options.commands.of(agent, user, workspace);
  const session = conduct.session({
    id,
    agent,
    user,
    channel,
    adapter: runtimeOf(agent).name,
    filesystem: nodeFilesystem(workspace),
    commands,
    ...(known?.zone === undefined ? {} : { zone: known.zone }),
    ...(snapshot === undefined ? {} : { snapshot }),
  });
  await settleLost(session);
  for (const question of session.openQuestions()) approvals.adopt({ ...question, session: id, agent, user });
  let seq = transcript.at(-1)?.seq ?? 0;
  const definition = conduct.agents.find(({ name }) => name === agent);
  if (definition === undefined) throw new Error(`there is no agent '${agent}'`);
  const state = new StateKeeper(session, states);
  const hosted = await runtimeOf(agent).open({
    session: keptSession(session, state, userOf),
    agent: definition,
    workspace,
    commands,
    transcript: transcript.map(({ entry }) => entry),
    approvals,
    keep: async (entries: readonly JsonObject[]) => {
      if (!(await store.append(id, seq, entries))) throw new Error("another process writes in this conversation");
      seq += entries.length;
    },
  });
  const lastUsed = clock.monotonic();
  return { conversation, session, state, hosted, queue: [], entering: new Set(), running: undefined, lastUsed };
}
