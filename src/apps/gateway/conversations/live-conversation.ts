import type { Agent } from "../../../base/words/hosting/agent.ts";
import type { Sender } from "../../../base/words/hosting/channel.ts";
import type { Conversation, TurnRecord } from "../../../base/words/hosting/conversation.ts";
import type { Role, User } from "../../../base/words/hosting/user.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import { inflightSlice } from "../../../behavior/session/calls.ts";
import { nodeFilesystem } from "../../../edge/host/node/node-filesystem.ts";
import { LOST_NOTE } from "../../../engine/session/lost-state.ts";
import {
  openPersistent,
  type PersistentSession,
  type SessionSaves,
} from "../../../engine/session/persistent-session.ts";
import type { Session } from "../../../engine/session/session.ts";
import type { HostedSession } from "../runtimes/hosted.ts";
import type { ConversationsOptions } from "./conversations.ts";

/** The reason why a running turn ends here: another gateway may own its conversation. */
export const TAKEN_OVER = Symbol("taken over");

const RANK: { readonly [R in Role]: number } = { viewer: 0, user: 1, operator: 2 };

/**
 * Returns the sender with their current role, but never a higher one than the channel gave them, because the message
 * may have been queued for a while. An operator who cannot be looked up counts as a user.
 */
export async function currentSender(
  sender: Sender,
  userOf: (id: string) => Promise<User | undefined>,
): Promise<Sender> {
  if (sender.user === undefined) return sender;
  const known = await userOf(sender.user).catch(() => undefined);
  const role = known?.role ?? "user";
  return RANK[role] < RANK[sender.role] ? { ...sender, role } : sender;
}

/** Shown to the person once after each load. */
const TRANSCRIPT_NOTE =
  "A part of this conversation's transcript was damaged. The agent does not remember anything before that part. Repeat what it needs to know.";

/** The role of a transcript entry that records a compaction. */
const MARKER = "compaction";

function isDamagedEntry({ damaged }: JsonObject): boolean {
  return damaged === true;
}

/**
 * The part of a transcript after the damage, starting with a person's message. Providers reject a result without its
 * call.
 */
function usableTranscript(entries: readonly JsonObject[]): {
  readonly entries: readonly JsonObject[];
  readonly damaged: number;
} {
  const damaged = entries.filter(isDamagedEntry).length;
  if (damaged === 0) return { entries, damaged };
  const after = entries.slice(entries.findLastIndex(isDamagedEntry) + 1);
  const first = after.findIndex(({ role }) => role === "user" || role === undefined);
  const rest = first < 0 ? [] : after.slice(first);
  return { entries: rest.filter(({ role }) => role !== MARKER), damaged };
}

/** A conversation in memory, with its session, runtime and queued turns. */
export type LiveConversation = {
  readonly conversation: Conversation;
  readonly session: PersistentSession;
  hosted: HostedSession;
  /** The definition that `hosted` was opened with. */
  definition: Agent;
  /** Queued turns, the next one first. On a shared store a copy of its rows. */
  readonly queue: TurnRecord[];
  /** Ids of queued turns that run before all others. */
  readonly first: Set<string>;
  /** Serialises changes of the queue of a shared store. */
  changing: Promise<unknown>;
  /** Another process may own the conversation now: nothing begins here any more. */
  isDropped: boolean;
  /** Messages that are being submitted. */
  readonly entering: Set<Promise<unknown>>;
  running:
    | {
        readonly turn: TurnRecord;
        readonly abort: AbortController;
        readonly done: Promise<void>;
        /** Ids of the messages steered into the running turn. */
        readonly steered: Set<string>;
      }
    | undefined;
  /** Monotonic time, so that a clock set back does not keep the conversation in memory. */
  lastUsed: number;
  /** Shown once, before the next answer. */
  notice: string | undefined;
};

