import type { ConductEvent } from "../../base/words/event.ts";
import type { RedactEvent } from "./redact-event.ts";

type Prepared = { readonly event: ConductEvent; readonly characters: number };

/** Events on their way to the journal, in order and bounded: the oldest go first, and are counted. */
export class WaitingEvents {
  readonly #redact: RedactEvent;
  readonly #max: { readonly maxEvents: number; readonly maxCharacters: number };
  /** As they came; made ready later, because that takes time and a turn waits now. */
  #raw: ConductEvent[] = [];
  #ready: Prepared[] = [];
  #characters = 0;
  #dropped = 0;

  constructor(redact: RedactEvent, max: { readonly maxEvents: number; readonly maxCharacters: number }) {
    this.#redact = redact;
    this.#max = max;
  }

  get size(): number {
    return this.#raw.length + this.#ready.length;
  }

  /** How many were let go and not told yet. */
  get dropped(): number {
    return this.#dropped;
  }

  takeDropped(): number {
    const dropped = this.#dropped;
    this.#dropped = 0;
    return dropped;
  }

  add(event: ConductEvent): void {
    this.#raw.push(event);
    // While the store is down nobody asks for them.
    if (this.#raw.length > 1_000) this.#prepare();
  }

  /** The oldest of them, ready to be kept; they wait on until they are removed. */
  first(most: number): readonly ConductEvent[] {
    this.#prepare();
    return this.#ready.slice(0, most).map(({ event }) => event);
  }

  remove(written: readonly ConductEvent[]): void {
    const gone = new Set(written);
    this.#ready = this.#ready.filter(({ event, characters }) => {
      if (!gone.has(event)) return true;
      this.#characters -= characters;
      return false;
    });
  }

  #prepare(): void {
    for (const raw of this.#raw) {
      const event = this.#redact(raw);
      const characters = JSON.stringify(event).length;
      this.#ready.push({ event, characters });
      this.#characters += characters;
    }
    this.#raw = [];
    let over = 0;
    const { maxEvents, maxCharacters } = this.#max;
    while (this.#ready.length - over > maxEvents || (this.#characters > maxCharacters && this.#ready.length - over > 1)) {
      this.#characters -= this.#ready[over]?.characters ?? 0;
      over += 1;
    }
    this.#ready.splice(0, over);
    this.#dropped += over;
  }
}
