import type { EventJournal } from "../../base/ports/stores/event-journal.ts";
import type { ConductEvent, Fault } from "../../base/words/event.ts";
import type { Json } from "../../base/words/json.ts";
import type { Listener } from "./bus.ts";
import { eventJson } from "./event-json.ts";
import type { RedactEvent } from "./redact-event.ts";
import { reportJournal, WriteLoop } from "./write-loop.ts";

type Prepared = { readonly event: ConductEvent; readonly characters: number };

/** Events on their way to the journal, in order and bounded: the oldest go first, and are counted. */
class WaitingEvents {
  readonly #redact: RedactEvent;
  readonly #max: { readonly maxEvents: number; readonly maxCharacters: number };
  /** Unprocessed events; redacting takes time, and the turn waits now. */
  #raw: ConductEvent[] = [];
  readonly #ready: Prepared[] = [];
  /** Events that the store is writing now. */
  #held = 0;
  #characters = 0;
  #dropped = 0;

  constructor(redact: RedactEvent, max: { readonly maxEvents: number; readonly maxCharacters: number }) {
    this.#redact = redact;
    this.#max = max;
  }

  get size(): number {
    return this.#raw.length + this.#ready.length;
  }

  /** Dropped events that were not reported yet. */
  get dropped(): number {
    return this.#dropped;
  }

  takeDropped(): number {
    const dropped = this.#dropped;
    this.#dropped = 0;
    return dropped;
  }

  add(event: ConductEvent): void {
    this.#raw.push(apart(event));
    // While the store is down nobody asks for them.
    if (this.#raw.length > 1_000) this.#prepare();
  }

  /**
   * The oldest of them, or of some conversations, ready to be kept; they are held until `settle` says what became of
   * them. The events of a session stay in order.
   */
  first(most: number, only?: ReadonlySet<string>): readonly ConductEvent[] {
    this.#prepare();
    if (only !== undefined) {
      const isOwn = ({ event }: Prepared) => only.has(conversationOf(event));
      const own = this.#ready.filter(isOwn);
      const others = this.#ready.filter((one) => !isOwn(one));
      this.#ready.splice(0, this.#ready.length, ...own, ...others);
      this.#held = Math.min(most, own.length);
    } else this.#held = Math.min(most, this.#ready.length);
    return this.#ready.slice(0, this.#held).map(({ event }) => event);
  }

  settle(outcome: "written" | "failed"): void {
    if (outcome === "written") this.#let(0, this.#held);
    this.#held = 0;
  }

  #prepare(): void {
    for (const raw of this.#raw) {
      const event = this.#redact(raw);
      const characters = eventJson(event).length;
      this.#ready.push({ event, characters });
      this.#characters += characters;
    }
    this.#raw = [];
    let [over, left] = [0, this.#characters];
    const { maxEvents, maxCharacters } = this.#max;
    const free = this.#ready.length - this.#held;
    while (over < free && (free - over > maxEvents || left > maxCharacters)) {
      left -= this.#ready[this.#held + over]?.characters ?? 0;
      over += 1;
    }
    this.#let(this.#held, over);
    this.#dropped += over;
  }

  #let(from: number, count: number): void {
    for (const { characters } of this.#ready.splice(from, count)) this.#characters -= characters;
  }
}

/** A subagent's events belong to its parent's conversation. */
function conversationOf({ parent, session }: ConductEvent): string {
  return parent ?? session;
}

/** Copies the arguments of a call: a runtime may change its objects in place. */
function apart(event: ConductEvent): ConductEvent {
  if (event.type !== "call") return event;
  try {
    const { native } = event.call;
    const args = copy(event.call.args);
    const input = native.input === event.call.args ? args : copy(native.input);
    return { ...event, call: { ...event.call, args, native: { ...native, input } } };
  } catch {
    // What is too deep to copy is told as such when it is made ready.
    return event;
  }
}

function copy<T extends Json | undefined>(value: T): T;
function copy(value: Json | undefined): Json | undefined {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item: Json) => copy(item));
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, copy(item)]));
}

/** Small enough that an embedded store, which writes on this thread, lets turns run in between. */
const BATCH = 200;
/** An event waits once or twice as long for its turn's next decision or end. */
const TURN_MS = 250;
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 5_000;

export type JournalWriterOptions = {
  readonly journal: Pick<EventJournal, "append">;
  readonly redact: RedactEvent;
  /** Gets ready what `redact` needs, before events are written. Never rejects. */
  readonly ready?: () => Promise<void>;
  /** Told when the journal falls behind and when events are lost. */
  readonly report: (fault: Fault) => void;
  /**
   * `each`: every event is on its way at once, for a process that ends after one. `turn`: a decision is on its way at
   * once with all earlier events of its session, and the host flushes each session at its turn's end; so most turns write
   * their rows and indexes twice. `batch` unless told.
   */
  readonly durability?: "batch" | "each" | "turn";
  /** Queue limits while the store is down; the oldest events are dropped. */
  readonly maxEvents?: number;
  readonly maxCharacters?: number;
};

