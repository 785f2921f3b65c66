import type { Update } from "../../conversations/updates.ts";
import { Outbox, type Outboxes } from "./outbox.ts";

/** Event data by event name. */
type StreamEvents = { readonly [name: string]: unknown };

export type StreamEvent<E = StreamEvents> = {
  [N in keyof E & string]: { readonly id?: string; readonly name: N; readonly data: E[N] };
}[keyof E & string];

/** A source of server-sent events. `follow` returns a function that unsubscribes; `end` closes the stream. */
export type EventSource<E = StreamEvents> = {
  follow(send: (event: StreamEvent<E>) => void, end: () => void): () => void;
};

export type UpdateEvents = { [K in Update["kind"]]: Omit<Extract<Update, { readonly kind: K }>, "kind"> };

const encoder = new TextEncoder();
const frames = new WeakMap<StreamEvent, Uint8Array>();

/** Encodes the event once per event object, however many listeners receive it. */
export function frameOf(event: StreamEvent): Uint8Array {
  const known = frames.get(event);
  if (known !== undefined) return known;
  const { id, name, data } = event;
  // JSON contains no line breaks, so one data line is enough.
  const lines = [`event: ${name}`, `data: ${JSON.stringify(data)}`, ...(id === undefined ? [] : [`id: ${id}`])];
  const frame = encoder.encode(`${lines.join("\n")}\n\n`);
  frames.set(event, frame);
  return frame;
}

/** Creates one stream event per source object, so that all listeners share its frame. */
export function sharedEvents<T extends object, E extends StreamEvent>(make: (from: T) => E): (from: T) => E {
  const made = new WeakMap<T, E>();
  return (from) => {
    const event = made.get(from) ?? make(from);
    made.set(from, event);
    return event;
  };
}

export const updateEvent = sharedEvents(
  ({ kind, ...data }: Update) => ({ name: kind, data }) as StreamEvent<UpdateEvents>,
);

type EventStreamOptions = {
  readonly outboxes: Outboxes;
  /** Whether the caller may still listen; checked with every heartbeat. */
  readonly may: () => Promise<boolean>;
  /** Calls back when the caller's role or key is revoked. Returns a function that unsubscribes. */
  readonly onRevoked: (end: () => void) => () => void;
  readonly heartbeatMs: number;
  /** Called once when the stream is closed, for any reason. */
  readonly onClosed: () => void;
  /** Closes the connection of a listener that does not read. */
  readonly hangUp: () => void;
};

const HEARTBEAT = encoder.encode(": still here\n\n");

/** A stream that stays open until the source ends it, the client disconnects, or the caller loses access. */
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
    // An unavailable store does not end a stream.
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
      // Keeps proxies such as nginx from buffering events.
      "x-accel-buffering": "no",
    },
  });
}
