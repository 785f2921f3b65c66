import { errorText } from "../../../base/kernel/error-text.ts";
import type { Conversation, TurnRecord } from "../../../base/words/hosting/conversation.ts";
import type { IncomingMessage } from "../../../engine/session/session-options.ts";
import { Listeners } from "../listeners.ts";
import type { Ownership } from "../replicas/ownership.ts";
import type { HostedEnd } from "../runtimes/hosted.ts";
import type { ConversationsOptions } from "./conversations.ts";
import { currentSender, type LiveConversation, TAKEN_OVER, useCurrentAgent } from "./live-conversation.ts";
import { INTERRUPTED, isLeaseLost, isOver, TurnEnds } from "./turn-ends.ts";
import type { Update } from "./updates.ts";

/** How often a waiting request reads its turn again: the notice of another replica may be lost. */
const REREAD_MS = 1_000;

/** A message that cannot be accepted now. The error text is shown to its sender. */
export class BusyError extends Error {}

/** Runs the turns of conversations that this process owns, one at a time in each, and stores how they end. */
export class Turns {
  /** Listeners for the updates of each conversation, by its id. */
  readonly updates = new Listeners<Update>();
  /** The same, without the updates of other replicas. */
  readonly ownUpdates = new Listeners<Update>();
  /** Conversations being deleted. No turn of theirs may begin. */
  readonly leaving = new Set<string>();
  /** Ids of open turns that this process added or took over. Recovery skips them. */
  readonly own = new Set<string>();
  readonly ends: TurnEnds;
  /** While true, messages are accepted and queued, but no turn begins. */
  isHeld = false;
  isClosing = false;
  readonly #options: ConversationsOptions;
  readonly #ownership: Ownership;
  readonly #running = new Set<AbortController>();

  constructor(options: ConversationsOptions, ownership: Ownership) {
    this.#options = options;
    this.#ownership = ownership;
    this.ends = new TurnEnds(options.store, options.conduct);
  }

  /** Number of turns that run in this process. */
  get running(): number {
    return this.#running.size;
  }

  /** Resolves when the turn has ended. */
  async ended(turn: TurnRecord): Promise<TurnRecord> {
    if (isOver(turn)) return turn;
    const { store } = this.#options;
    return new Promise((resolve, reject) => {
      const finish = (settle: () => void) => {
        stop();
        clearInterval(rereading);
        settle();
      };
      const reread = (onError: (error: unknown) => void) =>
        store.turn(turn.id).then((now) => {
          if (now !== undefined && isOver(now)) finish(() => resolve(now));
        }, onError);
      const stop = this.updates.subscribe(turn.conversation, (update) => {
        if (update.kind === "turn" && update.turn.id === turn.id && isOver(update.turn))
          finish(() => resolve(update.turn));
      });
      const rereading = this.#ownership.isShared
        ? setInterval(() => void reread(() => undefined), REREAD_MS).unref()
        : undefined;
      // The turn may have ended before we subscribed.
      void reread((error) => finish(() => reject(error)));
    });
  }

  checkStays({ id }: Conversation): void {
    if (this.leaving.has(id)) throw new BusyError("This conversation is being deleted.");
  }

  /** Throws if the conversation's user or the sender may not use an agent that runs commands. */
  checkCommands({ agent, user }: Conversation, { sender }: Pick<IncomingMessage, "sender">): Promise<void> {
    const people = sender?.user === undefined ? [user] : [user, sender.user];
    return this.#options.commands.check(agent, people);
  }

  turnOf({ id: conversation }: Conversation, { id: messageId, ...message }: IncomingMessage): TurnRecord {
    const { ids, clock } = this.#options;
    return { id: ids.next("t"), conversation, ...message, messageId, at: clock.now(), status: "queued" };
  }

  /** The turn counts as this process's own even before it is stored. */
  async add(turn: TurnRecord): Promise<TurnRecord> {
    this.own.add(turn.id);
    try {
      const added = await this.#options.store.addTurn(turn);
      if (added.id !== turn.id) this.own.delete(turn.id);
      return added;
    } catch (error) {
      this.own.delete(turn.id);
      throw error;
    }
  }