/** `behind`: the store failed; events wait and are tried again. */
export type JournalState =
  | { readonly kind: "kept" }
  | { readonly kind: "behind"; readonly waiting: number; readonly dropped: number; readonly message: string };

/** Writes a Conduct's events to the journal in the background: nothing here breaks a turn or makes it wait. */
export class JournalWriter {
  readonly #options: JournalWriterOptions;
  readonly #waiting: WaitingEvents;
  readonly #loop: WriteLoop;
  readonly #unsubscribe: () => void;
  #closing: Promise<JournalState> | undefined;
  /** With durability `turn`: conversations with events that wait, and those among them that waited at the last look. */
  #inTurn = new Set<string>();
  #late = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(subscribe: (listener: Listener) => () => void, options: JournalWriterOptions) {
    const { redact, report, maxEvents = 10_000, maxCharacters = 64 * 1024 * 1024 } = options;
    const wait = "Events wait in memory and are written when the store is available again.";
    this.#options = options;
    this.#waiting = new WaitingEvents(redact, { maxEvents, maxCharacters });
    this.#loop = new WriteLoop({
      write: (only) => this.#write(only),
      onDown: (message) => reportJournal(report, "journal-behind", `${message} ${wait}`),
      retryMs: (failures) => Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** failures),
    });
    this.#unsubscribe = subscribe((event) => this.#take(event));
  }

  get state(): JournalState {
    const { size: waiting, dropped } = this.#waiting;
    const message = this.#loop.failure;
    return message === undefined ? { kind: "kept" } : { kind: "behind", waiting, dropped, message };
  }

  /** Tries to write what waits now: everything, or the events of a conversation. Never rejects. */
  async flush(conversation?: string): Promise<JournalState> {
    await this.#loop.flush(conversation);
    return this.state;
  }

  /**
   * Takes no more events and writes those it has. Waits a few seconds for a store that does not answer; events that could
   * not be written by then are lost, and this is reported.
   */
  close(): Promise<JournalState> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<JournalState> {
    this.#unsubscribe();
    clearTimeout(this.#timer);
    await this.#loop.close();
    const { state } = this;
    if (state.kind === "behind") {
      const lost = state.waiting + state.dropped;
      const message = `${lost} events were lost: the journal was closed before the store accepted them. ${state.message}`;
      reportJournal(this.#options.report, "journal-lost", message);
    }
    return state;
  }

  /** Runs inside the turn, so it only queues the event. */
  #take(event: ConductEvent): void {
    this.#waiting.add(event);
    const { durability = "batch" } = this.#options;
    if (durability === "turn") this.#waitForTurn(event);
    else this.#loop.schedule(durability === "each" || endsTurn(event) ? "now" : "soon");
  }

  #waitForTurn(event: ConductEvent): void {
    if (this.#loop.isClosed || this.#loop.failure !== undefined) return;
    const conversation = conversationOf(event);
    if (event.type === "call" || endsSession(event)) return void this.#loop.flush(conversation);
    this.#inTurn.add(conversation);
    this.#timer ??= setTimeout(() => this.#writeLate(), TURN_MS);
  }

  /** Writes the events of turns that take long. */
  #writeLate(): void {
    const late = this.#late;
    this.#late = this.#inTurn.difference(late);
    this.#inTurn = new Set(this.#late);
    this.#timer = this.#late.size === 0 ? undefined : setTimeout(() => this.#writeLate(), TURN_MS);
    for (const conversation of late) void this.#loop.flush(conversation);
  }

  async #write(only?: ReadonlySet<string>): Promise<void> {
    if (this.#waiting.size > 0) await this.#options.ready?.();
    for (const conversation of only ?? this.#inTurn) {
      this.#inTurn.delete(conversation);
      this.#late.delete(conversation);
    }
    for (;;) {
      const batch = this.#waiting.first(BATCH, only);
      if (batch.length === 0) return;
      try {
        await this.#options.journal.append(batch);
      } catch (error) {
        this.#waiting.settle("failed");
        throw error;
      }
      this.#waiting.settle("written");
      this.#loop.succeeded();
      const lost = this.#waiting.takeDropped();
      if (lost === 0) continue;
      const message = `${lost} events were lost: the store was unavailable for too long.`;
      reportJournal(this.#options.report, "journal-lost", message);
    }
  }
}

function endsTurn(event: ConductEvent): boolean {
  return event.type === "stop" || endsSession(event);
}

function endsSession(event: ConductEvent): boolean {
  return event.type === "notice" && event.notice.kind === "ended";
}
