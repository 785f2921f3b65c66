import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ContractEvent } from "../../base/words/contract.ts";
import { CONTRACT_LIMITS, contractAt, contractFor } from "./active-contract.ts";
import { conflictsAmong } from "./conflicts.ts";
import { allDirectives, applyEvent, type ContractState, EMPTY_CONTRACT, foldContract } from "./contract-state.ts";
import type { ChangeRequest } from "./decide/change-request.ts";
import { readEntry, toDraft } from "./journal-entry.ts";
import { DAY, Desk, iso, read, T } from "./test/test-desk.ts";

const type = fc.constantFrom("keep", "more", "less", "stop", "start");
const text = fc.constantFrom(
  "long talk",
  "Long talk.",
  "status hand-offs",
  "status handoffs",
  "tests",
  "x</y>",
  "docs",
);
const scope = fc.constantFrom("global", "agent:a", "agent:b", "channel:web", "user:ann");
const directiveId = fc.integer({ min: 1, max: 30 }).map((at) => `d_${at}`);
const candidateId = fc.integer({ min: 1, max: 30 }).map((at) => `c_${at}`);
const later = fc.integer({ min: -1, max: 9 }).map((days) => iso(T + days * DAY));
const message = fc.record({ id: fc.constantFrom("m1", "m2"), line: fc.integer({ min: 1, max: 3 }) });

const request: fc.Arbitrary<ChangeRequest> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("add"), type, text, scope }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("add"), type, text, message }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("add"), type, text, scope, expiresAt: later }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("remove"), id: directiveId }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("replace"), id: directiveId, type, text }) },
  { weight: 2, arbitrary: fc.constant({ kind: "undo" } as const) },
  fc.record({ kind: fc.constant("undo"), scope }),
  fc.constant({ kind: "apply" } as const),
  fc.record({
    kind: fc.constant("propose"),
    type,
    text,
    scope,
    confidence: fc.constantFrom(0, 0.5, 2),
    evidence: fc.array(fc.constantFrom("e1", "e2", " "), { maxLength: 2 }),
  }),
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("promote"), id: candidateId }) },
  fc.record({ kind: fc.constant("promote"), id: candidateId, as: fc.record({ type, text }) }),
  fc.record({ kind: fc.constant("reject"), id: candidateId }),
  fc.record({ kind: fc.constant("edit"), id: candidateId, type, text }),
  fc.record({ kind: fc.constant("snooze"), id: candidateId, until: later }),
);
const script = fc.array(fc.tuple(request, fc.constantFrom(0, 0, 1_000, DAY)), { maxLength: 40 });

/** The state as plain data, so that two can be compared. */
function plain({ scopes, candidates, captured, ...rest }: ContractState) {
  const sorted = (map: Iterable<readonly [string, unknown]>) =>
    Object.fromEntries([...map].sort(([a], [b]) => (a < b ? -1 : 1)));
  return { ...rest, scopes: sorted(scopes), candidates: sorted(candidates), captured: sorted(captured) };
}

/** As the journal gives it back. */
function throughJournal(events: readonly ContractEvent[]): readonly ContractEvent[] {
  return events.map((event) => {
    const back = readEntry({ seq: event.seq, ...toDraft(event) });
    if (back === undefined || "fault" in back) throw new Error(`${event.kind} was not read`);
    return back;
  });
}

describe("foldContract", () => {
  it("C10 D09: replaying the journal gives the live state, at its end and after every decision", () => {
    fc.assert(
      fc.property(script, (steps) => {
        const desk = new Desk();
        desk.limits = { ...CONTRACT_LIMITS, items: 5 };
        const seen: { readonly seq: number; readonly contract: ReturnType<typeof contractFor> }[] = [];
        for (const [one, pause] of steps) {
          desk.now += pause;
          if (desk.send(one).events.length === 0) continue;
          seen.push({ seq: desk.state.seq, contract: contractFor(desk.state, { agent: "a", user: "ann" }, desk.now) });
        }
        const events = throughJournal(desk.events);
        expect(plain(foldContract(events))).toEqual(plain(desk.state));
        for (const { seq, contract } of seen) {
          expect(contractAt(events, { seq }, { agent: "a", user: "ann" })).toEqual(contract);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("C02 C07: no sequence of requests causes a conflict, exceeds the cap or reuses a version", () => {
    fc.assert(
      fc.property(script, (steps) => {
        const desk = new Desk();
        desk.limits = { ...CONTRACT_LIMITS, items: 5 };
        const hashes = new Map<number, string>();
        for (const [one, pause] of steps) {
          desk.now += pause;
          const before = contractFor(desk.state, { agent: "a" }, desk.now);
          const { events } = desk.send(one);
          const after = contractFor(desk.state, { agent: "a" }, desk.now);
          expect(conflictsAmong(allDirectives(desk.state))).toEqual([]);
          expect(after.directives.length).toBeLessThanOrEqual(5);
          if (after.version === before.version) expect(after.hash).toBe(before.hash);
          if (events.length === 0) expect(after).toEqual(before);
          if (events.length > 0) expect(hashes.get(after.version) ?? after.hash).toBe(after.hash);
          hashes.set(after.version, after.hash);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("E01: only a promotion adds a candidate to the contract", () => {
    const candidates = script.map((steps) => steps.filter(([{ kind }]) => /propose|reject|edit|snooze/.test(kind)));
    fc.assert(
      fc.property(candidates, (steps) => {
        const desk = new Desk();
        desk.add("KEEP: my words");
        const before = contractFor(desk.state, {}, desk.now);
        for (const [one, pause] of steps) {
          desk.now += pause;
          desk.send(one);
        }
        expect(contractFor(desk.state, {}, desk.now)).toEqual(before);
      }),
    );
  });
});

describe("a journal that cannot be true", () => {
  it("D05 D06: at an inconsistent journal entry the state stops before it and all writes are rejected", () => {
    const desk = new Desk();
    desk.add("KEEP: a b");
    const [first] = desk.events;
    if (first?.kind !== "directive-added") throw new Error("no event");
    const missing = { ...first.directive, id: "d_x" };
    const events: ContractEvent[] = [
      first,
      { seq: 2, at: T, by: "x", kind: "directive-removed", directive: missing },
      { seq: 3, at: T, by: "x", kind: "directive-removed", directive: first.directive },
    ];
    const state = foldContract(events);
    expect(state).toMatchObject({ seq: 1, fault: { seq: 2, message: expect.stringContaining("d_x") } });
    desk.state = state;
    expect(desk.told()).toEqual(["KEEP: a b"]);
    expect(desk.send({ kind: "add", ...read("KEEP: c d") })).toMatchObject({
      code: "GATEWAY_BEHAVIOR_FAILED",
      events: [],
    });
  });

  it.each<ContractEvent>([
    { seq: 0, at: T, by: "x", kind: "contract-applied", dropped: [] },
    { seq: 2, at: T, by: "x", kind: "candidate-rejected", id: "c_9", reason: "x" },
    { seq: 2, at: T, by: "x", kind: "candidates-expired", ids: ["c_9"] },
  ])("D06: an inconsistent $kind event is a fault", (event) => {
    expect(applyEvent(EMPTY_CONTRACT, event).fault).toBeDefined();
  });
});
