import type { ConversationsStore } from "../../base/ports/stores/conversations.ts";
import type { Conversation, TranscriptEntry, TurnRecord } from "../../base/words/hosting/conversation.ts";

/** Conversations that end with the process. */
export function memoryConversations(): ConversationsStore {
  const conversations = new Map<string, Conversation>();
  const transcripts = new Map<string, TranscriptEntry[]>();
  const turns = new Map<string, TurnRecord>();
  const newestFirst = () => [...conversations.values()].sort((a, b) => b.lastAt - a.lastAt || (a.id < b.id ? 1 : -1));
  const turnsOf = (conversation: string) => [...turns.values()].filter((turn) => turn.conversation === conversation);

  return {
    async create(conversation) {
      if (conversations.has(conversation.id)) throw new Error(`conversation '${conversation.id}' is there already`);
      conversations.set(conversation.id, conversation);
    },
    read: async (id) => conversations.get(id),
    at: async (channel, address) => newestFirst().find((one) => one.channel === channel && one.address === address),
    list: async ({ user, agent, channel, before = Number.POSITIVE_INFINITY, limit }) => {
      const asked = newestFirst()
        .filter((one) => user === undefined || one.user === user)
        .filter((one) => agent === undefined || one.agent === agent)
        .filter((one) => channel === undefined || one.channel === channel)
        .filter((one) => one.lastAt < before);
      const last = asked[limit - 1]?.lastAt;
      return asked.filter((one, at) => at < limit || one.lastAt === last);
    },
    async append(conversation, after, entries) {
      const kept = transcripts.get(conversation) ?? [];
      if (kept.length !== after) return false;
      const fresh = entries.map((entry, at) => ({ seq: after + at + 1, entry: structuredClone(entry) }));
      transcripts.set(conversation, [...kept, ...fresh]);
      return true;
    },
    transcript: async (conversation) => transcripts.get(conversation) ?? [],
    async addTurn(turn) {
      const { conversation, messageId } = turn;
      const same = messageId === undefined ? [] : turnsOf(conversation).filter((one) => one.messageId === messageId);
      if (same[0] !== undefined) return same[0];
      turns.set(turn.id, turn);
      touch(turn);
      return turn;
    },
    async updateTurn(turn) {
      const before = turns.get(turn.id);
      if (before === undefined) throw new Error(`there is no turn '${turn.id}'`);
      if (before.status !== "queued" && before.status !== "running") return false;
      turns.set(turn.id, turn);
      touch(turn);
      return true;
    },
    turn: async (id) => turns.get(id),
    turns: async ({ conversation, before = Number.POSITIVE_INFINITY, limit }) => {
      const asked = turnsOf(conversation)
        .filter(({ at }) => at < before)
        .sort((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1));
      const last = asked[limit - 1]?.at;
      return asked.filter((one, index) => index < limit || one.at === last);
    },
    openTurns: async () =>
      [...turns.values()]
        .filter(({ status }) => status === "queued" || status === "running")
        .sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1)),
    async remove(id) {
      for (const turn of turnsOf(id)) turns.delete(turn.id);
      transcripts.delete(id);
      conversations.delete(id);
    },
  };

  function touch({ conversation, at, endedAt = at }: TurnRecord): void {
    const known = conversations.get(conversation);
    if (known !== undefined) conversations.set(conversation, { ...known, lastAt: Math.max(known.lastAt, endedAt) });
  }
}
