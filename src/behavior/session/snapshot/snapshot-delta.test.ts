import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PersistentMap } from "../../../base/kernel/persistent-map.ts";
import type { Json } from "../../../base/words/json.ts";
import type { State } from "../../../base/words/session-view.ts";
import { encodeState, Slices, type Snapshot, serialiseSnapshot } from "./snapshot.ts";
import { changedBy, changeOf, mergeChanges, serialiseChange } from "./snapshot-delta.ts";

const key = fc.oneof(fc.constantFrom("a", "b", "$map", "$$map", "__proto__", "constructor", ""), fc.string());
const state: fc.Arbitrary<State> = fc.letrec<{ state: State }>((tie) => ({
  state: fc.oneof(
    { depthSize: "medium", withCrossShrink: true },
    fc.constant(null),
    fc.boolean(),
    fc.integer(),
    fc.string({ unit: "binary" }),
    fc.array(tie("state"), { maxLength: 4 }),
    fc.array(fc.tuple(key, tie("state")), { maxLength: 4 }).map((entries) => Object.fromEntries(entries)),
    fc.array(fc.tuple(key, tie("state")), { maxLength: 6 }).map((entries) => PersistentMap.from(entries)),
  ),
})).state;

/** Another state that shares most with the first, as the next of a session does. */
function edited(before: State, picks: readonly number[], value: State): State {
  const [pick = 0, ...rest] = picks;
  if (picks.length === 0) return value;
  if (before instanceof PersistentMap) {
    const found = [...before][pick % (before.size + 1)];
    if (found === undefined) return before.set(`k${pick}`, value);
    return pick % 5 === 0 ? before.delete(found[0]) : before.set(found[0], edited(found[1], rest, value));
  }
  if (Array.isArray(before)) {
    const at = pick % (before.length + 1);
    if (pick % 5 === 0) return before.toSpliced(at, 1);
    return at === before.length ? [...before, value] : before.with(at, edited(before[at], rest, value));
  }
  if (before !== null && typeof before === "object") {
    const names = Object.keys(before);
    const name = names[pick % (names.length + 1)] ?? `k${pick}`;
    const fields = new Map<string, State | undefined>(Object.entries(before));
    if (pick % 5 === 0) fields.delete(name);
    else fields.set(name, edited(fields.get(name) ?? null, rest, value));
    return Object.fromEntries(fields);
  }
  return value;
}
const pair = fc.oneof(
  fc.tuple(state, state),
  fc
    .tuple(state, fc.array(fc.nat(20), { maxLength: 4 }), state)
    .map(([before, picks, value]): [State, State] => [before, edited(before, picks, value)]),
);
const sent = (json: Json): Json => JSON.parse(JSON.stringify(json));

