import { errorText } from "../../../base/kernel/error-text.ts";
import type { Sender } from "../../../base/words/hosting/channel.ts";
import type { Conversation, TurnRecord } from "../../../base/words/hosting/conversation.ts";
import type { User } from "../../../base/words/hosting/user.ts";
import { StoreError } from "../../../edge/stores/sql/store-error.ts";
import type { Session } from "../../../engine/moments/session.ts";
import type { ApprovalWord, PendingApproval } from "../agents/approvals.ts";
import type { HostedEnd, HostedMessage } from "../runtimes/hosted.ts";
import type { ConversationsOptions } from "./conversations-options.ts";
import { currentSender } from "./current-sender.ts";
import { type LiveConversation, loadConversation } from "./live-conversation.ts";
import { StoreAwayError } from "./patient-stores.ts";
import { isOver, TurnEnds } from "./turn-ends.ts";
import { Updates } from "./updates.ts";

/** A message for an agent, as its channel knows it. */
export type GatewayMessage = HostedMessage & { readonly sender: Sender };

/** Waiting messages of one conversation; who sends more is told to wait. */
const MOST_QUEUED = 20;
/** Conversations that nobody used for so long leave the memory; the store has them. */
const IDLE_MS = 10 * 60_000;

/** A message that cannot be taken now, in words for its sender. */
export class BusyError extends Error {}

/**
 * The conversations that the gateway hosts. One turn at a time in each; later messages wait. Every turn is in the store before
 * it begins and after it ends, so that a restart finds what was under way and runs nothing twice.
 */
export class Conversations {
  readonly updates = new Updates();
  readonly #options: ConversationsOptions;
  readonly #live = new Map<string, Promise<LiveConversation>>();
  readonly #ends: TurnEnds;
  /** Being deleted: nothing of these begins any more. */
  readonly #leaving = new Set<string>();
  /** Ids of the open turns that this process has added or taken over: recovery leaves them alone. */
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

  /** How many are in memory. */
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

  /** Takes a message in: its turn is kept, and begins when those before it are over. The same message id twice is one turn. */
  async submit(conversation: Conversation, message: GatewayMessage): Promise<TurnRecord> {
    if (this.#closing) throw new BusyError("The gateway is shutting down: send it again in a moment.");
    await this.#checkCommands(conversation, message);
    const live = await this.#open(conversation);
    this.#checkStays(conversation);
    if (live.queue.length + live.entering.size >= MOST_QUEUED)
      throw new BusyError(`${MOST_QUEUED} messages are waiting in this conversation already: wait for an answer.`);
    const fresh = this.#turnOf(conversation, message);
    const adding = this.#add(fresh);
    live.entering.add(adding);
    const turn = await adding.finally(() => live.entering.delete(adding));
    if (turn.id !== fresh.id) return turn;
    // It was on its way in when the conversation was deleted: should that fail, a restart must not run what its sender was refused.
    if (this.#leaving.has(conversation.id)) await this.#end({ ...turn, status: "cancelled" });
    this.#checkStays(conversation);
    this.updates.tell(conversation.id, { kind: "turn", turn });
    live.queue.push(turn);
    this.#pump(live);
    return turn;
  }

  /** Gives the running turn a further message where the runtime can; else, or where that turn ends before it is heard, it is a turn of its own. */
  async steer(conversation: Conversation, message: GatewayMessage): Promise<TurnRecord> {
    await this.#checkCommands(conversation, message);
    const live = await this.#open(conversation);
    const { running } = live;
    const { messageId = "" } = message;
    if (running?.steered.has(messageId)) return running.turn;
    if (running !== undefined && live.hosted.steer(message)) {
      if (messageId !== "") running.steered.add(messageId);
      return running.turn;
    }
    return this.submit(conversation, message);
  }

  /** Ends the running turn and drops those that wait. Gives how many that were. */
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
   * Lets a conversation go that is deleted: what runs is ended and nothing of it begins any more; then `rest` takes away what is kept
   * of it. Where that fails it can be done again.
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
      this.#options.conduct.release(id);
      await rest();
      this.#options.states.release(id);
    } finally {
      this.#leaving.delete(id);
    }
  }

