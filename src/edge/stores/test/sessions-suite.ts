import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SessionsStore } from "../../../base/ports/stores/sessions.ts";
import { Slices, type Snapshot, serialiseSnapshot } from "../../../behavior/session/snapshot/snapshot.ts";
import { serialiseChange } from "../../../behavior/session/snapshot/snapshot-delta.ts";

const NOW = 1_700_000_000_000.5;
const HOUR = 3_600_000;
const MONTH = 30 * 24 * HOUR;
type LeaseCase = {
  readonly case: string;
  readonly held?: string | undefined;
  readonly wish: { readonly now?: number; readonly until?: number; readonly over?: string };
  readonly winner: string;
};

function state(snapshot: string, expectedVersion: number, at = NOW) {
  return { snapshot, beside: { step: expectedVersion }, expectedVersion, at };
}

const at = (n: number): Snapshot => ({
  session: "a",
  agent: "x",
  at: n,
  slices: Slices.of({ n }, { all: [n, "\u0000"] }),
});

/** What is written for the states from `first` to `last`: the first whole, then what has changed. */
function texts(first: number, last: number): readonly [string, ...string[]] {
  const written: [string, ...string[]] = [serialiseSnapshot(at(first))];
  for (let n = first + 1; n <= last; n++) written.push(serialiseChange(at(n - 1), at(n), written.at(-1) ?? ""));
  return written;
}

