import type { ConductEvent } from "../../base/words/event.ts";
import type { Json } from "../../base/words/json.ts";
import type { RedactEvent } from "./redact-event.ts";

type Prepared = { readonly event: ConductEvent; readonly characters: number };

/** Events on their way to the journal, in order and bounded: the oldest go first, and are counted. */
export class WaitingEvents {
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

  /** The oldest of them, ready to be kept; they are held until `settle` says what became of them. */
  first(most: number): readonly ConductEvent[] {
    this.#prepare();
    this.#held = Math.min(most, this.#ready.length);
    return this.#ready.slice(0, this.#held).map(({ event }) => event);
  }

  settle(outcome: "written" | "failed"): void {
    if (outcome === "written") this.#let(0, this.#held);
    this.#held = 0;
  }

  #prepare(): void {
    for (const raw of this.#raw) {
      const event = this.#redact(raw);
      const characters = JSON.stringify(event).length;
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

/** Copies the arguments of a call: a runtime may change its objects in place. */
function apart(event: ConductEvent): ConductEvent {
  if (event.type !== "call") return event;
  try {
    const { args, native } = event.call;
    return { ...event, call: { ...event.call, args: copy(args), native: { ...native, input: copy(native.input) } } };
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
