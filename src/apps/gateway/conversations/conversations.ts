import { errorText } from "../../../base/kernel/error-text.ts";
import type { Clock } from "../../../base/ports/clock.ts";
import type { Ids } from "../../../base/ports/ids.ts";
import type { ConversationsStore } from "../../../base/ports/stores/conversations.ts";
import type { ConductEvent } from "../../../base/words/event.ts";
import type { Conversation, TurnRecord } from "../../../base/words/hosting/conversation.ts";
import type { User } from "../../../base/words/hosting/user.ts";
import { StoreError } from "../../../edge/stores/sql/store-error.ts";
import type { Conduct } from "../../../engine/session/conduct.ts";
import type { PersistentSession, SessionSaves } from "../../../engine/session/persistent-session.ts";
import type { IncomingMessage } from "../../../engine/session/session-options.ts";
import type { Approvals, ApprovalWord, PendingApproval } from "../agents/approvals.ts";
import { Listeners } from "../listeners.ts";
import type { HostedServers } from "../mcp/hosted-servers.ts";
import type { HostedEnd, HostedRuntime } from "../runtimes/hosted.ts";
import type { HostedCommands } from "../sandbox/hosted-commands.ts";
import { currentSender, type LiveConversation, loadConversation, useCurrentAgent } from "./live-conversation.ts";
import { StoreAwayError } from "./patient-stores.ts";
import { isOver, TurnEnds } from "./turn-ends.ts";
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
  readonly historyOf?: (session: string) => Promise<readonly ConductEvent[]>;
  /** Reports a line to the operator. */
  readonly report?: (line: string) => void;
  readonly userOf: (id: string) => Promise<User | undefined>;
};

/** Maximum queue length of a conversation. Further messages are rejected. */
const MOST_QUEUED = 20;
/** Idle conversations are removed from memory after this time; the store still has them. */
const IDLE_MS = 10 * 60_000;

/** Alone in a message, these start a new conversation. */
const RENEW = /^\s*\/(?:new|reset)\s*$/i;
const RENEWED =
  "This is a new session. The agent does not remember the earlier one, except for your instructions and notes. Limits per session start afresh; limits per day do not.";

/** A message that cannot be accepted now. The error text is shown to its sender. */
export class BusyError extends Error {}

/**
 * Hosts conversations and runs one turn at a time in each; later messages queue. Every turn is stored before it begins
 * and after it ends, so a restart finds unfinished turns and runs nothing twice.
 */
export class Conversations {
  /** Listeners for the updates of each conversation, by its id. */
  readonly updates = new Listeners<Update>();
  readonly #options: ConversationsOptions;
  readonly #live = new Map<string, Promise<LiveConversation>>();
  readonly #ends: TurnEnds;
  /** Conversations being deleted. No turn of theirs may begin. */
  readonly #leaving = new Set<string>();
  /** Ids of open turns that this process added or took over. Recovery skips them. */
  readonly #own = new Set<string>();
  #held = false;
  #closing = false;