/** What every store of sessions does. */
export function sessionsSuite(name: string, open: () => Promise<SessionsStore>): void {
  describe(`sessions: ${name}`, () => {
    it("SES-1 a session that was never saved does not exist, even if it is leased", async () => {
      const store = await open();
      expect(await store.load("a")).toBeUndefined();
      await store.lease("a", { holder: "me", until: NOW + 9, now: NOW });
      expect(await store.load("a")).toBeUndefined();
    });

    it("SES-2 the sessions store returns the last saved state", async () => {
      const store = await open();
      for (let version = 0; version < 12; version++) {
        expect(await store.save("a", state(`s${version}`, version))).toBe(true);
      }
      expect(await store.load("a")).toEqual({ snapshot: "s11", beside: { step: 11 }, version: 12 });
    });

    it("FAST-13 a large snapshot and its changes are read back as one state, before and after a small one", async () => {
      const store = await open();
      const large = (n: number): Snapshot => ({ ...at(n), slices: Slices.of({ n }, { all: ["x".repeat(20_000), n] }) });
      const whole = serialiseSnapshot(large(1));
      const change = { change: serialiseChange(large(1), large(2), whole), beside: undefined, at: NOW };
      for (const version of [0, 3]) {
        expect(await store.save("a", state(whole, version))).toBe(true);
        expect(await store.load("a")).toMatchObject({ snapshot: whole, version: version + 1 });
        expect(await store.append("a", { ...change, expectedVersion: version + 1 })).toBe(true);
        expect(await store.load("a")).toMatchObject({ snapshot: serialiseSnapshot(large(2)), version: version + 2 });
        if (version === 0) expect(await store.save("a", state("small", 2))).toBe(true);
        if (version === 0) expect(await store.load("a")).toMatchObject({ snapshot: "small", version: 3 });
      }
    });

    it.each([-1, 0, 2, 0.5, Number.NaN, 2 ** 40])(
      "SES-3 a save after version %d, when 1 is the newest, has no effect",
      async (version) => {
        const store = await open();
        await store.save("a", state("first", 0));
        expect(await store.save("a", state("other", version))).toBe(false);
        expect(await store.load("a")).toMatchObject({ snapshot: "first", version: 1 });
      },
    );

    it("SES-4 of concurrent saves after the same version exactly one wins", async () => {
      const store = await open();
      for (let version = 0; version < 3; version++) {
        const done = await Promise.all(Array.from({ length: 8 }, (_, at) => store.save("a", state(`s${at}`, version))));
        expect(done.filter((won) => won)).toHaveLength(1);
        expect(await store.load("a")).toMatchObject({ snapshot: `s${done.indexOf(true)}`, version: version + 1 });
      }
    });

    it.each([
      { case: "nobody holds it", held: undefined, wish: {}, winner: "me" },
      { case: "another holds it", held: "other", wish: {}, winner: "other" },
      { case: "it is held already by whoever asks", held: "me", wish: {}, winner: "me" },
      { case: "the time of the other is over", held: "other", wish: { now: NOW + 10 }, winner: "me" },
      { case: "the other is known to be gone", held: "other", wish: { over: "other" }, winner: "me" },
      { case: "a third is known to be gone", held: "other", wish: { over: "third" }, winner: "other" },
      {
        case: "the clock was an hour ahead",
        held: "other",
        wish: { now: NOW - HOUR, until: NOW - HOUR + 50 },
        winner: "other",
      },
      {
        case: "the clock was 30 days ahead",
        held: "other",
        wish: { now: NOW - MONTH, until: NOW - MONTH + 50 },
        winner: "me",
      },
    ] as readonly LeaseCase[])("SES-5 when $case the lease belongs to $winner", async ({ held, wish, winner }) => {
      const store = await open();
      if (held !== undefined) await store.lease("a", { holder: held, until: NOW + 10, now: NOW });
      await store.save("a", state("kept", 0));
      const lease = await store.lease("a", { holder: "me", until: NOW + 50, now: NOW, ...wish });
      expect(lease).toEqual({ holder: winner, until: winner === "me" ? (wish.until ?? NOW + 50) : NOW + 10 });
      expect(await store.load("a")).toMatchObject({ snapshot: "kept", version: 1 });
    });

    it("SES-6 of concurrent requests one gets the session's lease, and all see the same holder", async () => {
      const store = await open();
      const ask = (_: unknown, at: number) => store.lease("a", { holder: `h${at}`, until: NOW + 9, now: NOW });
      const heard = await Promise.all(Array.from({ length: 10 }, ask));
      expect(new Set(heard.map(({ holder }) => holder)).size).toBe(1);
    });

    it("SES-7 renewing extends a lease, releasing frees it, and neither affects another holder's lease", async () => {
      const store = await open();
      const take = (id: string, holder: string, now = NOW) => store.lease(id, { holder, until: now + 10, now });
      await take("a", "me");
      await take("b", "me");
      await take("c", "other");
      await store.renew({ holder: "me", until: NOW + 100 });
      await store.release("b", "me");
      await store.release("c", "me");
      await store.release("never seen", "me");
      expect(await take("a", "other", NOW + 50)).toMatchObject({ holder: "me" });
      expect(await take("b", "other", NOW + 5)).toMatchObject({ holder: "other" });
      expect(await take("c", "me", NOW + 5)).toMatchObject({ holder: "other" });
      expect(await take("c", "me", NOW + 50)).toMatchObject({ holder: "me" });
    });

    it("SES-8 old sessions are deleted, unless they are leased", async () => {
      const store = await open();
      await store.save("old", state("s", 0, NOW));
      await store.save("held", state("s", 0, NOW));
      await store.save("new", state("s", 0, NOW + 20));
      await store.lease("held", { holder: "me", until: NOW + 100, now: NOW });
      expect(await store.expire(NOW + 10)).toBe(1);
      expect(await store.load("old")).toBeUndefined();
      expect(await store.load("held")).toBeDefined();
      expect(await store.load("new")).toBeDefined();
      expect(await store.save("old", state("again", 0))).toBe(true);
    });

    it("SES-10 a removed session is deleted, leased or not, and others stay", async () => {
      const store = await open();
      for (const id of ["gone", "stays"]) await store.save(id, state("one", 0));
      await store.lease("gone", { holder: "h", until: 9_000, now: 1 });
      await store.remove("gone");
      await store.remove("never");
      expect([await store.load("gone"), (await store.load("stays"))?.version]).toEqual([undefined, 1]);
      expect(await store.save("gone", state("anew", 0))).toBe(true);
    });

    it("SES-9 a session with any name, text and JSON is read back unchanged, even if the caller changes it later", async () => {
      const store = await open();
      let made = 0;
      const text = fc.string({ unit: "binary" });
      await fc.assert(
        fc.asyncProperty(text, fc.jsonValue({ stringUnit: "binary" }), async (any, value) => {
          const id = `${made++}${any}`;
          const beside = JSON.parse(JSON.stringify({ value, list: ["mine"] }));
          const kept = structuredClone(beside);
          const snapshot = JSON.stringify({ any });
          expect(await store.save(id, { snapshot, beside, expectedVersion: 0, at: made })).toBe(true);
          beside.list.push("changed");
          expect(await store.load(id)).toEqual({ snapshot, beside: kept, version: 1 });
        }),
        { numRuns: 50 },
      );
    });

    it("SES-20 deltas are read back as the whole state, with the host's data", async () => {
      const store = await open();
      let version = 0;
      for (const [first, last] of [
        [0, 4],
        [5, 5],
        [6, 7],
      ] as const) {
        const [whole, ...changes] = texts(first, last);
        expect(await store.save("a", state(whole, version++))).toBe(true);
        for (const change of changes) {
          expect(await store.append("a", { change, expectedVersion: version++, at: NOW })).toBe(true);
          expect((await store.load("a"))?.version).toBe(version);
        }
        const beside = { step: version - 1 - changes.length };
        expect(await store.load("a")).toEqual({ snapshot: serialiseSnapshot(at(last)), beside, version });
        const onto = changes.at(-1) ?? whole;
        const next = serialiseChange(at(last), at(last), onto);
        expect(
          await store.append("a", { change: next, beside: { other: last }, expectedVersion: version++, at: NOW }),
        ).toBe(true);
        expect(await store.load("a")).toMatchObject({ beside: { other: last }, version });
      }
    });

    it.each([-1, 0, 1, 3, 0.5, Number.NaN, 2 ** 40])(
      "SES-21 a delta after version %d, when 2 is the newest, has no effect",
      async (expectedVersion) => {
        const store = await open();
        const [whole, one = "", other = ""] = texts(0, 2);
        await store.save("a", state(whole, 0));
        await store.append("a", { change: one, expectedVersion: 1, at: NOW });
        expect(await store.append("a", { change: other, expectedVersion, at: NOW })).toBe(false);
        expect(await store.load("a")).toMatchObject({ snapshot: serialiseSnapshot(at(1)), version: 2 });
      },
    );

    it("SES-22 no delta is accepted for an unsaved or removed session, even if it is leased", async () => {
      const store = await open();
      const [whole, change = ""] = texts(0, 1);
      expect(await store.append("a", { change, expectedVersion: 0, at: NOW })).toBe(false);
      await store.lease("a", { holder: "me", until: NOW + 9, now: NOW });
      expect(await store.append("a", { change, expectedVersion: 0, at: NOW })).toBe(false);
      await store.save("a", state(whole, 0));
      await store.append("a", { change, expectedVersion: 1, at: NOW });
      await store.remove("a");
      expect(await store.append("a", { change, expectedVersion: 2, at: NOW })).toBe(false);
      expect(await store.load("a")).toBeUndefined();
      // Nothing of it comes back with another of its name.
      await store.save("a", state(whole, 0));
      expect(await store.load("a")).toMatchObject({ snapshot: whole, version: 1 });
    });

    it("SES-23 of concurrent writers after the same version exactly one wins, with a snapshot or a delta", async () => {
      const store = await open();
      const [whole, change = ""] = texts(0, 1);
      await store.save("a", state(whole, 0));
      const done = await Promise.all(
        Array.from({ length: 8 }, (_, n) =>
          n % 2 === 0 ? store.append("a", { change, expectedVersion: 1, at: NOW }) : store.save("a", state(`s${n}`, 1)),
        ),
      );
      expect(done.filter((won) => won)).toHaveLength(1);
      const winner = done.indexOf(true);
      const snapshot = winner % 2 === 0 ? serialiseSnapshot(at(1)) : `s${winner}`;
      expect(await store.load("a")).toMatchObject({ snapshot, version: 2 });
    });

    it("SES-24 a delta that does not fit is never returned as a state", async () => {
      const store = await open();
      const [whole, , second = ""] = texts(0, 2);
      await store.save("a", state(whole, 0));
      expect(await store.append("a", { change: second, expectedVersion: 1, at: NOW })).toBe(true);
      await expect(store.load("a")).rejects.toMatchObject({
        code: "SESSION_DAMAGED",
        message: expect.stringContaining("The saved state of session a is damaged"),
      });
    });

    it("SES-25 a state that was set aside counts as never saved, and its lease stays in force", async () => {
      const store = await open();
      const [whole, , second = ""] = texts(0, 2);
      await store.save("a", state(whole, 0));
      await store.append("a", { change: second, expectedVersion: 1, at: NOW });
      await store.lease("a", { holder: "me", until: NOW + 1_000, now: NOW });
      await store.setAside("a", "it is damaged", NOW);
      expect(await store.load("a")).toBeUndefined();
      expect(await store.lease("a", { holder: "other", until: NOW + 1_000, now: NOW })).toMatchObject({ holder: "me" });
      expect(await store.save("a", state("anew", 0))).toBe(true);
      expect(await store.load("a")).toMatchObject({ snapshot: "anew", version: 1 });
      await store.setAside("unknown", "never saved", NOW);
      expect(await store.load("unknown")).toBeUndefined();
    });
  });
}
