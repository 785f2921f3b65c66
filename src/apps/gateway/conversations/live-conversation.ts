import type { Conversation, TurnRecord } from "../../../base/words/hosting/conversation.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import { nodeFilesystem } from "../../../edge/host/node/node-filesystem.ts";
import { openFromState } from "../../../edge/host/opening/open-from-state.ts";
import { LOST_NOTE } from "../../../engine/moments/lost-state.ts";
import type { Session } from "../../../engine/moments/session.ts";
import type { HostedSession } from "../runtimes/hosted.ts";
import type { ConversationsOptions } from "./conversations-options.ts";
import { keptSession, settleLost } from "./kept-session.ts";
import { StateKeeper } from "./states.ts";
import { TRANSCRIPT_NOTE, usableTranscript } from "./usable-transcript.ts";

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
  /** Said before the next answer, once. */
  notice: string | undefined;
};

/** Brings a conversation into memory as it was left, in its runtime. */
export async function loadConversation(
  conversation: Conversation,
  options: ConversationsOptions,
): Promise<LiveConversation> {
  const { conduct, store, states, approvals, runtimeOf, workspaceOf, userOf, historyOf, report, clock } = options;
  const { id, agent, user, channel } = conversation;
  const [transcript, workspace, known] = await Promise.all([
    store.transcript(id),
    workspaceOf(conversation),
    userOf(user),
  ]);
  const commands = options.commands.of(agent, user, workspace);
  const settings = {
    id,
    agent,
    user,
    channel,
    adapter: runtimeOf(agent).name,
    filesystem: nodeFilesystem(workspace),
    commands,
    ...(known?.zone === undefined ? {} : { zone: known.zone }),
  };
  const { session, lost } = await openFromState({
    load: () => states.load(id),
    open: (from) => conduct.session({ ...settings, ...from }),
    setAside: (why) => states.setAside(id, why),
    history: async () => (await historyOf?.(id)) ?? [],
  });
  if (lost !== undefined) report?.(`session ${id}: its state was damaged and set aside: ${lost.why}`);
  await settleLost(session);
  for (const question of session.openQuestions()) approvals.adopt({ ...question, session: id, agent, user });
  const usable = usableTranscript(transcript.map(({ entry }) => entry));
  if (usable.damaged > 0)
    report?.(`session ${id}: ${usable.damaged} entries of its transcript are damaged and left out`);
  let seq = transcript.at(-1)?.seq ?? 0;
  const definition = conduct.agents.find(({ name }) => name === agent);
  if (definition === undefined) throw new Error(`there is no agent '${agent}'`);
  const state = new StateKeeper(session, states);
  const hosted = await runtimeOf(agent).open({
    session: keptSession(session, state, userOf),
    agent: definition,
    workspace,
    commands,
    transcript: usable.entries,
    approvals,
    keep: async (entries: readonly JsonObject[]) => {
      if (!(await store.append(id, seq, entries))) throw new Error("another process writes in this conversation");
      seq += entries.length;
    },
  });
  const lastUsed = clock.monotonic();
  const notices = [...(lost === undefined ? [] : [LOST_NOTE]), ...(usable.damaged === 0 ? [] : [TRANSCRIPT_NOTE])];
  const notice = notices.length === 0 ? undefined : notices.join("\n\n");
  return { conversation, session, state, hosted, notice, queue: [], entering: new Set(), running: undefined, lastUsed };
}
