import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Slices, type Snapshot } from "../../behavior/session/snapshot/snapshot.ts";
import { mergeChanges } from "../../behavior/session/snapshot/snapshot-delta.ts";
import { PersistentSession, type SessionSaves } from "./persistent-session.ts";
import type { Session } from "./session.ts";

/** A session whose whole state is a number, and as much ballast as it is told. */
function counting(ballast = 0) {
  let now = 0;
  const log = { ballast: "x".repeat(ballast) };
  let slices = Slices.of({ now }, log);
  const session = {
    id: "s",
    agent: "a",
    ended: false,
    snapshot: (): Snapshot => ({ session: "s", agent: "a", at: now, slices }),
    notice: () => undefined,
  } as unknown as Session;
  return {
    session,
    /** What the text of a state says it is. */
    read: (text: string) => Number(JSON.parse(text).state.now),
    change: () => {
      slices = Slices.of({ now: ++now }, log);
      return now;
    },
  };
}

type Store = SessionSaves["store"];

/** A store of one session: the texts as they were written, what it holds now, and what is to go wrong. */
function keeping() {
  const written: { readonly kind: "save" | "append"; readonly text: string }[] = [];
  const faults: (() => unknown)[] = [];
  let version = 0;
  let parts: readonly [string, ...string[]] = [""];
  const load = (): string => {
    const [whole, ...changes] = parts;
    const merged = mergeChanges(whole, changes);
    if (typeof merged !== "string") throw new Error(merged.fault.message);
    return merged;
  };
  const write = async (kind: "save" | "append", text: string, expected: number): Promise<boolean> => {
    await faults.shift()?.();
    if (expected !== version) return false;
    version += 1;
    parts = kind === "save" ? [text] : [...parts, text];
    written.push({ kind, text });
    return true;
  };
  const store: Store = {
    load: async () => ({ snapshot: load(), version, beside: {} }),
    save: (_id, state) => write("save", state.snapshot, state.expectedVersion),
    append: (_id, { change, expectedVersion }) => write("append", change, expectedVersion),
    setAside: async () => undefined,
  };
  return { written, store, faults, load };
}

function persistent(session: Session, store: Store, version = 0): PersistentSession {
  return new PersistentSession(session, { saves: { store, now: () => 0, onFailure: "deny" }, details: {}, version });
}

