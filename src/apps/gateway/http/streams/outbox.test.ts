import { describe, expect, it, vi } from "vitest";
import { frameOf, sharedEvents } from "./event-stream.ts";
import { Outbox, Outboxes } from "./outbox.ts";

const text = (at: number, bytes = 10) => new TextEncoder().encode(`${`${at}`.padEnd(bytes - 1)}\n`);

function listener(outboxes = new Outboxes()) {
  const [onClosed, hangUp] = [vi.fn(), vi.fn()];
  const outbox = new Outbox(outboxes, { onClosed, hangUp });
  return { outbox, onClosed, hangUp, read: () => new Response(outbox.body).text() };
}

/** Takes one chunk and reads no further. */
async function stopAfterOne(outbox: Outbox): Promise<void> {
  const reading = outbox.body.getReader().read();
  outbox.push(text(0));
  await reading;
}

describe("the outbox of a listener", () => {
  it("OUT-1 a reader gets every frame in order, and the end after the last", async () => {
    const { outbox, read, onClosed, hangUp } = listener();
    const reading = read();
    for (let at = 0; at < 3_000; at++) {
      outbox.push(text(at));
      if (at % 500 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    outbox.end();
    outbox.push(text(9_999));
    const numbers = (await reading).trim().split("\n").map(Number);
    expect(numbers).toEqual(Array.from({ length: 3_000 }, (_, at) => at));
    expect(onClosed).toHaveBeenCalledOnce();
    expect(hangUp).not.toHaveBeenCalled();
  });

  it("OUT-2 a listener that does not read is disconnected once a megabyte waits", async () => {
    const { outbox, onClosed, hangUp } = listener();
    await stopAfterOne(outbox);
    for (let at = 0; at < 103; at++) outbox.push(text(at, 10 * 1024));
    expect(hangUp).not.toHaveBeenCalled();
    for (let at = 0; at < 3; at++) outbox.push(text(at, 10 * 1024));
    expect([hangUp, onClosed].map(({ mock }) => mock.calls.length)).toEqual([1, 1]);
    const many = listener();
    await stopAfterOne(many.outbox);
    for (let at = 0; at < 10_001; at++) many.outbox.push(text(at));
    expect(many.hangUp).toHaveBeenCalledOnce();
  });

  it("OUT-3 one event larger than the buffer reaches a listener that reads", async () => {
    const { outbox, read } = listener();
    const reading = read();
    outbox.push(text(1, 3 * 1024 * 1024));
    outbox.push(text(2));
    outbox.end();
    expect((await reading).length).toBe(3 * 1024 * 1024 + 10);
  });

  it("OUT-4 a stream that is disconnected drops its queue", async () => {
    const { outbox, read, onClosed } = listener();
    outbox.push(text(1));
    outbox.cut();
    outbox.cut();
    expect(await read()).toBe("");
    expect(onClosed).toHaveBeenCalledOnce();
  });

  it("OUT-5 an event is encoded once for all listeners", () => {
    const encoded = vi.fn(() => "x");
    const eventOf = sharedEvents((update: { readonly kind: string }) => ({
      name: update.kind,
      data: { toJSON: encoded },
    }));
    const update = { kind: "turn" };
    const frames = Array.from({ length: 500 }, () => frameOf(eventOf(update)));
    expect(new Set(frames).size).toBe(1);
    expect(encoded).toHaveBeenCalledOnce();
    expect(new TextDecoder().decode(frames[0])).toBe('event: turn\ndata: "x"\n\n');
    expect(new TextDecoder().decode(frameOf({ id: "7", name: "a", data: "b\nc" }))).toBe(
      'event: a\ndata: "b\\nc"\nid: 7\n\n',
    );
  });

  it("OUT-6 other work runs while many listeners are written to", async () => {
    const outboxes = new Outboxes();
    const many = Array.from({ length: 500 }, () => listener(outboxes));
    const reading = many.map(({ read }) => read());
    let turns = 0;
    const count = setInterval(() => turns++, 0);
    for (const { outbox } of many) outbox.push(text(1));
    await new Promise((resolve) => setTimeout(resolve, 50));
    for (const { outbox } of many) outbox.end();
    await Promise.all(reading);
    clearInterval(count);
    expect(turns).toBeGreaterThan(3);
  });
});
