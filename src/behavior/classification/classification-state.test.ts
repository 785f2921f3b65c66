import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ClassifyBecause, SessionClassification } from "../../base/words/classification.ts";
import type { SessionLabels } from "../../base/words/hosting/agent.ts";
import { decodeState, encodeState } from "../session/snapshot/snapshot.ts";
import { COMPLEXITIES, TOPICS } from "./classification.ts";
import {
  type ClassificationState,
  classificationSlice,
  classified,
  conversationOf,
  dueBecause,
  failed,
  noteMessage,
  wish,
} from "./classification-state.ts";

const EMPTY = classificationSlice.initial;
const OPENED = noteMessage(EMPTY, "fix it");
const LABELS: SessionLabels = { enabled: true, model: "local/rules" };

function says(change: Partial<SessionClassification> = {}): SessionClassification {
  return { label: "l", topic: "coding", complexity: "simple", domain: [], flags: [], ...change };
}

const A = says({ domain: ["web", "css"] });
const B = says({ topic: "ops", complexity: "hard", domain: ["k8s"] });

/** Every look after the first is one of its turns. */
function looked(looks: readonly SessionClassification[], because: ClassifyBecause = "turns"): ClassificationState {
  return looks.reduce((state, look, at) => classified(state, look, at * 10 + 1, at === 0 ? "opener" : because), OPENED);
}

const look: fc.Arbitrary<SessionClassification> = fc.record({
  label: fc.constantFrom("one", "two"),
  topic: fc.constantFrom(...TOPICS),
  complexity: fc.constantFrom(...COMPLEXITIES),
  domain: fc.uniqueArray(fc.constantFrom("a", "b", "c", "d"), { maxLength: 3 }),
  flags: fc.uniqueArray(fc.constantFrom("x", "y", "z"), { maxLength: 2 }),
});

