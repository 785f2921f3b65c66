import type { Clock } from "../../../base/ports/clock.ts";
import type { ConversationsStore } from "../../../base/ports/stores/conversations.ts";
import type { UsersStore } from "../../../base/ports/stores/users.ts";
import type { Conversation, TurnRecord } from "../../../base/words/hosting/conversation.ts";
import type { User } from "../../../base/words/hosting/user.ts";
import type { Conversations } from "../conversations/conversations.ts";

/** What chat services have in common: who writes, in which conversation, and what is answered. */

/**
 * The gateway's user of a chat account. Adds operators of conduct.yaml, and others if strangers are welcome. Returns
 * undefined for a stranger who is refused.
 */
export async function personOf(
  draft: Omit<User, "role" | "at">,
  isOperator: boolean,
  find: () => Promise<User | undefined>,
  {
    users,
    strangers,
    clock,
  }: { readonly users: UsersStore; readonly strangers: "refuse" | "welcome"; readonly clock: Pick<Clock, "now"> },
): Promise<User | undefined> {
  const known = await find();
  if (known !== undefined || (!isOperator && strangers === "refuse")) return known;
  const name = draft.name.slice(0, 100);
  const user: User = { ...draft, name, role: isOperator ? "operator" : "user", at: clock.now() };
  // Of two concurrent messages only one adds the user. An account that an operator unlinked is not linked again.
  return (await users.add(user)) === "added" ? user : find();
}

/**
 * The conversation of a chat. That of a group belongs to the group, so no member's instructions are used there. Another
 * agent starts a new one.
 */
export async function conversationAt(
  { channel, address, owner }: { readonly channel: string; readonly address: string; readonly owner: string },
  {
    store,
    conversations,
    agent,
  }: { readonly store: ConversationsStore; readonly conversations: Conversations; readonly agent: () => string },
): Promise<Conversation> {
  const known = await store.at(channel, address);
  if (known !== undefined && known.agent === agent()) return known;
  return conversations.start({ agent: agent(), user: owner, channel, address });
}

/** Waits for the end of a turn. Resolves to the text for its chat, which may be empty. */
export async function answerOf(
  turn: TurnRecord,
  conversations: Pick<Conversations, "updates" | "ended">,
): Promise<string> {
  const notes: string[] = [];
  const stop = conversations.updates.subscribe(turn.conversation, (update) => {
    if (update.kind === "note" && update.turn === turn.id) notes.push(update.text);
  });
  try {
    const ended = await conversations.ended(turn);
    const parts = [ended.answer, ...notes, endOf(ended)];
    return parts.filter((part) => part !== undefined && part.trim() !== "").join("\n\n");
  } finally {
    stop();
  }
}

function endOf({ status, why }: TurnRecord): string | undefined {
  switch (status) {
    case "failed":
      return `That failed: ${why ?? "unknown"}.`;
    case "interrupted":
      return why;
    case "incomplete":
    case "bypassed":
    case "ended-by-policy":
      return `(ended ${status}${why === undefined ? "" : `: ${why}`})`;
    default:
      return undefined;
  }
}
