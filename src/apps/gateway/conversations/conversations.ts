import type { Clock } from "../../../base/ports/clock.ts";
import type { Ids } from "../../../base/ports/ids.ts";
import type { ConversationsStore } from "../../../base/ports/stores/conversations.ts";
import type { ConductEvent } from "../../../base/words/event.ts";
import type { Conversation, TurnRecord } from "../../../base/words/hosting/conversation.ts";
import type { User } from "../../../base/words/hosting/user.ts";
import type { Conduct } from "../../../engine/session/conduct.ts";
import type { PersistentSession, SessionSaves } from "../../../engine/session/persistent-session.ts";
import type { IncomingMessage } from "../../../engine/session/session-options.ts";
import type { Approvals } from "../agents/approvals.ts";
import type { Listeners } from "../listeners.ts";
import type { HostedServers } from "../mcp/hosted-servers.ts";
import { type Ownership, SOLE_OWNER } from "../replicas/ownership.ts";
import type { HostedRuntime } from "../runtimes/hosted.ts";
import type { HostedCommands } from "../sandbox/hosted-commands.ts";
import type { Act, ActResults } from "./acts.ts";
import { ConversationActs } from "./conversation-acts.ts";
import type { LiveConversation } from "./live-conversation.ts";
import { LiveConversations } from "./live-conversations.ts";
import { Recovery } from "./recovery.ts";
import { BusyError, Turns } from "./turns.ts";
import type { Update } from "./updates.ts";

export type ConversationsOptions = {
  readonly conduct: Conduct;
  readonly store: ConversationsStore;
  /** Stores the state of sessions. */
  readonly sessions: SessionSaves["store"];
  readonly approvals: Approvals;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly runtimeOf: (agent: string) => HostedRuntime;
  /** Returns the working folder of a conversation's tools, and creates it if missing. */
  readonly workspaceOf: (conversation: Conversation) => Promise<string>;
  /** Runs the agents' commands, and checks who may use an agent that runs commands. */
  readonly commands: Pick<HostedCommands, "check" | "of">;
  readonly servers: Pick<HostedServers, "of" | "leave">;
  /** Returns all known events of a session, to recover one whose state is damaged. */
  readonly historyOf: (session: string) => Promise<readonly ConductEvent[]>;
  /** Reports a line to the operator. */
  readonly report: (line: string) => void;
  readonly userOf: (id: string) => Promise<User | undefined>;
  /** Other gateways on the same store; none by default. */
  readonly ownership?: Ownership;
};

/** Maximum queue length of a conversation. Further messages are rejected. */
const MOST_QUEUED = 20;

/** Alone in a message, these start a new conversation. */
const RENEW = /^\s*\/(?:new|reset)\s*$/i;
const RENEWED =
  "This is a new session. The agent does not remember the earlier one, except for your instructions and notes. Limits per session start afresh; limits per day do not.";

/**
 * Hosts conversations and runs one turn at a time in each; later messages queue. Every turn is stored before it begins
 * and after it ends, so a restart finds unfinished turns and runs nothing twice. On a shared store any replica accepts
 * a message, and the one that owns the conversation runs it.
 */
export class Conversations {
  readonly turns: Turns;
  readonly acts: ConversationActs;
  readonly recovery: Recovery;
  readonly #options: ConversationsOptions;
  readonly #ownership: Ownership;
  readonly #lives: LiveConversations;

