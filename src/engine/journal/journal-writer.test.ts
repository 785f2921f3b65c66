import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ConductEvent, Fault } from "../../base/words/event.ts";
import { testConduct } from "../session/test/test-conduct.ts";
import { ok, orderPolicy, play } from "../session/test/test-play.ts";
import { JournalWriter, type JournalWriterOptions } from "./journal-writer.ts";
import { redactWith } from "./redact-event.ts";

/** A store in a test's hands: up, down, or hanging until it is let go. */
function testStore() {
  const batches: (readonly ConductEvent[])[] = [];
  const store = {
    mode: "up" as "up" | "down" | "hanging",
    batches,
    letGo: () => {},
    ids: () => batches.flat().map(({ id }) => id),
    types: () => batches.flat().map(({ type }) => type),
    async append(events: readonly ConductEvent[]) {
      if (store.mode === "down") throw new Error("The store is away.");
      if (store.mode === "hanging") await new Promise<void>((resolve) => (store.letGo = resolve));
      batches.push(events);
      return events.length;
    },
  };
  return store;
}

function open(options: Partial<JournalWriterOptions> = {}) {
  const world = testConduct({ policies: [orderPolicy()] });
  const store = testStore();
  const faults: Fault[] = [];
  const writer = new JournalWriter((listener) => world.conduct.subscribe(listener), {
    journal: store,
    redact: redactWith(Buffer.alloc(32, 1)),
    report: (fault) => {
      faults.push(fault);
      world.conduct.report(fault);
    },
    ...options,
  });
  return { ...world, store, writer, faults, session: world.open({ id: "s" }) };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("journal writer", () => {
  it("JNW-1 events are written in batches, at most 50 ms after the first one", async () => {
    const { session, store, events } = open();
    session.notice({ kind: "started" });
    await vi.advanceTimersByTimeAsync(30);
    session.notice({ kind: "reply", text: "hi" });
    expect(store.batches).toEqual([]);
    await vi.advanceTimersByTimeAsync(20);
    expect(store.batches).toHaveLength(1);
    expect(store.batches[0]).toEqual(events);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(store.batches).toHaveLength(1);
  });

  it.each([
    { how: "a stop", end: "stop" },
    { how: "the end of the session", end: "ended" },
  ])("JNW-2 $how is written at once, with all events before it", async ({ end }) => {
    const { session, store } = open();
    await play(session, "test");
    if (end === "stop") await session.onStop();
    else session.notice({ kind: "ended" });
    await vi.advanceTimersByTimeAsync(1);
    expect(store.types()).toContain(end === "stop" ? "stop" : "notice");
    expect(store.types()).toContain("result");
  });

  it('JNW-3 with durability "each" every event is written at once', async () => {
    const { session, store } = open({ durability: "each" });
    await vi.advanceTimersByTimeAsync(1);
    session.notice({ kind: "started" });
    await vi.advanceTimersByTimeAsync(1);
    expect(store.batches).toHaveLength(2);
  });

  it("JNW-4 an unavailable store changes no decision; queued events are written once, in order, when it is back", async () => {
    const { session, store, events, writer, faults } = open();
    store.mode = "down";
    expect(await play(session, "deploy")).toBe("deny");
    await vi.advanceTimersByTimeAsync(300);
    expect(await play(session, "test", ok)).toBe("allow");
    expect(writer.state).toMatchObject({ kind: "behind", dropped: 0, message: "The store is away." });
    expect(faults).toEqual([expect.objectContaining({ code: "journal-behind" })]);
    store.mode = "up";
    await vi.advanceTimersByTimeAsync(5_000);
    expect(writer.state).toEqual({ kind: "kept" });
    expect(store.ids()).toEqual(events.map(({ id }) => id));
    expect(faults).toHaveLength(1);
  });

  it("JNW-5 when the queue is full the oldest events are dropped, counted, and reported when the store is back", async () => {
    const { session, store, events, writer, faults } = open({ maxEvents: 20 });
    store.mode = "down";
    for (let at = 0; at < 100; at++) {
      session.notice({ kind: "reply", text: `${at}` });
      await vi.advanceTimersByTimeAsync(100);
    }
    store.mode = "up";
    const before = events.map(({ id }) => id);
    await writer.flush();
    const lost = before.length - 20;
    expect(store.ids().slice(0, 20)).toEqual(before.slice(-20));
    expect(faults.at(-1)).toEqual({
      where: "journal",
      code: "journal-lost",
      message: `${lost} events were lost: the store was unavailable for too long.`,
    });
    // Told on the bus, so it is in the journal too.
    await writer.flush();
    expect(store.batches.flat().at(-1)).toMatchObject({ type: "fault", fault: { code: "journal-lost" } });
    expect(writer.state).toEqual({ kind: "kept" });
  });

  it("JNW-6 the queue of events is bounded in characters too", async () => {
    const { session, store, writer } = open({ maxCharacters: 50_000 });
    store.mode = "down";
    for (let at = 0; at < 50; at++) session.notice({ kind: "reply", text: "x".repeat(5_000) });
    const state = await writer.flush();
    if (state.kind === "kept") throw new Error("kept");
    expect(state.waiting).toBeLessThan(11);
    expect(state.waiting + state.dropped).toBeGreaterThanOrEqual(50);
  });

  it("JNW-7 a hanging store delays no turn, and events it already has do not count as lost", async () => {
    const { session, store, writer, events, faults } = open({ maxEvents: 5 });
    store.mode = "hanging";
    await vi.advanceTimersByTimeAsync(50);
    for (let at = 0; at < 8; at++) expect(await play(session, "test")).toBe("allow");
    expect(events.length).toBeGreaterThan(15);
    store.mode = "up";
    store.letGo();
    await writer.flush();
    expect(store.ids()).toContain(events[0]?.id);
    expect(faults.filter(({ code }) => code === "journal-lost")).toHaveLength(1);
  });

  it("JNW-8 once the store is back events are written within 50 ms again", async () => {
    const { session, store, writer } = open();
    store.mode = "down";
    await vi.advanceTimersByTimeAsync(10_000);
    store.mode = "up";
    await writer.flush();
    const written = store.ids().length;
    session.notice({ kind: "started" });
    await vi.advanceTimersByTimeAsync(50);
    expect(store.ids().length).toBeGreaterThan(written);
  });

  it("JNW-9 secrets do not reach the store, and subscribers still get the original event", async () => {
    const { session, store, events, writer } = open();
    await session.onMessage({ text: "my password=hunter22 is safe" });
    await writer.flush();
    expect(JSON.stringify(store.batches)).toMatch(/password=\[redacted:[0-9a-f]{12}\] is safe/);
    expect(JSON.stringify(store.batches)).not.toContain("hunter22");
    expect(JSON.stringify(events)).toContain("hunter22");
  });

  it("JNW-11 changes that a runtime makes to its arguments after the decision do not reach the journal", async () => {
    const { session, store, writer } = open();
    const args = { list: ["as decided"] };
    await session.onCall({ id: "c", tool: "test", args });
    args.list[0] = "changed";
    await writer.flush();
    expect(JSON.stringify(store.batches)).not.toContain("changed");
  });

  it("JNW-10 close writes queued events and unsubscribes; a hanging store delays it by at most 5 seconds", async () => {
    const { session, store, writer } = open();
    expect(await writer.close()).toEqual({ kind: "kept" });
    const written = store.ids().length;
    session.notice({ kind: "started" });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(store.ids()).toHaveLength(written);
    const other = open();
    other.store.mode = "hanging";
    const closing = other.writer.close();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await closing).toMatchObject({ kind: "behind", waiting: 1 });
  });

  it('JNW-12 with durability "turn" a decision is written at once with its session\'s events; other sessions wait for their own', async () => {
    const { session, open: another, store, writer } = open({ durability: "turn" });
    await writer.flush();
    const other = another({ id: "t" });
    await writer.flush();
    const before = store.batches.length;
    other.notice({ kind: "reply", text: "other" });
    session.notice({ kind: "reply", text: "own" });
    await session.onCall({ id: "c", tool: "test", args: {} });
    await vi.advanceTimersByTimeAsync(0);
    const [written, ...more] = store.batches.slice(before);
    expect(more).toEqual([]);
    expect(written?.map(({ session: id, type }) => `${id} ${type}`)).toEqual(["s notice", "s call"]);
    session.notice({ kind: "reply", text: "later" });
    await writer.flush("t");
    expect(store.batches.at(-1)?.map(({ session: id }) => id)).toEqual(["t"]);
    await writer.flush("s");
    expect(store.batches.at(-1)?.map(({ session: id }) => id)).toEqual(["s"]);
  });

  it('JNW-13 with durability "turn" the events of a long turn are written after half a second, in order, even after a failure', async () => {
    const { session, store, writer, events } = open({ durability: "turn" });
    await writer.flush();
    const written = store.ids().length;
    session.notice({ kind: "reply", text: "one" });
    await vi.advanceTimersByTimeAsync(240);
    session.notice({ kind: "reply", text: "two" });
    expect(store.ids()).toHaveLength(written);
    await vi.advanceTimersByTimeAsync(260);
    expect(store.ids()).toHaveLength(written + 2);
    store.mode = "down";
    session.notice({ kind: "reply", text: "three" });
    await session.onCall({ id: "c", tool: "test", args: {} });
    await vi.advanceTimersByTimeAsync(100);
    expect(writer.state).toMatchObject({ kind: "behind" });
    store.mode = "up";
    await vi.advanceTimersByTimeAsync(5_000);
    expect(writer.state).toEqual({ kind: "kept" });
    expect(store.ids()).toEqual(events.map(({ id }) => id));
  });
});
