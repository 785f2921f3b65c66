import type { Update } from "../../../src/apps/gateway/conversations/updates.ts";
import type { PendingApproval } from "../../../src/base/words/hosting/question.ts";
import { asGatewayError, client } from "./client.ts";

export type Question = PendingApproval;

/** An update of the live stream. `resumed`: the stream was down, so missed updates have to be read. */
export type LiveUpdate =
  | Update
  | { readonly kind: "contract" }
  | { readonly kind: "agent"; readonly agent: string }
  | { readonly kind: "resumed" };

export type LiveState = "connecting" | "live" | "away";

type Listener = (update: LiveUpdate) => void;
type Open = (signal: AbortSignal, opened: () => void) => AsyncIterable<{ event: string; data: object }>;

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;
/** A hidden tab closes its connection after this time, because a browser allows only six per server. */
const HIDDEN_MS = 60_000;

/** One stream of the gateway, shared by all listeners. Reconnects by itself and then sends `resumed`. */
export class LiveStream {
  readonly #open: Open;
  readonly #unauthorized: () => void;
  readonly #late: boolean;
  readonly #listeners = new Set<Listener>();
  readonly #watchers = new Set<() => void>();
  #state: LiveState = "connecting";
  #ending: AbortController | undefined;
  #wake: (() => void) | undefined;
  #wasLive = false;

  /** `late`: updates may be missed even before the first connection, so it sends `resumed` then, too. */
  constructor(open: Open, unauthorized: () => void, late = false) {
    this.#open = open;
    this.#unauthorized = unauthorized;
    this.#late = late;
  }

  get state(): LiveState {
    return this.#state;
  }

  /** Calls the listener on every update. The stream is open while there are listeners. */
  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    if (this.#ending === undefined) this.#start();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#stop();
    };
  }

  onState(watcher: () => void): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  /** Reconnects immediately. */
  retry(): void {
    this.#wake?.();
  }

  #start(): void {
    const ending = new AbortController();
    this.#ending = ending;
    void this.#run(ending.signal);
  }

  #stop(): void {
    this.#ending?.abort();
    this.#ending = undefined;
    this.#wasLive = false;
  }

  async #run(ended: AbortSignal): Promise<void> {
    let wait = FIRST_WAIT_MS;
    let isOut = false;
    while (!ended.aborted) {
      const connection = new AbortController();
      const onEnd = () => connection.abort();
      ended.addEventListener("abort", onEnd, { once: true });
      const unhide = whenHidden(HIDDEN_MS, () => connection.abort());
      try {
        const opened = () => {
          wait = FIRST_WAIT_MS;
          isOut = false;
          this.#opened();
        };
        for await (const { event, data } of this.#open(connection.signal, opened))
          this.#tell({ kind: event, ...data } as LiveUpdate);
      } catch (error) {
        // Reported once until the stream is live again, so that it continues after the next login.
        if (asGatewayError(error).status === 401 && !isOut) {
          isOut = true;
          this.#unauthorized();
        }
      } finally {
        unhide();
        ended.removeEventListener("abort", onEnd);
      }
      if (ended.aborted) return;
      this.#become("away");
      await this.#pause(wait);
      wait = Math.min(LONGEST_WAIT_MS, wait * 2);
    }
  }

  #opened(): void {
    this.#become("live");
    if (this.#wasLive || this.#late) this.#tell({ kind: "resumed" });
    this.#wasLive = true;
  }

  #become(state: LiveState): void {
    if (this.#state === state) return;
    this.#state = state;
    for (const watcher of this.#watchers) watcher();
  }

  #tell(update: LiveUpdate): void {
    for (const listener of [...this.#listeners]) listener(update);
  }

  /** Waits until the time is over and the page is visible. Ends early when the network is back or on `retry`. */
  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        removeEventListener("online", done);
        document.removeEventListener("visibilitychange", look);
        this.#wake = undefined;
        resolve();
      };
      const look = () => document.visibilityState === "visible" && done();
      const timer = setTimeout(() => {
        if (document.visibilityState === "visible") done();
      }, ms);
      addEventListener("online", done);
      document.addEventListener("visibilitychange", look);
      this.#wake = done;
    });
  }
}

/** Calls `then` when the page has been hidden for `ms`. Returns a function that cancels it. */
function whenHidden(ms: number, then: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = () => {
    clearTimeout(timer);
    if (document.visibilityState === "hidden") timer = setTimeout(then, ms);
  };
  document.addEventListener("visibilitychange", look);
  look();
  return () => {
    clearTimeout(timer);
    document.removeEventListener("visibilitychange", look);
  };
}

/** All updates; for operators and viewers. */
export const everything: Open = (signal, opened) => client.stream("GET /api/stream", {}, signal, opened);

/** Updates of one conversation; for its own user. */
export function conversation(id: string): Open {
  return (signal, opened) => client.stream("GET /api/sessions/{id}/stream", { params: { id } }, signal, opened);
}
