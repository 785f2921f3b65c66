import type { JsonObject } from "../../../base/words/json.ts";

/** Messages kept for replicas that missed some: minutes of a busy gateway. */
const MOST_KEPT = 4_000;
/** Messages in one answer. */
const MOST_AGAIN = 500;
/** A message that overtook another one on its way waits so long before the other one is asked for. */
const LATE_MS = 200;

type Numbered = { readonly n: number; readonly body: JsonObject };

/** Messages of the wire, besides the numbered ones themselves. */
type WireNews =
  | { readonly kind: "again"; readonly from: string; readonly after: number }
  /** `first`: earlier messages are not kept any more. */
  | { readonly kind: "resent"; readonly from: string; readonly first: number; readonly messages: readonly Numbered[] };

/** What is known of another replica's messages. `next`: the first one that has not arrived. */
type Sender = { next: number; readonly held: Map<number, JsonObject>; behind?: number; timer?: NodeJS.Timeout };

export type LiveWireOptions = {
  readonly self: () => string;
  /** Sends to all others. Messages may be lost, doubled or out of order. */
  readonly publish: (bodies: readonly JsonObject[]) => Promise<void>;
  /** Sends to one replica; arrives unless that replica dies. */
  readonly tell: (replica: string, news: JsonObject) => Promise<void>;
  readonly deliver: (body: JsonObject) => void;
  /** Messages of another replica are lost for good. */
  readonly onMissed: () => void;
};

/**
 * Numbers the live messages of this replica, so that others notice what they missed and ask for it again. Every message
 * of a living replica is delivered once and in order, whatever the way to it loses. A sender's heartbeat tells its
 * newest number, so the last message may be lost too.
 */
export function liveWire({ self, publish, tell, deliver, onMissed }: LiveWireOptions) {
  let sent = 0;
  const kept: Numbered[] = [];
  const senders = new Map<string, Sender>();

  function senderOf(id: string, next: number): Sender {
    const sender = senders.get(id) ?? { next, held: new Map<number, JsonObject>() };
    senders.set(id, sender);
    return sender;
  }

  const ask = (id: string, { next }: Sender) => void tell(id, { kind: "again", from: self(), after: next - 1 });

  function accept(id: string, { n, body }: Numbered): void {
    const sender = senderOf(id, n);
    if (n < sender.next) return;
    sender.held.set(n, body);
    deliverHeld(sender);
    if (sender.held.size === 0) return;
    sender.timer ??= setTimeout(() => {
      sender.timer = undefined;
      if (sender.held.size > 0) ask(id, sender);
    }, LATE_MS).unref();
  }

  function deliverHeld(sender: Sender): void {
    for (let body = sender.held.get(sender.next); body !== undefined; body = sender.held.get(sender.next)) {
      sender.held.delete(sender.next);
      sender.next += 1;
      deliver(body);
    }
  }

  async function sendAgain(to: string, after: number): Promise<void> {
    const first = Math.max(after + 1, kept[0]?.n ?? sent + 1);
    const messages = kept.filter(({ n }) => n >= first).slice(0, MOST_AGAIN);
    await tell(to, { kind: "resent", from: self(), first, messages });
  }

  function takeAgain({ from, first, messages }: Extract<WireNews, { kind: "resent" }>): void {
    const sender = senderOf(from, first);
    if (first > sender.next) {
      onMissed();
      for (const n of sender.held.keys()) if (n < first) sender.held.delete(n);
      sender.next = first;
    }
    for (const message of messages) accept(from, message);
    if (messages.length === MOST_AGAIN) ask(from, sender);
  }

  return {
    /** The number of the newest message of this replica. */
    get sent() {
      return sent;
    },
    async send(bodies: readonly JsonObject[]): Promise<void> {
      const numbered = bodies.map((body) => ({ n: ++sent, body }));
      kept.push(...numbered);
      kept.splice(0, kept.length - MOST_KEPT);
      await publish(numbered.map((one) => ({ kind: "numbered", from: self(), ...one })));
    },
    /** Takes a message of another replica. */
    hear(message: JsonObject): void {
      if (message.kind === "numbered") {
        accept(String(message.from), message as unknown as Numbered);
        return;
      }
      const news = message as unknown as WireNews;
      if (news.kind === "again") void sendAgain(news.from, news.after);
      else takeAgain(news);
    },
    /** Compares with what the others say they have sent. Called with every heartbeat. */
    look(others: readonly { readonly id: string; readonly sent?: number | undefined }[]): void {
      for (const [id, { timer }] of senders)
        if (!others.some((other) => other.id === id)) {
          clearTimeout(timer);
          senders.delete(id);
        }
      for (const { id, sent: newest } of others) {
        if (newest === undefined) continue;
        const sender = senderOf(id, newest + 1);
        const isBehind = newest >= sender.next;
        // What is still on its way at one heartbeat has arrived at the next.
        if (isBehind && sender.behind === sender.next) ask(id, sender);
        sender.behind = isBehind ? sender.next : undefined;
      }
    },
    close(): void {
      for (const { timer } of senders.values()) clearTimeout(timer);
    },
  };
}