  constructor(options: ConversationsOptions) {
    this.#options = options;
    this.#ownership = options.ownership ?? SOLE_OWNER;
    this.#lives = new LiveConversations(options, this.#ownership);
    this.turns = new Turns(options, this.#ownership);
    this.acts = new ConversationActs(options, this.#ownership, this.#lives, this.turns);
    this.recovery = new Recovery(options, this.#ownership, this.#lives, this.turns);
    // A subagent's events belong to its parent's conversation.
    options.conduct.subscribe((event) => this.turns.tell(event.parent ?? event.session, { kind: "event", event }));
    options.approvals.deliverBy(async ({ approval, session }, { answer, by }) => {
      const conversation = await options.store.read(session);
      return conversation !== undefined && this.act(conversation, { kind: "answer", approval, answer, by });
    });
    options.approvals.onAsked((approval) => this.turns.tell(approval.session, { kind: "approval", approval }));
  }

  /** Listeners for the updates of each conversation, by its id. */
  get updates(): Listeners<Update> {
    return this.turns.updates;
  }

  /** Number of conversations in memory. */
  get live(): number {
    return this.#lives.size;
  }

  async start(input: Omit<Conversation, "id" | "at" | "lastAt">): Promise<Conversation> {
    const { ids, clock, store, commands } = this.#options;
    await commands.check(input.agent, [input.user]);
    const now = clock.now();
    const conversation = { ...input, id: ids.next("s"), at: now, lastAt: now };
    await store.create(conversation);
    return conversation;
  }

  /** Stores a message as a queued turn; `/new` and `/reset` return a turn of a new conversation. Submitting the same message id twice creates one turn. */
  async submit(conversation: Conversation, message: IncomingMessage): Promise<TurnRecord> {
    if (this.turns.isClosing) throw new BusyError("The gateway is shutting down. Send the message again in a moment.");
    if (RENEW.test(message.text)) return this.#renew(conversation, message);
    await this.turns.checkCommands(conversation, message);
    this.turns.checkStays(conversation);
    const used = await this.#lives.use(conversation, (live) => this.#submitHere(live, message));
    if (used.kind === "here") return used.value;
    await this.#checkStored(conversation);
    const fresh = this.turns.turnOf(conversation, message);
    const turn = await this.turns.add(fresh);
    if (turn.id !== fresh.id) return turn;
    this.turns.tell(conversation.id, { kind: "turn", turn });
    await this.#ownership.post(used.replica, conversation.id, { kind: "look" } satisfies Act);
    return turn;
  }

  async #submitHere(live: LiveConversation, message: IncomingMessage): Promise<TurnRecord> {
    const { conversation } = live;
    const { isShared } = this.#ownership;
    this.turns.checkStays(conversation);
    if (isShared) await this.#checkStored(conversation);
    else if (live.queue.length + live.entering.size >= MOST_QUEUED) throw tooManyQueued();
    const fresh = this.turns.turnOf(conversation, message);
    const adding = this.turns.add(fresh);
    live.entering.add(adding);
    const turn = await adding.finally(() => live.entering.delete(adding));
    if (turn.id !== fresh.id) return turn;
    // The conversation was deleted while this message was being submitted. If the deletion fails, a restart must not
    // run the message, because its sender got an error.
    if (this.turns.leaving.has(conversation.id)) await this.turns.end({ ...turn, status: "cancelled" });
    this.turns.checkStays(conversation);
    this.turns.tell(conversation.id, { kind: "turn", turn });
    if (!isShared) live.queue.push(turn);
    this.turns.advance(live);
    return turn;
  }

  async #checkStored({ id }: Conversation): Promise<void> {
    const open = await this.#options.store.openTurns(id);
    if (open.filter(({ status }) => status === "queued").length >= MOST_QUEUED) throw tooManyQueued();
  }

  /**
   * Adds a message to the running turn if the runtime supports it. Otherwise, or if the turn ends before the agent
   * reads it, the message becomes a turn of its own.
   */
  async steer(conversation: Conversation, message: IncomingMessage): Promise<TurnRecord> {
    await this.turns.checkCommands(conversation, message);
    return (await this.act(conversation, { kind: "steer", message })) ?? this.submit(conversation, message);
  }

  /** Performs an act at the owner of the conversation. */
  act<A extends Act>(conversation: Conversation, act: A): Promise<ActResults[A["kind"]]> {
    return this.acts.act(conversation, act);
  }

  /** Resolves when the turn has ended. */
  ended(turn: TurnRecord): Promise<TurnRecord> {
    return this.turns.ended(turn);
  }

  /** Ends the running turn and drops the queued ones. Returns the number of cancelled turns. */
  async cancel(id: string): Promise<number> {
    if (!this.#ownership.isShared) {
      const live = await this.#lives.find(id);
      return live === undefined ? 0 : this.acts.cancelHere(live);
    }
    const conversation = await this.#options.store.read(id);
    return conversation === undefined ? 0 : this.act(conversation, { kind: "cancel" });
  }

  /**
   * Immediately ends anything in this process that the user's new role does not allow: elevation during a turn, and the
   * whole turn for viewers.
   */
  async applyRole({ id: user, role }: User): Promise<void> {
    for (const live of await this.#lives.all()) {
      const turns = [live.running?.turn, ...live.queue];
      if (!turns.some((turn) => turn?.sender?.user === user)) continue;
      if (role === "viewer") await this.acts.cancelHere(live);
      if (role === "operator" || !live.session.modes.elevated) continue;
      live.session.local.setModes({ elevated: false });
      await live.session.flush();
    }
    if (role === "viewer") await this.#options.servers.leave(user);
  }

  /** Returns the session in memory, and loads it if necessary. */
  async session(conversation: Conversation): Promise<PersistentSession> {
    const used = await this.#lives.use(conversation, ({ session }) => session);
    if (used.kind === "there") throw new BusyError("Another replica owns this conversation.");
    return used.value;
  }

  /** Until `release`, messages are accepted and queued, but no turn begins. */
  hold(): void {
    this.turns.isHeld = true;
  }

  release(): void {
    this.turns.isHeld = false;
    void this.#lives.all().then((all) => {
      for (const live of all) this.turns.pump(live);
    });
  }

  /** Unloads idle conversations, and retries failed writes. */
  async sweep(): Promise<void> {
    await this.turns.ends.keepRest();
    await this.#lives.sweep(this.#options.clock);
  }

  /**
   * Accepts no more messages, waits up to `graceMs` for running turns, then ends them. Queued turns stay stored for
   * the next start or for other replicas.
   */
  async close(graceMs = 10_000): Promise<void> {
    this.turns.isClosing = true;
    const lives = await this.#lives.all();
    for (const live of lives) live.queue.length = 0;
    const running = Promise.all(lives.map(({ running }) => running?.done));
    await Promise.race([running, new Promise((resolve) => setTimeout(resolve, graceMs).unref())]);
    for (const live of lives) live.running?.abort.abort();
    await running;
    for (const live of lives) await this.#lives.close(live);
    await this.turns.ends.keepRest();
  }

  /** Ends what runs, and starts a new conversation at the same place. Its first turn says so. */
  async #renew(old: Conversation, message: IncomingMessage): Promise<TurnRecord> {
    await this.cancel(old.id);
    const { agent, user, channel, address } = old;
    const next = await this.start({ agent, user, channel, address });
    const hold = await this.#ownership.take(next.id);
    if (hold.kind === "theirs") throw new BusyError("The new conversation is busy. Send the message again.");
    try {
      const turn = await this.turns.add(this.turns.turnOf(next, message));
      const ended: TurnRecord = { ...turn, status: "complete", answer: RENEWED, endedAt: this.#options.clock.now() };
      await this.turns.end(ended);
      return ended;
    } finally {
      await hold.give();
    }
  }
}

function tooManyQueued(): BusyError {
  return new BusyError(`${MOST_QUEUED} messages are already queued in this conversation. Wait for an answer.`);
}
