import { Outbox, type Outboxes } from "./outbox.ts";
import { frameOf, type StreamEvent } from "./stream-frame.ts";

/** Server-sent events: `follow` is called with what sends one and what says that it was the last; it returns what ends it. */
export type EventSource = {
  follow(send: (event: StreamEvent) => void, end: () => void): () => void;
};

export type EventStreamOptions = {
  readonly outboxes: Outboxes;
  /** Asked with every heartbeat: whether this caller may still listen. */
  readonly may: () => Promise<boolean>;
  /** Calls back when a role or a key of the caller was taken away. Returns what ends it. */
  readonly onRevoked: (end: () => void) => () => void;
  readonly heartbeatMs: number;
  /** Called once when the stream is over, however it ended. */
  readonly onClosed: () => void;
  /** Ends the connection of a listener that does not read. */
  readonly hangUp: () => void;
};

const HEARTBEAT = new TextEncoder().encode(": still here\n\n");

/** A stream that lasts until the source ends it, the client leaves, or the caller may no longer listen. */
export function eventStream(
  source: EventSource,
  { outboxes, may, onRevoked, heartbeatMs, onClosed, hangUp }: EventStreamOptions,
): Response {
  const closing: (() => void)[] = [onClosed];
  const close = () => {
    for (const end of closing.splice(0)) end();
  };
  const outbox = new Outbox(outboxes, { onClosed: close, hangUp });
  const beat = setInterval(() => {
    outbox.push(HEARTBEAT);
    // A store that does not answer ends no stream.
    may().then(
      (yes) => (yes ? undefined : outbox.cut()),
      () => undefined,
    );
  }, heartbeatMs);
  closing.push(
    () => clearInterval(beat),
    onRevoked(() => outbox.cut()),
  );
  try {
    closing.push(
      source.follow(
        (event) => outbox.push(frameOf(event)),
        () => outbox.end(),
      ),
    );
  } catch (error) {
    outbox.cut();
    throw error;
  }
  return new Response(outbox.body, {
    headers: {
      "content-type": "text/event-stream",
      "cache-control": "no-cache",
      // Proxies such as nginx would hold events back otherwise.
      "x-accel-buffering": "no",
    },
  });
}