  /**
   * Notifies the person even if the store cannot be written, unless another replica has decided about the turn. `saved`
   * is stored at the same time. If nothing could be stored, the turn has failed.
   */
  async end(turn: TurnRecord, saved?: Promise<unknown>): Promise<void> {
    this.own.delete(turn.id);
    let ended = { ...turn, endedAt: this.#options.clock.now() };
    const saving = saved?.then(() => undefined, errorText);
    // On a shared store callers are answered as soon as the end of the turn is stored.
    if (this.#ownership.isShared) await saving;
    const [kept, fault] = await Promise.all([this.ends.keep(ended), saving]);
    if (kept === "lost") return;
    if (fault !== undefined && kept === "owed") {
      ended = { ...ended, status: "failed", why: fault };
      this.ends.owe(ended);
    } else if (fault !== undefined) this.ends.report(ended, "transcript-not-kept", fault);
    this.tell(turn.conversation, { kind: "turn", turn: ended });
  }

  tell(conversation: string, update: Update): void {
    this.updates.tell(conversation, update);
    this.ownUpdates.tell(conversation, update);
  }

  /** Starts the next turn if none runs. The caller owns the conversation. */
  advance(live: LiveConversation): void {
    if (live.isDropped) return;
    if (!this.#ownership.isShared) {
      this.pump(live);
      return;
    }
    const { id } = live.conversation;
    const give = this.#ownership.keep(id);
    this.alone(live, () => this.pump(live))
      // The lease then ends, and a replica that reaches the store takes the conversation again.
      .catch((error: unknown) => this.#options.report(`session ${id}: ${errorText(error)}`))
      .finally(give);
  }

  /** Runs `work` on the current queue of a conversation, one after the other. */
  alone<T>(live: LiveConversation, work: () => T | Promise<T>): Promise<T> {
    if (!this.#ownership.isShared) return Promise.resolve(work());
    const done = live.changing.then(async () => {
      await this.#readQueue(live);
      return work();
    });
    live.changing = done.catch(() => undefined);
    return done;
  }

  /** Reads the queue of a shared store. Its owner is gone if a turn runs that is not ours: the turn was interrupted. */
  async #readQueue(live: LiveConversation): Promise<void> {
    const isOurs = ({ id }: TurnRecord) => live.running?.turn.id === id || this.ends.has(id);
    const open = (await this.#options.store.openTurns(live.conversation.id)).filter((turn) => !isOurs(turn));
    for (const turn of open)
      if (turn.status === "running") await this.end({ ...turn, status: "interrupted", why: INTERRUPTED });
    const queued = open.filter(({ status }) => status === "queued");
    const isFirst = ({ id }: TurnRecord) => live.first.has(id);
    live.queue.splice(
      0,
      Number.POSITIVE_INFINITY,
      ...queued.filter(isFirst),
      ...queued.filter((turn) => !isFirst(turn)),
    );
  }

  pump(live: LiveConversation): void {
    if (this.isHeld || this.isClosing || live.isDropped || live.running !== undefined) return;
    const turn = live.queue.shift();
    if (turn === undefined) return;
    live.first.delete(turn.id);
    const give = this.#ownership.keep(live.conversation.id);
    const abort = new AbortController();
    this.#running.add(abort);
    const done = this.#run(live, turn, abort.signal).finally(() => {
      live.running = undefined;
      this.#running.delete(abort);
      live.lastUsed = this.#options.clock.monotonic();
      if (!this.isClosing) this.advance(live);
      void give();
    });
    live.running = { turn, abort, done, steered: new Set() };
  }

  async #run(live: LiveConversation, queued: TurnRecord, signal: AbortSignal): Promise<void> {
    const { store } = this.#options;
    const { id } = live.conversation;
    const turn: TurnRecord = { ...queued, status: "running" };
    let end: HostedEnd;
    if (turn.sender !== undefined && (await currentSender(turn.sender, this.#options.userOf)).role === "viewer")
      return this.end({ ...turn, status: "cancelled", why: "You have read-only access now, so this was not run." });
    try {
      // Checked again, because the agent or a role may have changed while the turn was queued.
      await this.checkCommands(live.conversation, turn);
      // Somebody may have cancelled it in the meantime.
      if (!(await store.updateTurn(turn))) return;
      this.tell(id, { kind: "turn", turn });
      await useCurrentAgent(live, this.#options);
      const { text, messageId, sender, quotedLines } = turn;
      end = await live.hosted.prompt(
        { text, id: messageId, sender, quotedLines },
        { signal, onText: (delta) => this.tell(id, { kind: "text", turn: turn.id, delta }) },
      );
    } catch (error) {
      // Another replica owns the conversation and decides about the turn.
      if (isLeaseLost(error)) return;
      end = { status: "failed", text: "", why: errorText(error), notes: [] };
    }
    // One commit for all, also for the events: whoever has the answer finds them in the store. The answer is valid even
    // if the state cannot be saved.
    const saved = Promise.all([live.session.flush(), end.saved, this.#options.conduct.flush(id)]);
    for (const text of end.notes) this.tell(id, { kind: "note", turn: turn.id, text });
    const { status, why } = signal.reason === TAKEN_OVER ? ({ status: "interrupted", why: INTERRUPTED } as const) : end;
    const text = live.notice === undefined ? end.text : `${live.notice}\n\n${end.text}`.trim();
    live.notice = undefined;
    await this.end({ ...turn, status, answer: text, why }, saved);
    await this.#hearLater(live, turn, end);
  }

  /** Steered messages that the agent never read are queued before all other turns, or cancelled with the turn. */
  async #hearLater(live: LiveConversation, { id }: TurnRecord, { status, unheard = [] }: HostedEnd): Promise<void> {
    const later: TurnRecord[] = [];
    for (const message of unheard) {
      const turn = this.turnOf(live.conversation, message);
      try {
        if ((await this.add(turn)).id !== turn.id) continue;
      } catch (error) {
        const text = `The agent did not read this message, and it could not be saved (${errorText(error)}): ${turn.text}`;
        this.tell(turn.conversation, { kind: "note", turn: id, text });
        continue;
      }
      if (status === "cancelled") await this.end({ ...turn, status });
      else later.push(turn);
    }
    for (const turn of later) {
      live.first.add(turn.id);
      this.tell(turn.conversation, { kind: "turn", turn });
    }
    if (!this.#ownership.isShared) live.queue.unshift(...later);
  }

  /** Ends the running turns as interrupted, because another replica may own them by now. */
  interruptAll(): void {
    for (const abort of this.#running) abort.abort(TAKEN_OVER);
  }
}