describe("a change of a state", () => {
  it("CHG-1 applying the JSON delta of any two states to the first gives the second", () => {
    fc.assert(
      fc.property(pair, ([before, after]) => {
        const change = changeOf(before, after);
        const made = change === undefined ? before : changedBy(before, sent(change));
        expect(JSON.stringify(encodeState(made))).toBe(JSON.stringify(encodeState(after)));
      }),
    );
  });

  it("CHG-2 the delta of a large state contains only the changed entries", () => {
    let map = PersistentMap.empty<State>();
    for (let at = 0; at < 20_000; at++) map = map.set(`key ${at}`, { at, list: [1, 2, 3] });
    const after = map
      .set("key 7", { at: 8, list: [1, 2, 3, 4] })
      .set("new", 1)
      .delete("key 9");
    expect(sent(changeOf({ map, n: 1 }, { map: after, n: 1 }) ?? null)).toEqual([
      "{",
      [
        [
          "map",
          [
            "map",
            expect.arrayContaining([
              ["new", ["=", 1]],
              ["key 9", null],
            ]),
          ],
        ],
      ],
    ]);
    expect([...after.since(map)].map(([name]) => name).toSorted()).toEqual(["key 7", "key 9", "new"]);
    expect(JSON.stringify(changeOf(map, after)).length).toBeLessThan(150);
  });

  it("CHG-3 a delta that does not fit the state is rejected", () => {
    const list: State = [1, 2];
    for (const [before, change] of [
      [list, ["[", 2, 1, []]],
      [list, ["[", -1, 0, []]],
      [list, ["[", 0.5, 0, []]],
      [list, ["move", 1, 2, []]],
      [list, ["move", -1, 1, []]],
      [list, ["{", []]],
      [{ a: 1 }, ["map", []]],
      [{ a: 1 }, ["{", [["a"]]]],
      [{ a: 1 }, ["{", [["a", "="]]]],
      [PersistentMap.empty<State>(), ["map", [["a", ["{", []]]]]],
      [null, ["?"]],
      [null, null],
    ] as readonly (readonly [State, Json])[])
      expect(() => changedBy(before, change)).toThrow();
  });

  it.each([
    ["drops its oldest item", [1, 2, 3, 4], [2, 3, 4, 5], ["move", 1, 3, [5]]],
    ["drops its oldest item and replaces the newest", [1, 2, 3, 4], [2, 3, 9, 5], ["move", 1, 2, [9, 5]]],
    ["only grows", [1, 2], [1, 2, 3], ["[", 2, 0, [3]]],
  ])("CHG-5 a list that %s is stored without the items that stay", (_what, before, after, change) => {
    expect(changeOf(before, after)).toEqual(change);
    expect(changedBy(before, change as Json)).toEqual(after);
  });

  it("CHG-4 a persistent map lists its changes since another map, even without shared structure", () => {
    const entries = fc.array(fc.tuple(fc.string({ maxLength: 2 }), fc.integer({ min: 0, max: 3 })), { maxLength: 60 });
    fc.assert(
      fc.property(entries, entries, fc.boolean(), (some, others, isShared) => {
        const before = PersistentMap.from(some);
        let after = isShared ? before : PersistentMap.empty<number>();
        for (const [name, value] of others) after = value === 0 ? after.delete(name) : after.set(name, value);
        const expected = new Map<string, number | undefined>();
        for (const [name, value] of after) if (before.get(name) !== value) expected.set(name, value);
        for (const [name] of before) if (!after.has(name)) expected.set(name, undefined);
        const found = [...after.since(before)];
        expect(new Map(found)).toEqual(expected);
        expect(found).toHaveLength(expected.size);
      }),
    );
  });
});

describe("changes of a snapshot", () => {
  const values = fc.dictionary(fc.constantFrom("one", "two", "x", "y"), state, { noNullPrototype: true });
  const snapshots = fc
    .array(fc.record({ log: values, state: values, at: fc.nat(), point: fc.option(fc.nat()) }), {
      minLength: 1,
      maxLength: 5,
    })
    .map((all) =>
      all.map(
        ({ log, state, at, point }): Snapshot => ({
          ...{ session: "s", agent: "a", at, slices: Slices.of(state, log) },
          ...(point === null ? {} : { point: { run: "r", seq: point } }),
        }),
      ),
    );
  const texts = (all: readonly Snapshot[]): readonly string[] => {
    const kept: string[] = [];
    for (const [at, snapshot] of all.entries()) {
      const before = all[at - 1];
      kept.push(
        before === undefined ? serialiseSnapshot(snapshot) : serialiseChange(before, snapshot, kept[at - 1] ?? ""),
      );
    }
    return kept;
  };

  it("CHG-10 merging a snapshot with its deltas gives exactly the text of the last snapshot", () => {
    fc.assert(
      fc.property(snapshots, (all) => {
        const [whole = "", ...changes] = texts(all);
        const last = all.at(-1);
        expect(mergeChanges(whole, changes)).toBe(last === undefined ? "" : serialiseSnapshot(last));
      }),
    );
  });

  const one = (n: number): Snapshot => ({ session: "s", agent: "a", at: n, slices: Slices.of({ x: n }, { y: [n] }) });
  const [whole = "", first = "", second = "", third = ""] = texts([one(1), one(2), one(3), one(4)]);

  it.each([
    ["one is missing", [first, third]],
    ["the first is missing", [second, third]],
    ["one is there twice", [first, first, second]],
    ["they are in another order", [second, first, third]],
    ["one is of another session", [first.replace('"session":"s"', '"session":"t"')]],
    ["one was changed", [first.replace('"at":2', '"at":9')]],
    ["one was cut off", [first.slice(0, -10)]],
    ["one is empty", [""]],
    ["one is of another kind", [whole]],
  ])("CHG-11 merging deltas gives a fault and no state when %s", (_, changes) => {
    expect(mergeChanges(whole, changes)).toHaveProperty("fault.code");
  });

  it("CHG-12 merging the first n deltas gives exactly the nth snapshot", () => {
    expect(mergeChanges(whole, [first, second, third])).toBe(serialiseSnapshot(one(4)));
    expect(mergeChanges(whole, [first])).toBe(serialiseSnapshot(one(2)));
    expect(mergeChanges("{}", [])).toHaveProperty("fault");
  });
});
