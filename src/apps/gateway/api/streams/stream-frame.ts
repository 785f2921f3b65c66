/** One server-sent event before it is written down. */
export type StreamEvent = { readonly id?: string; readonly name: string; readonly data: unknown };

const encoder = new TextEncoder();
const frames = new WeakMap<StreamEvent, Uint8Array>();

/** The event as bytes. Encoded once per event object, however many listeners it is sent to. */
export function frameOf(event: StreamEvent): Uint8Array {
  const known = frames.get(event);
  if (known !== undefined) return known;
  const { id, name, data } = event;
  // JSON has no line breaks of its own, so one data line is enough.
  const lines = [`event: ${name}`, `data: ${JSON.stringify(data)}`, ...(id === undefined ? [] : [`id: ${id}`])];
  const frame = encoder.encode(`${lines.join("\n")}\n\n`);
  frames.set(event, frame);
  return frame;
}

/** Makes one stream event per source object, so that all listeners of that object share it. */
export function sharedEvents<T extends object>(make: (from: T) => StreamEvent): (from: T) => StreamEvent {
  const made = new WeakMap<T, StreamEvent>();
  return (from) => {
    const event = made.get(from) ?? make(from);
    made.set(from, event);
    return event;
  };
}
