import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Slices } from "../../../behavior/session/snapshot/slices.ts";
import type { Snapshot } from "../../../behavior/session/snapshot/snapshot.ts";
import { memoryStores } from "../../../edge/stores/home-stores.ts";
import { keptStates, StateKeeper } from "./states.ts";

/** A session whose whole state is a number, and as much ballast as it is told. */
function counting(ballast = 0) {
  let now = 0;
  const log = { ballast: "x".repeat(ballast) };
  let slices = Slices.of({ now }, log);
  const session = {
    id: "s",
    snapshot: (): Snapshot => ({ session: "s", agent: "a", at: now, slices }),
    notice: () => undefined,
  };
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

/** States that are kept in memory; the texts as they were written, and what is to go wrong. */
function keeping() {
  const written: { readonly kind: "save" | "append"; readonly text: string }[] = [];
  const store = memoryStores().sessions;
  const states = keptStates(store, { now: () => 0, monotonic: () => 0 });
  const faults: (() => unknown)[] = [];
  const write = (kind: "save" | "append") => async (id: string, text: string) => {
    await faults.shift()?.();
    await states[kind](id, text);
    written.push({ kind, text });
  };
  return { written, store, faults, states: { ...states, save: write("save"), append: write("append") } };
}

describe("keeping a session's state", () => {
  it.each([0, 100_000])(
    "STA-1 with %d bytes, in any order of events: one save at a time, and whoever was told that it is kept finds it there",
    async (ballast) => {
      await fc.assert(
        fc.asyncProperty(fc.scheduler(), fc.array(fc.boolean(), { maxLength: 12 }), async (scheduler, changes) => {
          const { session, change, read } = counting(ballast);
          const { states, store } = keeping();
          let [kept, underWay, changed] = [-1, 0, 0];
          const one = (run: (id: string, text: string) => Promise<void>) =>
            scheduler.scheduleFunction(async (id: string, text: string) => {
              underWay += 1;
              expect(underWay).toBe(1);
              await run(id, text);
              kept = read((await store.load("s"))?.snapshot ?? "");
              underWay -= 1;
            });
          const keeper = new StateKeeper(session, { ...states, save: one(states.save), append: one(states.append) });
          const waiting: Promise<void>[] = [];
          scheduler.scheduleSequence(
            changes.map((changes) => async () => {
              if (changes) changed = change();
              const then = changed;
              waiting.push(keeper.keep().then(() => expect(kept).toBeGreaterThanOrEqual(then)));
            }),
          );
          await scheduler.waitAll();
          await scheduler.waitFor(Promise.all(waiting));
          if (changes.length > 0) expect(kept).toBe(changed);
        }),
      );
    },
  );

  it("STA-2 what has not changed is not written again; a save that failed is made good by the next", async () => {
    const { session, change, read } = counting();
    const { states, written, faults } = keeping();
    const away = () => Promise.reject(new Error("away"));
    const keeper = new StateKeeper(session, states);
    faults.push(away, away, away);
    change();
    const [first, second] = [keeper.keep(), keeper.keep()];
    await expect(first).rejects.toThrow("away");
    await expect(second).rejects.toThrow("away");
    await keeper.keepOrTell();
    await keeper.keep();
    await keeper.keep();
    expect(written.map(({ kind, text }) => [kind, read(text)])).toEqual([["save", 1]]);
  });

  it("STA-3 a large state is written as what has changed, and as a whole again when that has become as much", async () => {
    const { session, change, read } = counting(20_000);
    const { states, written, store } = keeping();
    const keeper = new StateKeeper(session, states);
    for (let at = 0; at < 300; at++) {
      const now = change();
      await keeper.keep();
      expect(read((await store.load("s"))?.snapshot ?? "")).toBe(now);
    }
    const whole = written.filter(({ kind }) => kind === "save");
    expect(whole.length).toBeGreaterThan(1);
    expect(whole.length).toBeLessThan(10);
    for (const { kind, text } of written) if (kind === "append") expect(text.length).toBeLessThan(250);
    // Between two of them the changes are never more than what they stand on.
    const runs = written
      .map(({ kind }) => (kind === "save" ? "\n" : "+"))
      .join("")
      .split("\n");
    for (const run of runs) expect(run.length * 130).toBeLessThan(30_000);
  });

  it("STA-4 after a failure it is not known what is kept: the whole is written", async () => {
    const { session, change, read } = counting(20_000);
    const { states, written, faults, store } = keeping();
    const keeper = new StateKeeper(session, states);
    for (const fault of [undefined, undefined, () => Promise.reject(new Error("away")), undefined, undefined]) {
      if (fault !== undefined) faults.push(fault);
      change();
      await keeper.keep().catch(() => undefined);
    }
    expect(written.map(({ kind }) => kind)).toEqual(["save", "append", "save", "append"]);
    expect(read((await store.load("s"))?.snapshot ?? "")).toBe(5);
  });

  it("STA-5 who opens it anew begins with the whole", async () => {
    const { session, change, read } = counting(20_000);
    const { states, written, store } = keeping();
    const [first, next] = [new StateKeeper(session, states), new StateKeeper(session, states)];
    for (const keeper of [first, first, next, next]) {
      change();
      await keeper.keep();
    }
    expect(written.map(({ kind }) => kind)).toEqual(["save", "append", "save", "append"]);
    expect(read((await store.load("s"))?.snapshot ?? "")).toBe(4);
  });
});