/** Loads a conversation and restores it in its runtime. */
export async function loadConversation(
  conversation: Conversation,
  options: ConversationsOptions,
): Promise<LiveConversation> {
  const { conduct, sessions, approvals, runtimeOf, workspaceOf, userOf, historyOf, report, clock } = options;
  const { id, agent, user, channel } = conversation;
  const [workspace, known] = await Promise.all([workspaceOf(conversation), userOf(user)]);
  const commands = options.commands.of(agent, user, workspace);
  const saves: SessionSaves = {
    store: sessions,
    now: () => clock.now(),
    onFailure: "deny",
    isShared: options.ownership?.isShared,
    history: historyOf,
    currentSender: (sender) => currentSender(sender, userOf),
  };
  const session = await conduct.sessions.open(id, () =>
    openPersistent(id, saves, async ({ snapshot, lost }) => ({
      session: conduct.session({
        ...{ id, agent, user, channel, commands, snapshot },
        // The note is shown before the next answer instead of among its notes.
        lost: lost && { ...lost, note: undefined },
        adapter: runtimeOf(agent).name,
        filesystem: nodeFilesystem(workspace),
        approver: {
          ask: ({ input: _, ...question }, signal) => approvals.ask({ ...question, agent, user }, signal),
        },
        zone: known?.zone,
      }),
    })),
  );
  const { lost, local } = session;
  if (lost !== undefined) report(`session ${id}: its state was damaged and set aside: ${lost.why}`);
  await settleLost(local);
  for (const question of local.openQuestions()) await approvals.adopt({ ...question, session: id, agent, user });
  const { damaged, ...opened } = await openHosted(conversation, session, options);
  const lastUsed = clock.monotonic();
  const notices = [...(lost === undefined ? [] : [LOST_NOTE]), ...(damaged ? [TRANSCRIPT_NOTE] : [])];
  const notice = notices.length === 0 ? undefined : notices.join("\n\n");
  return {
    ...{ conversation, session, ...opened, notice, lastUsed, queue: [], running: undefined },
    ...{ first: new Set<string>(), entering: new Set<Promise<unknown>>(), changing: Promise.resolve() },
    isDropped: false,
  };
}

/** Opens the runtime again if the agent's definition has changed: its model and tools may be others. */
export async function useCurrentAgent(live: LiveConversation, options: ConversationsOptions): Promise<void> {
  const { agent } = live.conversation;
  const definition = options.conduct.agents.find(({ name }) => name === agent);
  if (definition === undefined || definition === live.definition) return;
  await live.hosted.close();
  const { hosted } = await openHosted(live.conversation, live.session, options);
  live.hosted = hosted;
  live.definition = definition;
}

async function openHosted(
  conversation: Conversation,
  session: PersistentSession,
  { conduct, store, runtimeOf, workspaceOf, commands, servers, report, ownership }: ConversationsOptions,
): Promise<Pick<LiveConversation, "hosted" | "definition"> & { readonly damaged: boolean }> {
  const { id, agent, user } = conversation;
  const [transcript, workspace] = await Promise.all([store.transcript(id), workspaceOf(conversation)]);
  const usable = usableTranscript(transcript.map(({ entry }) => entry));
  if (usable.damaged > 0) report(`session ${id}: ${usable.damaged} transcript entries are damaged and ignored`);
  let seq = transcript.at(-1)?.seq ?? 0;
  const definition = conduct.agents.find(({ name }) => name === agent);
  if (definition === undefined) throw new Error(`there is no agent '${agent}'`);
  const hosted = await runtimeOf(agent).open({
    session,
    reserveBudget: (amount) => session.local.reserveBudget(amount),
    agent: definition,
    tools: conduct.toolsOf(agent),
    servers: servers.of(agent, user, workspace),
    workspace,
    commands: commands.of(agent, user, workspace),
    transcript: usable.entries,
    isShared: ownership?.isShared === true,
    keep: async (entries, when) => {
      if (!(await store.append(id, seq, entries, when)))
        throw new Error("another process is writing to this conversation");
      seq += entries.length;
    },
  });
  return { hosted, definition, damaged: usable.damaged > 0 };
}

/** Unfinished calls of an earlier process may have had an effect. Their outcome is unknown, and they still count. */
async function settleLost(session: Session): Promise<void> {
  for (const [id, { call }] of [...session.snapshot().slices.get(inflightSlice)])
    await session.onResult({ id, tool: call.tool }, { outcome: "unknown", parts: [] });
}
