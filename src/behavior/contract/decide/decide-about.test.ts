import { describe, expect, it } from "vitest";
import { contractFor } from "../active-contract.ts";
import { foldContract } from "../contract-state.ts";
import { readEntry, toDraft } from "../journal-entry.ts";
import { accepted, codeOf, Desk } from "../test/test-desk.ts";

/** What was written is all there is: a fold over the journal comes to the same state. */
function rebuilt(desk: Desk) {
  const events = desk.events.map((event) => {
    const again = readEntry({ seq: event.seq, ...toDraft(event) });
    if (again === undefined || "fault" in again) throw new Error(`not read again: ${event.kind}`);
    return again;
  });
  return foldContract(events);
}

describe("what is said about directives", () => {
  it("E16: marks are counted per directive, and the same evidence counts once", () => {
    const desk = new Desk();
    desk.add("STOP: long reports");
    const before = contractFor(desk.state, {}, desk.now);
    desk.send({ kind: "mark", id: "d_1", mark: "helpful", note: " thanks " });
    desk.send({ kind: "mark", id: "d_1", mark: "harmful", evidence: "e_1" });
    expect(desk.send({ kind: "mark", id: "d_1", mark: "harmful", evidence: "e_1" }).events).toEqual([]);
    expect(desk.state.tallies.get("d_1")).toEqual({ helpful: 1, harmful: 1, seen: ["e_1"] });
    const long = { kind: "mark", id: "d_1", mark: "harmful", evidence: "x".repeat(900) } as const;
    expect(desk.decide(long).events).toHaveLength(1);
    const twice = new Desk();
    twice.add("STOP: long reports");
    twice.send(long);
    expect(twice.send(long).events).toEqual([]);
    expect(contractFor(desk.state, {}, desk.now)).toEqual(before);
    expect(rebuilt(desk).tallies.get("d_1")).toEqual(desk.state.tallies.get("d_1"));
    expect(codeOf(desk.send({ kind: "mark", id: "d_9", mark: "helpful" }))).toBe("DIRECTIVE_NOT_FOUND");
  });

  it("E16: promoting a demotion candidate removes its directive, and undo restores the directive", () => {
    const desk = new Desk();
    desk.add("MORE: status handoffs");
    const demote = {
      kind: "propose",
      type: "more",
      text: "",
      confidence: 0.7,
      evidence: ["no more of these"],
    } as const;
    const proposed = accepted(desk.send({ ...demote, demotes: "d_1" }));
    expect(proposed).toMatchObject({ outcome: "proposed", candidate: { demotes: "d_1", text: "status handoffs" } });
    expect(desk.told()).toEqual(["MORE: status handoffs"]);
    expect(codeOf(desk.send({ ...demote, demotes: "d_1" }))).toBe("known");
    expect(codeOf(desk.send({ kind: "edit", id: "c_2", type: "more", text: "x y" }))).toBe("INVALID_CANDIDATE_RECORD");
    expect(accepted(desk.send({ kind: "promote", id: "c_2" })).candidate).toMatchObject({ status: "promoted" });
    expect(desk.told()).toEqual([]);
    expect(rebuilt(desk).candidates.get("c_2")).toEqual(desk.state.candidates.get("c_2"));
    desk.send({ kind: "undo" });
    expect(desk.told()).toEqual(["MORE: status handoffs"]);
    expect(desk.state.candidates.get("c_2")).toMatchObject({ status: "pending", demotes: "d_1" });
    expect(codeOf(desk.send({ ...demote, demotes: "d_7" }))).toBe("DIRECTIVE_NOT_FOUND");
  });

  it("ADH-4: a check can be set with the directive or later, leaves the contract text unchanged, and can be removed", () => {
    const desk = new Desk();
    desk.add("LESS: words", { check: "length: at most 50 words" });
    const before = contractFor(desk.state, {}, desk.now);
    expect(before.directives[0]?.check).toEqual({ kind: "length", unit: "words", atMost: 50 });
    desk.send({ kind: "check", id: "d_1", check: "cadence: 1 reply" });
    const after = contractFor(desk.state, {}, desk.now);
    expect([after.hash, after.version]).toEqual([before.hash, before.version]);
    expect(after.directives[0]?.check).toEqual({ kind: "cadence", atMost: 1 });
    expect(desk.send({ kind: "check", id: "d_1", check: "cadence: 1 reply" }).events).toEqual([]);
    desk.send({ kind: "check", id: "d_1" });
    expect(contractFor(desk.state, {}, desk.now).directives[0]?.check).toBeUndefined();
    expect(contractFor(rebuilt(desk), {}, desk.now)).toEqual(contractFor(desk.state, {}, desk.now));
    expect(codeOf(desk.add("STOP: jokes", { check: "often" }))).toBe("INVALID_CHECK");
  });

  it("E04: nearly identical proposals merge into one candidate; a negation makes a separate one", () => {
    const desk = new Desk();
    const propose = (text: string, evidence: string) =>
      codeOf(desk.send({ kind: "propose", type: "stop", text, confidence: 0.6, evidence: [evidence] }));
    expect(propose("sending status updates every five minutes", "a")).toBe("proposed");
    expect(propose("sending me status updates every five minutes", "b")).toBe("merged");
    expect(propose("Sending me status updates, every five minutes!", "b")).toBe("known");
    expect(propose("not sending status updates every five minutes", "c")).toBe("proposed");
    expect(propose("long status reports", "d")).toBe("proposed");
    expect(desk.state.candidates.get("c_1")?.evidence).toEqual(["a", "b"]);
  });

  it("E02: a candidate keeps its origin when it is snoozed and edited", () => {
    const desk = new Desk();
    const origin = { pattern: "correction", good: false } as const;
    desk.send({ kind: "propose", type: "stop", text: "long reports", confidence: 0.6, evidence: ["a"], origin });
    desk.send({ kind: "snooze", id: "c_1", until: new Date(desk.now + 1_000).toISOString() });
    desk.send({ kind: "edit", id: "c_1", type: "less", text: "long reports" });
    expect(rebuilt(desk).candidates.get("c_1")).toMatchObject({ origin, type: "less", status: "pending" });
  });
});
