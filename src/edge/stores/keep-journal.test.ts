import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { testConduct } from "../../engine/session/test/test-conduct.ts";
import { memoryStores } from "./home-stores.ts";
import { keepJournal } from "./keep-journal.ts";

const DAY = 86_400_000;

const key = async () => new Uint8Array(32);

// Not setImmediate: the store waits for it.
beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] }));
afterEach(() => void vi.useRealTimers());

describe("a kept journal", () => {
  it("JNL-23 the journal stores redacted events and deletes them after 30 days", async () => {
    const { conduct, open, time } = testConduct();
    const journal = memoryStores().events;
    const sweeps: Promise<number>[] = [];
    const expire = (before: number) => {
      const sweep = journal.expire(before);
      sweeps.push(sweep);
      return sweep;
    };
    const kept = keepJournal(conduct, { journal: { ...journal, expire }, key, now: () => time.now });
    await open({ id: "s" }).onMessage({ text: "password=hunter22" });
    expect(await kept.flush()).toEqual({ kind: "kept" });
    const { events } = await journal.read({ types: ["message"], limit: 9 });
    expect(JSON.stringify(events)).toMatch(/password=\[redacted:[0-9a-f]{12}\]/);
    const count = await journal.count({});
    time.now += 30 * DAY;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await Promise.all(sweeps)).toEqual([0]);
    expect(await journal.count({})).toBe(count);
    time.now += 1;
    await vi.advanceTimersByTimeAsync(DAY);
    await Promise.all(sweeps);
    expect(await journal.count({})).toBe(0);
    await kept.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("JNL-25 prompt texts are stored with the journal, redacted, under the hashes in the event", async () => {
    const contributor = { id: "house", contribute: () => ({ content: "The password=hunter22 is on the fridge." }) };
    let kept: ReturnType<typeof keepJournal> | undefined;
    const { conduct, open } = testConduct(
      { contributors: [contributor] },
      { keepSections: (session, at, sections) => kept?.keepSections(session, at, sections) },
    );
    const journal = memoryStores().events;
    kept = keepJournal(conduct, { journal, key });
    const { sections } = await open({ id: "s" }).onPrompt();
    await kept.close();
    const [event] = (await journal.read({ types: ["prompt"], limit: 1 })).events.map((one) => one.event);
    if (event?.type !== "prompt") throw new Error("no prompt was kept");
    expect(event.sections.map(({ hash }) => hash)).toEqual(sections.map(({ hash }) => hash));
    const texts = await journal.readSections(event.sections.map(({ hash }) => hash));
    for (const { contributor: id, hash, text } of sections) {
      if (id === "house") expect(texts.get(hash)).toMatch(/password=\[redacted:[0-9a-f]{12}\] is on the fridge/);
      else expect(texts.get(hash)).toBe(text);
    }
    expect(texts.size).toBeGreaterThan(1);
  });

  it("JNL-24 a failed sweep of the journal is reported and retried", async () => {
    const { conduct, open, events } = testConduct();
    const expire = vi.fn(async () => {
      throw new Error("The store is away.");
    });
    const kept = keepJournal(conduct, { journal: { ...memoryStores().events, expire }, key });
    open({ id: "s" });
    await vi.advanceTimersByTimeAsync(DAY);
    expect(expire.mock.calls.length).toBeGreaterThan(2);
    expect(events.at(-1)).toMatchObject({ type: "fault", fault: { code: "journal-not-swept" } });
    await kept.close();
  });
});
