import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson } from "../../base/kernel/canonical-json.ts";
import { defineSlice } from "../../base/kernel/define-slice.ts";
import { PersistentMap } from "../../base/kernel/persistent-map.ts";
import type { Budget } from "../../base/words/budget.ts";
import type { State } from "../../base/words/session-view.ts";
import { committed, exhausted, reserve, type Spending, settle, spendingSlice } from "./budget.ts";
import {
  appendCall,
  callCount,
  callLogSlice,
  evidenceOf,
  evidenceSlice,
  RECENT_CALLS,
  recentCalls,
  recordEvidence,
} from "./calls.ts";
import { modesSlice, permissionsOf, safeModes } from "./modes/modes.ts";
import { decodeState, encodeState, parseSnapshot, Slices, serialiseSnapshot } from "./snapshot/snapshot.ts";

const stateSlice = defineSlice<number>({ name: "n", kind: "STATE", initial: 0 });
const logSlice = defineSlice<number>({ name: "n", kind: "LOG", initial: 0 });

const state: fc.Arbitrary<State> = fc.letrec<{ state: State }>((tie) => ({
  state: fc.oneof(
    { maxDepth: 4 },
    fc.constant(null),
    fc.boolean(),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).filter((n) => !Object.is(n, -0)),
    fc.string({ unit: "binary" }),
    fc.array(tie("state"), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom("a", "$map", "$$map", "$", "b"), tie("state"), { maxKeys: 4, noNullPrototype: true }),
    fc.array(fc.tuple(fc.string(), tie("state")), { maxLength: 6 }).map((entries) => PersistentMap.from(entries)),
  ),
})).state;

describe("slices", () => {
  it("SL-1 restore resets STATE and keeps LOG for slices with the same name", () => {
    const then = Slices.empty.with(stateSlice, 1).with(logSlice, 1);
    const now = then.with(stateSlice, 2).with(logSlice, 2).restored(then);
    expect([now.get(stateSlice), now.get(logSlice)]).toEqual([1, 2]);
  });

  it("SL-2 a change does not affect older slices, and setting an equal value returns the same slices", () => {
    const then = Slices.empty.with(stateSlice, 1);
    then.with(stateSlice, 2);
    expect(then.get(stateSlice)).toBe(1);
    expect(then.with(stateSlice, 1)).toBe(then);
    expect(Slices.empty.get(stateSlice)).toBe(0);
  });
});

describe("snapshots", () => {
  it("SN-1 any state round-trips exactly, and equal states give equal text", () => {
    fc.assert(
      fc.property(state, (value) => {
        const text = JSON.stringify(encodeState(value));
        expect(JSON.stringify(encodeState(decodeState(JSON.parse(text))))).toBe(text);
        expect(decodeState(JSON.parse(text))).toEqual(value);
        expect(text).toBe(canonicalJson(JSON.parse(text)));
      }),
    );
  });

  it("SN-2 a whole snapshot round-trips with STATE and LOG separate", () => {
    fc.assert(
      fc.property(state, state, fc.nat(), (a, b, at) => {
        const slices = Slices.of({ x: a }, { x: b });
        const text = serialiseSnapshot({ session: "s", agent: "g", at, slices });
        const read = parseSnapshot(text);
        if ("fault" in read) throw new Error(read.fault.message);
        expect(serialiseSnapshot(read)).toBe(text);
        expect(read.slices.named("STATE")).toEqual({ x: a });
        expect(read.slices.named("LOG")).toEqual({ x: b });
      }),
    );
  });

  const good = serialiseSnapshot({ session: "s", agent: "g", at: 1, slices: Slices.of({ n: 1 }, {}) });
  it.each([
    ["cut off", good.slice(0, -5), "not-json"],
    ["one digit changed", good.replace('"n":1', '"n":2'), "checksum"],
    ["another version", good.replace('"v":1', '"v":9'), "version"],
    ["some other JSON", '{"a":1}', "not-a-snapshot"],
    ["a list", "[1]", "not-a-snapshot"],
    ["empty", "", "not-json"],
  ])("SN-3 an invalid snapshot is rejected and never treated as a new session: %s", (_what, text, code) => {
    expect(parseSnapshot(text)).toMatchObject({ fault: { code } });
  });

  it.each([
    ["a map that is no list", { $map: 1 }],
    ["an entry without a key", { $map: [[1, 2]] }],
    ["an entry of three", { $map: [["a", 1, 2]] }],
  ])("SN-4 a state with %s cannot be decoded", (_what, json) => {
    expect(() => decodeState(json as never)).toThrow("$map");
  });
});

describe("modes", () => {
  it.each([
    [undefined, false],
    ["elevated", false],
    [{ elevated: "false" }, false],
    [{ elevated: 1 }, false],
    [["elevated"], false],
    [{ elevated: true }, true],
  ])("MO-1 the stored modes %j give elevated %s", (stored, elevated) => {
    const modes = safeModes(stored);
    expect(modes.elevated).toBe(elevated);
    expect(permissionsOf(modes)).toEqual({
      autoApprove: elevated,
      restrictToWorkspace: !elevated,
      allowHighRisk: elevated,
    });
    expect(modesSlice.initial.elevated).toBe(false);
  });
});