  constructor(options: ConversationsOptions) {
    this.#options = options;
    this.#ends = new TurnEnds(options.store, options.conduct);
    // A subagent's events belong to its parent's conversation.
    options.conduct.subscribe((event) => this.updates.tell(event.parent ?? event.session, { kind: "event", event }));
    options.approvals.answerLateBy((question, word) => this.#answerLate(question, word));
    options.approvals.onAsked((approval) => this.updates.tell(approval.session, { kind: "approval", approval }));
  }

  /** Number of conversations in memory. */
  get live(): number {
    return this.#live.size;
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
    if (this.#closing) throw new BusyError("The gateway is shutting down. Send the message again in a moment.");
    if (RENEW.test(message.text)) return this.#renew(conversation, message);
    await this.#checkCommands(conversation, message);
    const live = await this.#open(conversation);
    this.#checkStays(conversation);
    if (live.queue.length + live.entering.size >= MOST_QUEUED)
      throw new BusyError(`${MOST_QUEUED} messages are already queued in this conversation. Wait for an answer.`);
    const fresh = this.#turnOf(conversation, message);
    const adding = this.#add(fresh);
    live.entering.add(adding);
    const turn = await adding.finally(() => live.entering.delete(adding));
    if (turn.id !== fresh.id) return turn;
    // The conversation was deleted while this message was being submitted. If the deletion fails, a restart must not
    // run the message, because its sender got an error.
    if (this.#leaving.has(conversation.id)) await this.#end({ ...turn, status: "cancelled" });
    this.#checkStays(conversation);
    this.updates.tell(conversation.id, { kind: "turn", turn });
    live.queue.push(turn);
    this.#pump(live);
    return turn;
  }

  /**
   * Adds a message to the running turn if the runtime supports it. Otherwise, or if the turn ends before the agent
   * reads it, the message becomes a turn of its own.
   */
  async steer(conversation: Conversation, message: IncomingMessage): Promise<TurnRecord> {
    await this.#checkCommands(conversation, message);
    const live = await this.#open(conversation);
    const { running } = live;
    const { id = "" } = message;
    if (running?.steered.has(id)) return running.turn;
    if (running !== undefined && live.hosted.steer(message)) {
      if (id !== "") running.steered.add(id);
      return running.turn;
    }
    return this.submit(conversation, message);
  }

  /** Ends the running turn and drops the queued ones. Returns the number of cancelled turns. */
  async cancel(id: string): Promise<number> {
    const live = await this.#live.get(id)?.catch(() => undefined);
    if (live === undefined) return 0;
    const waiting = live.queue.splice(0);
    for (const turn of waiting) await this.#end({ ...turn, status: "cancelled" });
    const { running } = live;
    running?.abort.abort();
    await running?.done;
    return waiting.length + (running === undefined ? 0 : 1);
  }

  /**
   * Ends a conversation's turns, allows no new ones, and then calls `rest` to delete the stored data. Can be repeated
   * after a failure.
   */
  async forget(id: string, rest: () => Promise<void>): Promise<void> {
    this.#leaving.add(id);
    try {
      const live = await this.#live.get(id)?.catch(() => undefined);
      await Promise.allSettled(live?.entering ?? []);
      await this.cancel(id);
      this.#live.delete(id);
      this.#options.approvals.forget(id);
      await live?.hosted.close();
      this.#options.conduct.sessions.release(id);
      await rest();
    } finally {
      this.#leaving.delete(id);
    }
  }

  /** Resolves when the turn has ended. */
  async ended(turn: TurnRecord): Promise<TurnRecord> {
    if (isOver(turn)) return turn;
    return new Promise((resolve, reject) => {
      const stop = this.updates.subscribe(turn.conversation, (update) => {
        if (update.kind !== "turn" || update.turn.id !== turn.id || !isOver(update.turn)) return;
        stop();
        resolve(update.turn);
      });
      // The turn may have ended before we subscribed.
      this.#options.store.turn(turn.id).then((now) => {
        if (now === undefined || !isOver(now)) return;
        stop();
        resolve(now);
      }, reject);
    });
  }

  /**
   * Immediately ends anything the user's new role does not allow: elevation during a turn, and the whole turn for
   * viewers.
   */
  async applyRole({ id: user, role }: User): Promise<void> {
    for (const [id, opening] of [...this.#live]) {
      const live = await opening.catch(() => undefined);
      const turns = [live?.running?.turn, ...(live?.queue ?? [])];
      if (live === undefined || !turns.some((turn) => turn?.sender?.user === user)) continue;
      if (role === "viewer") await this.cancel(id);
      if (role === "operator" || !live.session.modes.elevated) continue;
      live.session.local.setModes({ elevated: false });
      await live.session.flush();
    }
    if (role === "viewer") await this.#options.servers.leave(user);
  }

  /** Returns the live session, and opens it if necessary. */
  async session(conversation: Conversation): Promise<PersistentSession> {
    return (await this.#open(conversation)).session;
  }

  /** Until `release`, messages are accepted and queued, but no turn begins. */
  hold(): void {
    this.#held = true;
  }

  release(): void {
    this.#held = false;
    for (const opening of this.#live.values())
      opening.then(
        (live) => this.#pump(live),
        () => undefined,
      );
  }

  /**
   * Takes over the open turns of a process that is gone. Running turns are marked as interrupted and never run again;
   * queued turns are queued here. Turns of this process are skipped.
   */
  async recover(): Promise<{ readonly interrupted: number; readonly requeued: number }> {
    const { store } = this.#options;
    const open = (await store.openTurns()).filter(({ id }) => !this.#own.has(id));
    const interrupted = open.filter(({ status }) => status === "running");
    for (const turn of interrupted) {
      const why =
        "The gateway stopped during this turn. Nothing was repeated. Send the message again if you still need it.";
      await this.#end({ ...turn, status: "interrupted", why });
    }
    const queued = open.filter(({ status }) => status === "queued");
    for (const turn of queued) {
      const conversation = await store.read(turn.conversation);
      if (conversation !== undefined) await this.#queueAgain(conversation, turn);
    }
    return { interrupted: interrupted.length, requeued: queued.length };
  }

  /** Unloads idle conversations, and retries failed writes. */
  async sweep(): Promise<void> {
    await this.#ends.keepRest();
    const before = this.#options.clock.monotonic() - IDLE_MS;
    for (const [id, opening] of [...this.#live]) {
      const live = await opening.catch(() => undefined);
      if (live === undefined || live.running !== undefined || live.queue.length > 0 || live.lastUsed > before) continue;
      this.#live.delete(id);
      await this.#let(live);
    }
  }

  /**
   * Accepts no more messages, waits up to `graceMs` for running turns, then ends them. Queued turns stay stored for
   * the next start.
   */
  async close(graceMs = 10_000): Promise<void> {
    this.#closing = true;
    const lives = (await Promise.all([...this.#live.values()].map((opening) => opening.catch(() => undefined)))).filter(
      (live) => live !== undefined,
    );
    for (const live of lives) live.queue.length = 0;
    const running = Promise.all(lives.map(({ running }) => running?.done));
    await Promise.race([running, new Promise((resolve) => setTimeout(resolve, graceMs).unref())]);
    for (const live of lives) live.running?.abort.abort();
    await running;
    for (const live of lives) await this.#let(live);
    await this.#ends.keepRest();
    this.#live.clear();
  }

  /** Ends what runs, and starts a new conversation at the same place. Its first turn says so. */
  async #renew(old: Conversation, message: IncomingMessage): Promise<TurnRecord> {
    await this.cancel(old.id);
    const { agent, user, channel, address } = old;
    const next = await this.start({ agent, user, channel, address });
    const turn = await this.#add(this.#turnOf(next, message));
    const ended: TurnRecord = { ...turn, status: "complete", answer: RENEWED, endedAt: this.#options.clock.now() };
    await this.#end(ended);
    return ended;
  }

  /** A conversation that cannot be opened (missing agent, damaged state) must not block the others. */
  async #queueAgain(conversation: Conversation, turn: TurnRecord): Promise<void> {
    this.#own.add(turn.id);
    try {
      const live = await this.#open(conversation);
      live.queue.push(turn);
      this.#pump(live);
    } catch (error) {
      if (isStoreFailure(error)) throw error;
      await this.#end({ ...turn, status: "failed", why: errorText(error) });
    }
  }

  async #open(conversation: Conversation): Promise<LiveConversation> {
    this.#checkStays(conversation);
    const known = this.#live.get(conversation.id);
    if (known !== undefined) return known;
    const opening = loadConversation(conversation, this.#options);
    this.#live.set(conversation.id, opening);
    opening.catch(() => this.#live.delete(conversation.id));
    return opening;
  }

  #checkStays({ id }: Conversation): void {
    if (this.#leaving.has(id)) throw new BusyError("This conversation is being deleted.");
  }

  /** Throws if the conversation's user or the sender may not use an agent that runs commands. */
  #checkCommands({ agent, user }: Conversation, { sender }: Pick<IncomingMessage, "sender">): Promise<void> {
    const people = sender?.user === undefined ? [user] : [user, sender.user];
    return this.#options.commands.check(agent, people);
  }

  /** No call waits for this answer any more. The session stores it for an identical retry. */
  async #answerLate({ approval, session: id }: PendingApproval, { answer, by }: ApprovalWord): Promise<boolean> {
    const conversation = await this.#options.store.read(id);
    if (conversation === undefined) return false;
    const live = await this.#open(conversation);
    const { local } = live.session;
    const isOpen = local.openQuestions().some((open) => open.approval === approval);
    if (!isOpen && !local.alwaysAllowed().some((grant) => grant.id === approval)) return false;
    live.lastUsed = this.#options.clock.monotonic();
    await live.session.resolve(approval, answer, by);
    return true;
  }

  #pump(live: LiveConversation): void {
    if (this.#held || live.running !== undefined) return;
    const turn = live.queue.shift();
    if (turn === undefined) return;
    const abort = new AbortController();
    const done = this.#run(live, turn, abort.signal).finally(() => {
      live.running = undefined;
      live.lastUsed = this.#options.clock.monotonic();
      if (!this.#closing) this.#pump(live);
    });
    live.running = { turn, abort, done, steered: new Set() };
  }

  async #run(live: LiveConversation, queued: TurnRecord, signal: AbortSignal): Promise<void> {
    const { store } = this.#options;
    const { id } = live.conversation;
    const turn: TurnRecord = { ...queued, status: "running" };
    let end: HostedEnd;
    if (turn.sender !== undefined && (await currentSender(turn.sender, this.#options.userOf)).role === "viewer")
      return this.#end({ ...turn, status: "cancelled", why: "You have read-only access now, so this was not run." });
    try {
      // Checked again, because the agent or a role may have changed while the turn was queued.
      await this.#checkCommands(live.conversation, turn);
      await store.updateTurn(turn);
      this.updates.tell(id, { kind: "turn", turn });
      await useCurrentAgent(live, this.#options);
      const { text, messageId, sender, quotedLines } = turn;
      end = await live.hosted.prompt(
        { text, id: messageId, sender, quotedLines },
        { signal, onText: (delta) => this.updates.tell(id, { kind: "text", turn: turn.id, delta }) },
      );
    } catch (error) {
      end = { status: "failed", text: "", why: errorText(error), notes: [] };
    }
    // The answer is valid even if the state cannot be saved.
    await live.session.flush();
    for (const text of end.notes) this.updates.tell(id, { kind: "note", turn: turn.id, text });
    const { status, why } = end;
    const text = live.notice === undefined ? end.text : `${live.notice}\n\n${end.text}`.trim();
    live.notice = undefined;
    await this.#end({ ...turn, status, answer: text, why });
    await this.#hearLater(live, turn, end);
  }

  /** Steered messages that the agent never read are queued before all other turns, or cancelled with the turn. */
  async #hearLater(live: LiveConversation, { id }: TurnRecord, { status, unheard = [] }: HostedEnd): Promise<void> {
    const later: TurnRecord[] = [];
    for (const message of unheard) {
      const turn = this.#turnOf(live.conversation, message);
      try {
        if ((await this.#add(turn)).id !== turn.id) continue;
      } catch (error) {
        const text = `The agent did not read this message, and it could not be saved (${errorText(error)}): ${turn.text}`;
        this.updates.tell(turn.conversation, { kind: "note", turn: id, text });
        continue;
      }
      if (status === "cancelled") await this.#end({ ...turn, status });
      else later.push(turn);
    }
    for (const turn of later) this.updates.tell(turn.conversation, { kind: "turn", turn });
    live.queue.unshift(...later);
  }

  #turnOf({ id: conversation }: Conversation, { id: messageId, ...message }: IncomingMessage): TurnRecord {
    const { ids, clock } = this.#options;
    return { id: ids.next("t"), conversation, ...message, messageId, at: clock.now(), status: "queued" };
  }

  /** The turn counts as this process's own even before it is stored. */
  async #add(turn: TurnRecord): Promise<TurnRecord> {
    this.#own.add(turn.id);
    try {
      const added = await this.#options.store.addTurn(turn);
      if (added.id !== turn.id) this.#own.delete(turn.id);
      return added;
    } catch (error) {
      this.#own.delete(turn.id);
      throw error;
    }
  }

  /** Notifies the person even if the store cannot be written. */
  async #end(turn: TurnRecord): Promise<void> {
    this.#own.delete(turn.id);
    const ended = { ...turn, endedAt: this.#options.clock.now() };
    await this.#ends.keep(ended);
    this.updates.tell(turn.conversation, { kind: "turn", turn: ended });
  }

  async #let(live: LiveConversation): Promise<void> {
    await live.hosted.close();
    await live.session.close();
    this.#options.conduct.sessions.release(live.session.id);
  }
}

/** Whether the error affects the whole store and not only one damaged session. */
function isStoreFailure(error: unknown): boolean {
  return error instanceof StoreAwayError || (error instanceof StoreError && error.code !== "STORE_DAMAGED");
}