  /** Resolves when the turn is over. */
  async ended(turn: TurnRecord): Promise<TurnRecord> {
    if (isOver(turn)) return turn;
    return new Promise((resolve, reject) => {
      const stop = this.updates.subscribe(turn.conversation, (update) => {
        if (update.kind !== "turn" || update.turn.id !== turn.id || !isOver(update.turn)) return;
        stop();
        resolve(update.turn);
      });
      // It may have ended before we listened.
      this.#options.store.turn(turn.id).then((now) => {
        if (now === undefined || !isOver(now)) return;
        stop();
        resolve(now);
      }, reject);
    });
  }

  /** Ends at once what a user's role no longer allows: an elevation in the middle of a turn, and for viewers the turn. */
  async applyRole({ id: user, role }: User): Promise<void> {
    for (const [id, opening] of [...this.#live]) {
      const live = await opening.catch(() => undefined);
      const turns = [live?.running?.turn, ...(live?.queue ?? [])];
      if (live === undefined || !turns.some((turn) => turn?.sender?.user === user)) continue;
      if (role === "viewer") await this.cancel(id);
      if (role === "operator" || !live.session.view.modes.elevated) continue;
      live.session.setModes({ elevated: false });
      await live.state.keepOrTell();
    }
  }

  /** The live session, opened where it is not. */
  async session(conversation: Conversation): Promise<Session> {
    return (await this.#open(conversation)).session;
  }

  /** Messages are accepted and queued, and no turn begins until `release`. */
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
   * Takes over the open turns of a process that is gone. Those that were running are marked as interrupted and never run again;
   * those that were queued are queued here. Turns of this process are left alone.
   */
  async recover(): Promise<{ readonly interrupted: number; readonly requeued: number }> {
    const { store } = this.#options;
    const open = (await store.openTurns()).filter(({ id }) => !this.#own.has(id));
    const interrupted = open.filter(({ status }) => status === "running");
    for (const turn of interrupted) {
      const why = "The gateway ended in the middle of this. Nothing was repeated; say it again if it is still wanted.";
      await this.#end({ ...turn, status: "interrupted", why });
    }
    const queued = open.filter(({ status }) => status === "queued");
    for (const turn of queued) {
      const conversation = await store.read(turn.conversation);
      if (conversation !== undefined) await this.#queueAgain(conversation, turn);
    }
    return { interrupted: interrupted.length, requeued: queued.length };
  }

  /** Lets those go that nobody has used for a while, and tries again to keep what the store did not take. */
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

  /** Takes no more messages, waits for the running turns up to `graceMs`, then ends them; what waits is kept for the next start. */
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

  /** A conversation that cannot be opened, because its agent is gone or its state is damaged, must not keep the others waiting. */
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

  /** Throws where the conversation's user or the sender may not use an agent that runs commands. */
  #checkCommands({ agent, user }: Conversation, { sender }: HostedMessage): Promise<void> {
    const people = sender?.user === undefined ? [user] : [user, sender.user];
    return this.#options.commands.check(agent, people);
  }

  /** No call waits for this answer any more: the session hears it, and it is kept there for an identical retry. */
  async #answerLate({ approval, session: id }: PendingApproval, { answer, by }: ApprovalWord): Promise<boolean> {
    const conversation = await this.#options.store.read(id);
    if (conversation === undefined) return false;
    const live = await this.#open(conversation);
    if (!live.session.openQuestions().some((open) => open.approval === approval)) return false;
    live.session.resolve(approval, answer, by);
    live.lastUsed = this.#options.clock.monotonic();
    await live.state.keepOrTell();
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
      // Again: the agent, or somebody's role, may have changed while the turn was waiting.
      await this.#checkCommands(live.conversation, turn);
      await store.updateTurn(turn);
      this.updates.tell(id, { kind: "turn", turn });
      end = await live.hosted.prompt({
        text: turn.text,
        ...(turn.messageId === undefined ? {} : { messageId: turn.messageId }),
        ...(turn.sender === undefined ? {} : { sender: turn.sender }),
        ...(turn.quotedLines === undefined ? {} : { quotedLines: turn.quotedLines }),
        signal,
        onText: (delta) => this.updates.tell(id, { kind: "text", turn: turn.id, delta }),
      });
    } catch (error) {
      end = { status: "failed", text: "", why: errorText(error), notes: [] };
    }
    // The answer stands whether or not the state can be kept.
    await live.state.keepOrTell();
    for (const text of end.notes) this.updates.tell(id, { kind: "note", turn: turn.id, text });
    const { status, why } = end;
    const text = live.notice === undefined ? end.text : `${live.notice}\n\n${end.text}`.trim();
    live.notice = undefined;
    await this.#end({ ...turn, status, answer: text, ...(why === undefined ? {} : { why }) });
    await this.#hearLater(live, turn, end);
  }

  /** What was steered into a turn and never heard comes before all that waits; who cancelled the turn has cancelled it too. */
  async #hearLater(live: LiveConversation, { id }: TurnRecord, { status, unheard = [] }: HostedEnd): Promise<void> {
    const later: TurnRecord[] = [];
    for (const message of unheard) {
      const turn = this.#turnOf(live.conversation, message);
      try {
        if ((await this.#add(turn)).id !== turn.id) continue;
      } catch (error) {
        const text = `This was not heard any more, and could not be kept (${errorText(error)}): ${turn.text}`;
        this.updates.tell(turn.conversation, { kind: "note", turn: id, text });
        continue;
      }
      if (status === "cancelled") await this.#end({ ...turn, status });
      else later.push(turn);
    }
    for (const turn of later) this.updates.tell(turn.conversation, { kind: "turn", turn });
    live.queue.unshift(...later);
  }

  #turnOf({ id: conversation }: Conversation, message: HostedMessage): TurnRecord {
    const { ids, clock } = this.#options;
    return { id: ids.next("t"), conversation, ...message, at: clock.now(), status: "queued" };
  }

  /** From before it is in the store, a turn counts as this process's own. */
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

  /** The person is told even where the store cannot be written: what happened has happened. */
  async #end(turn: TurnRecord): Promise<void> {
    this.#own.delete(turn.id);
    const ended = { ...turn, endedAt: this.#options.clock.now() };
    await this.#ends.keep(ended);
    this.updates.tell(turn.conversation, { kind: "turn", turn: ended });
  }

  async #let(live: LiveConversation): Promise<void> {
    await live.hosted.close();
    await live.state.keepOrTell();
    this.#options.states.release(live.session.id);
    this.#options.conduct.release(live.session.id);
  }
}

/** Does it concern the whole store, and not just one damaged session? */
function isStoreFailure(error: unknown): boolean {
  return error instanceof StoreAwayError || (error instanceof StoreError && error.code !== "STORE_DAMAGED");
}