describe("classification state", () => {
  it("CL-11 a classifier reads the first message and the last three non-empty ones, each cut at 500 characters", () => {
    expect(conversationOf(["a", "  ", "b"].reduce(noteMessage, EMPTY))).toEqual(["a", "b"]);
    const state = ["a", "  ", "b", "c", "d", "e".repeat(501)].reduce(noteMessage, EMPTY);
    expect(conversationOf(state)).toEqual(["a", "c", "d", "e".repeat(500)]);
    expect(conversationOf(EMPTY)).toEqual([]);
  });

  it.each<[string, ClassificationState, number, SessionLabels | undefined, ClassifyBecause | undefined]>([
    ["the first message", OPENED, 1, LABELS, "opener"],
    ["before any message", EMPTY, 1, LABELS, undefined],
    ["without labels", OPENED, 1, undefined, undefined],
    ["switched off", wish(OPENED, "demand"), 1, { ...LABELS, enabled: false }, undefined],
    ["9 turns later", classified(OPENED, A, 1, "opener"), 10, LABELS, undefined],
    ["10 turns later", classified(OPENED, A, 1, "opener"), 11, LABELS, "turns"],
    ["3 turns later, every 3", classified(OPENED, A, 1, "opener"), 4, { ...LABELS, every: 3 }, "turns"],
    ["a nonsense period", classified(OPENED, A, 1, "opener"), 4, { ...LABELS, every: Number.NaN }, undefined],
    ["after compaction", wish(classified(OPENED, A, 1, "opener"), "compaction"), 2, LABELS, "compaction"],
    ["on demand", wish(classified(OPENED, A, 1, "opener"), "demand"), 2, LABELS, "demand"],
    ["a demand and a compaction", wish(wish(OPENED, "demand"), "compaction"), 2, LABELS, "demand"],
    ["in the turn of a failure", failed(OPENED, 1, "opener"), 1, LABELS, undefined],
    ["9 turns after a failure", failed(OPENED, 1, "opener"), 10, LABELS, undefined],
    ["10 turns after a failure", failed(OPENED, 1, "opener"), 11, LABELS, "opener"],
    ["a later failure", failed(classified(OPENED, A, 1, "opener"), 11, "turns"), 12, LABELS, undefined],
    ["a compaction in the pause", wish(failed(OPENED, 1, "opener"), "compaction"), 2, LABELS, undefined],
    ["a demand in the pause", wish(failed(OPENED, 1, "opener"), "demand"), 2, LABELS, "demand"],
    ["a demand that failed", failed(wish(OPENED, "demand"), 1, "demand"), 2, LABELS, undefined],
  ])("CL-12 a classification is due or not: %s", (_, state, turn, labels, because) => {
    expect(dueBecause(state, turn, labels)).toBe(because);
  });

  it("CL-12 a classifier that always fails is called once in ten turns for any messages", () => {
    let state = EMPTY;
    let asked = 0;
    for (let turn = 1; turn <= 100; turn++) {
      state = noteMessage(state, `message ${turn}`);
      const because = dueBecause(state, turn, LABELS);
      if (because === undefined) continue;
      asked++;
      state = failed(state, turn, because);
    }
    expect(asked).toBe(10);
  });

  it("CL-13 a classification requested while another one runs is not lost", () => {
    const state = classified(wish(OPENED, "compaction"), A, 1, "opener");
    expect(state.wish).toBe("compaction");
    expect(classified(state, A, 2, "compaction").wish).toBeNull();
    expect(failed(state, 2, "turns").wish).toBe("compaction");
  });

  it("CL-14 the first classification applies at once, a change only after it is confirmed by the next one", () => {
    expect(looked([A]).held).toEqual(A);
    expect(looked([A, B]).held).toEqual(A);
    expect(looked([A, B]).latest).toEqual(B);
    expect(looked([A, B, B]).held).toEqual(B);
    expect(looked([A, B, A, A, B]).held).toEqual(A);
  });

  it.each<[readonly string[], readonly string[], readonly string[], readonly string[]]>([
    [["a"], ["a", "b"], ["a"], ["a"]],
    [["a"], ["a", "b"], ["b", "a"], ["a", "b"]],
    [["a", "b"], ["b"], ["b"], ["b"]],
    [
      ["a", "b", "c"],
      ["a", "b", "d"],
      ["a", "c", "d"],
      ["a", "b", "c"],
    ],
    [
      ["a", "b", "c"],
      ["c", "d", "e"],
      ["e", "d", "c"],
      ["c", "e", "d"],
    ],
  ])("CL-14 the tags %j, then %j, then %j result in the active tags %j", (first, second, third, held) => {
    expect(looked([first, second, third].map((domain) => says({ domain }))).held?.domain).toEqual(held);
  });

  it.each<ClassifyBecause>(["compaction", "demand"])(
    "CL-15 a change classified because of %s applies at once",
    (because) => {
      expect(looked([A, B], because).held).toEqual(B);
    },
  );

  it("CL-16 new flags apply at once and are removed only at compaction", () => {
    const flagged = looked([A, says({ flags: ["production"] }), A, A]);
    expect(flagged.held?.flags).toEqual(["production"]);
    expect(classified(flagged, A, 50, "demand").held?.flags).toEqual(["production"]);
    expect(classified(flagged, A, 50, "compaction").held?.flags).toEqual([]);
  });

  it("CL-14 the active label is always the newest one", () => {
    expect(looked([A, says({ label: "new" })]).held?.label).toBe("new");
  });

  it("CL-14 alternating answers never change the active classification; the same answer twice does", () => {
    fc.assert(
      fc.property(look, look, fc.nat(20), (a, b, times) => {
        const one = { ...a, flags: [] };
        const other = { ...b, label: a.label, flags: [] };
        const wobble = Array.from({ length: times }, (_, at) => (at % 2 === 0 ? one : other));
        expect(looked([one, ...wobble.slice(1)]).held).toEqual(one);
        const held = looked([one, other, other]).held;
        expect({ ...held, domain: [...(held?.domain ?? [])].sort() }).toEqual({
          ...other,
          domain: [...other.domain].sort(),
        });
      }),
    );
  });

  it("CL-16 no flag is removed without a compaction, and the state survives storage", () => {
    const because = fc.constantFrom<ClassifyBecause>("opener", "turns", "demand");
    fc.assert(
      fc.property(fc.array(fc.tuple(look, because), { minLength: 1 }), (looks) => {
        let state = OPENED;
        for (const [now, why] of looks) {
          const before = state.held?.flags ?? [];
          state = classified(state, now, 1, why);
          expect(state.held?.flags).toEqual(expect.arrayContaining([...before, ...now.flags]));
          expect(state.held?.domain.length).toBeLessThanOrEqual(3);
        }
        expect(decodeState(encodeState(state))).toEqual(state);
      }),
    );
  });

  it("CL-17 unused flags never crowd out a flag that restricts the session", () => {
    let state = OPENED;
    const flagged = (...flags: readonly string[]): SessionClassification => ({
      label: "x",
      topic: "ops",
      complexity: "simple",
      domain: [],
      flags,
    });
    for (let at = 0; at < 20; at++) state = classified(state, flagged(`a${at}`, `b${at}`), at, "turns");
    expect(classified(state, flagged("destructive"), 21, "turns").held?.flags).toContain("destructive");
  });
});