describe("keeping a session's state", () => {
  it.each([0, 100_000])(
    "STA-1 with %d bytes, in any order of events, saves never overlap, and an acknowledged state is stored",
    async (ballast) => {
      await fc.assert(
        fc.asyncProperty(fc.scheduler(), fc.array(fc.boolean(), { maxLength: 12 }), async (scheduler, changes) => {
          const { session, change, read } = counting(ballast);
          const { store, load } = keeping();
          let [kept, underWay, changed] = [-1, 0, 0];
          const one = <G extends readonly unknown[]>(run: (...given: G) => Promise<boolean>) =>
            scheduler.scheduleFunction(async (...given: G) => {
              underWay += 1;
              expect(underWay).toBe(1);
              const done = await run(...given);
              kept = read(load());
              underWay -= 1;
              return done;
            });
          const keeper = persistent(session, { ...store, save: one(store.save), append: one(store.append) });
          const waiting: Promise<void>[] = [];
          scheduler.scheduleSequence(
            changes.map((changes) => async () => {
              if (changes) changed = change();
              const then = changed;
              waiting.push(keeper.save().then(() => expect(kept).toBeGreaterThanOrEqual(then)));
            }),
          );
          await scheduler.waitAll();
          await scheduler.waitFor(Promise.all(waiting));
          if (changes.length > 0) expect(kept).toBe(changed);
        }),
      );
    },
  );

  it.each([
    { isShared: true, saved: 1 },
    { isShared: false, saved: 0 },
  ])("STA-6 on a shared store ($isShared) a result is saved before the turn goes on", async ({ isShared, saved }) => {
    const { session, change } = counting();
    const { store, written } = keeping();
    const result = { outcome: "ok", parts: [] } as const;
    Object.assign(session, { onResult: async () => ({ result, changed: change() < 0 }) });
    const saves = { store, now: () => 0, onFailure: "deny", isShared } as const;
    const keeper = new PersistentSession(session, { saves, details: {}, version: 0 });
    await keeper.onResult({ id: "c", tool: "t" }, result);
    expect(written).toHaveLength(saved);
    await keeper.save();
    expect(written).toHaveLength(1);
  });

  it("STA-7 a stop is answered after its state and its events are stored", async () => {
    const { session, change } = counting();
    const { store, written } = keeping();
    const gate = Promise.withResolvers<void>();
    const order: string[] = [];
    Object.assign(session, { onStop: async () => ({ kind: "allow", changed: change() }) });
    const flushEvents = async () => {
      await gate.promise;
      order.push("events");
    };
    const saves = { store, now: () => 0, onFailure: "reject", flushEvents } as const;
    const keeper = new PersistentSession(session, { saves, details: {}, version: 0 });
    const stopped = keeper.onStop({ output: "" }).then(() => order.push("answer"));
    gate.resolve();
    await stopped;
    expect([order, written.length]).toEqual([["events", "answer"], 1]);
  });

  it("STA-2 an unchanged state is not written again, and the next save includes a failed one", async () => {
    const { session, change, read } = counting();
    const { store, written, faults } = keeping();
    const away = () => Promise.reject(new Error("away"));
    const keeper = persistent(session, store);
    faults.push(away, away, away);
    change();
    const [first, second] = [keeper.save(), keeper.save()];
    await expect(first).rejects.toThrow("away");
    await expect(second).rejects.toThrow("away");
    await keeper.flush();
    await keeper.save();
    await keeper.save();
    expect(written.map(({ kind, text }) => [kind, read(text)])).toEqual([["save", 1]]);
  });

  it("STA-3 a large state is written as deltas, and as a full snapshot once the deltas are four times as large", async () => {
    const { session, change, read } = counting(6_000);
    const { written, store, load } = keeping();
    const keeper = persistent(session, store);
    for (let at = 0; at < 300; at++) {
      const now = change();
      await keeper.save();
      expect(read(load())).toBe(now);
    }
    const whole = written.filter(({ kind }) => kind === "save");
    expect(whole.length).toBeGreaterThan(1);
    expect(whole.length).toBeLessThan(10);
    for (const { kind, text } of written) if (kind === "append") expect(text.length).toBeLessThan(250);
    // Between two of them the changes are never more than four times what they stand on.
    const runs = written
      .map(({ kind }) => (kind === "save" ? "\n" : "+"))
      .join("")
      .split("\n");
    for (const run of runs) expect(run.length * 130).toBeLessThan(30_000);
  });

  it("STA-4 after a failed write the next save is a full snapshot", async () => {
    const { session, change, read } = counting(20_000);
    const { written, faults, store, load } = keeping();
    const keeper = persistent(session, store);
    for (const fault of [undefined, undefined, () => Promise.reject(new Error("away")), undefined, undefined]) {
      if (fault !== undefined) faults.push(fault);
      change();
      await keeper.save().catch(() => undefined);
    }
    expect(written.map(({ kind }) => kind)).toEqual(["save", "append", "save", "append"]);
    expect(read(load())).toBe(5);
  });

  it("STA-5 a reopened session starts with a full snapshot", async () => {
    const { session, change, read } = counting(20_000);
    const { written, store, load } = keeping();
    for (const version of [0, 2]) {
      const keeper = persistent(session, store, version);
      for (let at = 0; at < 2; at++) {
        change();
        await keeper.save();
      }
    }
    expect(written.map(({ kind }) => kind)).toEqual(["save", "append", "save", "append"]);
    expect(read(load())).toBe(4);
  });
});
