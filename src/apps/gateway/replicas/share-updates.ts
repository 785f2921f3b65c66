import type { JsonObject } from "../../../base/words/json.ts";
import type { Update } from "../conversations/updates.ts";
import type { Listeners } from "../listeners.ts";

/** Texts that arrive within this time are sent together. */
const GATHER_MS = 25;
/** Messages of more characters are stored in a row instead of being sent directly. */
const MOST_TOGETHER = 4_000;

type Topical = { readonly topic: string; readonly update: Update };

export type ShareUpdatesOptions = {
  readonly own: Listeners<Update>;
  readonly all: Listeners<Update>;
  readonly publish: (bodies: readonly JsonObject[]) => Promise<void>;
  /** Whether there is anybody to send to. */
  readonly hasOthers: () => boolean;
};

/**
 * Sends the updates of this process to the other replicas, and theirs to the listeners here. Updates may be lost: a
 * client re-reads the turn, and a request that waits reads its row again.
 */
export function shareUpdates({ own, all, publish, hasOthers }: ShareUpdatesOptions) {
  let waiting: Topical[] = [];
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> = Promise.resolve();

  function send(): void {
    clearTimeout(timer);
    timer = undefined;
    const batch = inMessages(joinTexts(waiting));
    waiting = [];
    if (batch.length > 0) sending = sending.then(() => publish(batch)).catch(() => undefined);
  }

  const stop = own.subscribe(undefined, (update, topic) => {
    if (topic === undefined || !hasOthers()) return;
    waiting.push({ topic, update });
    timer ??= setTimeout(send, GATHER_MS).unref();
  });

  return {
    /** Takes a message of another replica. */
    hear({ updates }: JsonObject): void {
      for (const { topic, update } of (updates ?? []) as unknown as readonly Topical[]) all.tell(topic, update);
    },
    async close(): Promise<void> {
      stop();
      send();
      await sending;
    },
  };
}

/** Consecutive texts of one turn become one. */
function joinTexts(updates: readonly Topical[]): readonly Topical[] {
  const joined: Topical[] = [];
  for (const { topic, update } of updates) {
    const last = joined.at(-1)?.update;
    if (update.kind === "text" && last?.kind === "text" && last.turn === update.turn)
      joined[joined.length - 1] = { topic, update: { ...last, delta: last.delta + update.delta } };
    else joined.push({ topic, update });
  }
  return joined;
}

function inMessages(updates: readonly Topical[]): readonly JsonObject[] {
  const messages: Topical[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const one of updates) {
    const length = JSON.stringify(one).length;
    if (size + length > MOST_TOGETHER) {
      messages.push([]);
      size = 0;
    }
    messages.at(-1)?.push(one);
    size += length;
  }
  return messages.map((some) => ({ kind: "updates", updates: some as unknown as readonly JsonObject[] }));
}