describe("budget", () => {
  const time = { elapsed: 100, now: 100 };
  const session = (spending: Spending, budget: Budget, more: { deadline?: number } = {}) =>
    [{ scope: "session", budget, used: committed(spending), ...time, ...more }] as const;
  const spent = (usage: object) => settle(spendingSlice.initial, "x", usage);
  it.each([
    [{ inputTokens: 5 }, { inputTokens: 5 }, undefined],
    [{ inputTokens: 6 }, { inputTokens: 5 }, "inputTokens"],
    [{ outputTokens: 6 }, { outputTokens: 5 }, "outputTokens"],
    [{ inputTokens: 3, outputTokens: 3 }, { tokens: 5 }, "tokens"],
    [{ calls: 3 }, { calls: 2 }, "calls"],
    [{ cost: 0.2 }, { cost: 0.1 }, "cost"],
    [{}, { time: 99 }, "time"],
    [{}, { time: 100 }, undefined],
    [{ inputTokens: Number.NaN, calls: -5 }, { tokens: 0, calls: 0 }, undefined],
  ])("BU-1 spending %j of the budget %j exhausts %s: only strictly greater counts", (usage, budget, what) => {
    expect(exhausted(session(spent(usage), budget))?.what).toBe(what);
  });

  it("BU-2 a deadline is reached at its exact time and is reported before any budget", () => {
    expect(exhausted(session(spent({ calls: 9 }), { calls: 1 }, { deadline: 100 }))?.what).toBe("deadline");
    expect(exhausted(session(spent({}), {}, { deadline: 101 }))).toBeUndefined();
  });

  it("BU-3 a reservation counts until it is settled; then the actual spending counts", () => {
    const reserved = reserve(spendingSlice.initial, "r", { inputTokens: 10 });
    expect(committed(reserved).inputTokens).toBe(10);
    expect(reserved.usage.inputTokens).toBe(0);
    expect(committed(settle(reserved, "r", { inputTokens: 4 })).inputTokens).toBe(4);
    expect(committed(settle(reserved, "r", {})).inputTokens).toBe(0);
    expect(committed(reserve(reserved, "r", { inputTokens: 3 })).inputTokens).toBe(3);
    expect(exhausted(session(reserved, { tokens: 10 }), { inputTokens: 1 })?.what).toBe("tokens");
  });
});

describe("call log", () => {
  const record = (i: number) => ({ id: `c${i}`, tool: "t", actions: [], outcome: "ok", at: i, argsHash: "h" }) as const;

  it("CL-1 the call log counts all calls, stores the newest ones and stays bounded", () => {
    let log = callLogSlice.initial;
    for (let i = 0; i < 1_000; i++) log = appendCall(log, "a", record(i));
    expect(callCount(log, "a")).toBe(1_000);
    expect(recentCalls(log, "a", 3).map((call) => call.id)).toEqual(["c997", "c998", "c999"]);
    expect(recentCalls(log, "a", 9_999).length).toBeGreaterThanOrEqual(RECENT_CALLS);
    expect(log.older.length + log.newer.length).toBeLessThanOrEqual(2 * RECENT_CALLS);
    expect(recentCalls(log, "a", 0)).toEqual([]);
  });

  it("CL-2 the call log has separate counts and calls for each agent", () => {
    const log = appendCall(appendCall(callLogSlice.initial, "a", record(1)), "b", record(2));
    expect([callCount(log, "a"), callCount(log, "b"), callCount(log, "c")]).toEqual([1, 1, 0]);
    expect(recentCalls(log, "b", 5)).toEqual([record(2)]);
  });
});

describe("evidence", () => {
  const call = {
    id: "1",
    tool: "shell",
    args: {},
    actions: ["test", "deploy"],
    proves: ["test"],
    paths: [],
    native: { runtime: "x", name: "shell", input: {} },
  };

  it("EV-1 an ok outcome proves the tool and only what the call strictly is", () => {
    const map = recordEvidence(evidenceSlice.initial, call, "ok", 5);
    expect(evidenceOf(map, "test")).toEqual({ ok: 1, lastOkAt: 5, last: "ok" });
    expect(evidenceOf(map, "shell")?.ok).toBe(1);
    expect(evidenceOf(map, "deploy")).toBeUndefined();
  });

  it.each(["failed", "unknown"] as const)(
    "EV-2 a call with the outcome %s proves nothing and invalidates the evidence of all its actions",
    (outcome) => {
      const map = recordEvidence(recordEvidence(evidenceSlice.initial, call, "ok", 5), call, outcome, 6);
      expect(evidenceOf(map, "test")).toEqual({ ok: 1, lastOkAt: 5, last: outcome });
      expect(evidenceOf(map, "deploy")).toEqual({ ok: 0, lastOkAt: 0, last: outcome });
    },
  );

  it.each(["denied", "cancelled"] as const)(
    "EV-3 a call with the outcome %s never ran and does not change the evidence",
    (outcome) => {
      expect(recordEvidence(evidenceSlice.initial, call, outcome, 6)).toBe(evidenceSlice.initial);
    },
  );
});
