import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../../../base/ports/clock.ts";
import type { AnswersStore } from "../../../base/ports/stores/hosting/answers.ts";
import type { TurnRecord } from "../../../base/words/hosting/conversation.ts";

const FIRST_WAIT_MS = 500;
const LAST_WAIT_MS = 60_000;
/** How often the answers of gateways that are gone are looked for. */
const LOOK_MS = 1_000;
/** Longer than Telegram repeats a message that nobody confirmed (24 hours). */
const REMEMBER_MS = 48 * 3_600_000;

/** Where this process stores which messages it answers. */
export type AnswerDuty = {
  readonly store: AnswersStore;
  /** This process; a gateway that others have declared dead gets a new id. */
  readonly self: () => string;
};

export type OwedAnswersOptions = AnswerDuty & {
  readonly clock: Clock;
  readonly turnOf: (id: string) => Promise<TurnRecord | undefined>;
  /** Waits for the turn's end. Resolves to a function that sends the answer. */
  readonly prepare: (turn: TurnRecord) => Promise<() => Promise<void>>;
  /** Whether sending again would fail again. */
  readonly isFinal: (error: unknown) => boolean;
  readonly complain: (what: string, error: unknown) => void;
};

/**
 * Answers each message of a channel once, whichever gateway received it and whichever of them die. An answer is sent
 * twice only if its gateway dies after sending it and before storing that.
 */
export function owedAnswers({ store, self, clock, turnOf, prepare, isFinal, complain }: OwedAnswersOptions) {
  const closing = new AbortController();
  const { signal } = closing;
  const working = new Set<Promise<void>>();
  /** Message and process, because a process may take over from its own former id. */
  const answering = new Set<string>();
  let looking: NodeJS.Timeout | undefined;

  /** Sends until it succeeds, the duty went to another process, or this one closes. */
  async function answer(message: string, by: string, turn: TurnRecord): Promise<void> {
    const send = await prepare(turn);
    // A turn that ends while this process closes is answered too, if it can be sent at once.
    for (let failures = 0; failures === 0 || !signal.aborted; failures++) {
      if (!(await store.isOwed(message, by))) return;
      try {
        await send();
        return await store.settle(message, by, clock.now());
      } catch (error) {
        if (failures === 0) complain("an answer could not be sent", error);
        if (isFinal(error)) return await store.settle(message, by, clock.now());
        const wait = Math.min(LAST_WAIT_MS, FIRST_WAIT_MS * 2 ** failures);
        await sleep(wait, undefined, { signal, ref: false }).catch(() => undefined);
      }
    }
  }

  function begin(message: string, by: string, turn: TurnRecord): void {
    const key = `${by} ${message}`;
    if (answering.has(key)) return;
    answering.add(key);
    const done = answer(message, by, turn)
      .catch((error: unknown) => complain("an answer could not be sent", error))
      .finally(() => {
        answering.delete(key);
        working.delete(done);
      });
    working.add(done);
  }

  async function takeOver(): Promise<void> {
    const by = self();
    for (const { message, turn } of await store.takeOver(by)) {
      const known = await turnOf(turn);
      // Its conversation was deleted.
      if (known === undefined) await store.settle(message, by, clock.now());
      else begin(message, by, known);
    }
    await store.expire(clock.now() - REMEMBER_MS);
  }

  function lookLater(): void {
    if (signal.aborted) return;
    looking = setTimeout(() => {
      // An outage of the store is reported by others.
      void takeOver()
        .catch(() => undefined)
        .finally(lookLater);
    }, LOOK_MS).unref();
  }

  return {
    /** Submits a message and answers it. Does nothing if it was answered already, or if another gateway does. */
    async accept(message: string, submit: () => Promise<TurnRecord>): Promise<void> {
      const by = self();
      if ((await store.claim(message, by, clock.now())) !== "mine") return;
      const turn = await submit();
      await store.attach(message, by, turn.id);
      begin(message, by, turn);
    },
    /** Also answers what gateways that are gone have left. */
    start: () => lookLater(),
    /** Waits for answers under way. The others are left to the next process. */
    async close(): Promise<void> {
      closing.abort();
      clearTimeout(looking);
      await Promise.all(working);
    },
  };
}
