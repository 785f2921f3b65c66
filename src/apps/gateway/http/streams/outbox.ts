import { setImmediate as breathe, setTimeout as sleep } from "node:timers/promises";

/** A listener with more unread bytes is too slow. Frames are shared, so 500 slow listeners store each frame once. */
const MOST_WAITING = 1024 * 1024;
const MOST_FRAMES = 10_000;
const BURST_FACTOR = 16;
/** Maximum bytes copied by one write to one listener. */
const CHUNK = 64 * 1024;
/** Number of listeners written to before other work runs. */
const AT_ONCE = 25;
/** Each pass is followed by a pause four times as long, so sending takes at most a fifth of the time. */
const PAUSE_FACTOR = 4;
const LONGEST_PAUSE_MS = 250;

/** Queue of frames for one listener, used as a response body. */
export class Outbox {
  readonly body: ReadableStream<Uint8Array>;
  readonly #outboxes: Outboxes;
  readonly #onClosed: () => void;
  readonly #hangUp: () => void;
  #waiting: Uint8Array[] = [];
  #bytes = 0;
  #wanted = false;
  /** The listener received a chunk and has not asked for the next one. */
  #isBehind = false;
  #state: "open" | "ending" | "closed" = "open";
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;

  /** `hangUp` closes the connection, which a listener that does not read would keep open. */
  constructor(outboxes: Outboxes, { onClosed, hangUp }: { onClosed: () => void; hangUp: () => void }) {
    this.#outboxes = outboxes;
    this.#onClosed = onClosed;
    this.#hangUp = hangUp;
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => {
          this.#wanted = true;
          this.#isBehind = false;
          if (this.#waiting.length > 0 || this.#state === "ending") this.#outboxes.schedule(this);
        },
        cancel: () => this.#close(),
      },
      { highWaterMark: 0 },
    );
  }

  /** Disconnects a listener that is too slow. The client reconnects and reads the missed events. */
  push(frame: Uint8Array): void {
    if (this.#state !== "open") return;
    if (this.#isTooSlow()) {
      this.#drop();
      return;
    }
    this.#waiting.push(frame);
    this.#bytes += frame.byteLength;
    if (this.#wanted) this.#outboxes.schedule(this);
  }

  /** Closes after the queue is written. */
  end(): void {
    if (this.#state !== "open") return;
    this.#state = "ending";
    this.#outboxes.schedule(this);
  }

  /** Closes now and drops the queue. */
  cut(): void {
    if (this.#state === "closed") return;
    this.#close();
    this.#controller?.close();
  }

  /** Writes the next chunk if the listener asked for one. */
  flush(): void {
    if (this.#state === "closed") return;
    if (this.#wanted && this.#waiting.length > 0) {
      this.#wanted = false;
      this.#isBehind = true;
      this.#controller?.enqueue(this.#nextChunk());
    }
    if (this.#state === "ending" && this.#waiting.length === 0) this.cut();
  }

  /** The limit is higher for a listener that has read everything so far, so that a burst alone disconnects nobody. */
  #isTooSlow(): boolean {
    const factor = this.#isBehind ? 1 : BURST_FACTOR;
    return this.#bytes > MOST_WAITING * factor || this.#waiting.length >= MOST_FRAMES * factor;
  }

  #nextChunk(): Uint8Array {
    let [count, bytes] = [0, 0];
    for (const { byteLength } of this.#waiting) {
      if (count > 0 && bytes + byteLength > CHUNK) break;
      count += 1;
      bytes += byteLength;
    }
    const frames = this.#waiting.splice(0, count);
    this.#bytes -= bytes;
    return frames.length === 1 && frames[0] !== undefined ? frames[0] : Buffer.concat(frames, bytes);
  }

  #drop(): void {
    this.cut();
    this.#hangUp();
  }

  #close(): void {
    if (this.#state === "closed") return;
    this.#state = "closed";
    this.#waiting = [];
    this.#onClosed();
  }
}

/** Writes to the listeners in batches, so that many listeners do not delay other requests. */
export class Outboxes {
  readonly #due = new Set<Outbox>();
  #running = false;

  schedule(outbox: Outbox): void {
    this.#due.add(outbox);
    if (this.#running) return;
    this.#running = true;
    // Runs after all pending work, so that simultaneous events share a write.
    void breathe().then(() => this.#run());
  }

  async #run(): Promise<void> {
    while (this.#due.size > 0) {
      const pass = [...this.#due];
      this.#due.clear();
      const started = performance.now();
      for (let from = 0; from < pass.length; from += AT_ONCE) {
        for (const outbox of pass.slice(from, from + AT_ONCE)) outbox.flush();
        await breathe();
      }
      const pause = Math.min(LONGEST_PAUSE_MS, (performance.now() - started) * PAUSE_FACTOR);
      if (pass.length > AT_ONCE) await sleep(pause, undefined, { ref: false });
    }
    this.#running = false;
  }
}
