import { describe, expect, it } from "vitest";
import { CONTRACT_LIMITS, contractAt, contractFor } from "../active-contract.ts";
import { allDirectives, applyEvent } from "../contract-state.ts";
import { accepted, codeOf, DAY, Desk, iso, read, T } from "../test/test-desk.ts";
import type { ChangeRequest } from "./change-request.ts";

describe("time", () => {
  it("D23: a directive ends at its expiry time, and the next change records the expiry", () => {
    const desk = new Desk();
    desk.add("KEEP: a b", { expiresAt: iso(T + DAY) });
    desk.add("KEEP: c d");
    desk.now = T + DAY - 1;
    expect(desk.told()).toHaveLength(2);
    desk.now = T + DAY;
    expect(desk.told()).toEqual(["KEEP: c d"]);
    const { events, contract } = accepted(desk.send({ kind: "expire" }));
    expect(events).toMatchObject([{ kind: "directives-expired", directives: [{ id: "d_1" }], seq: 3 }]);
    expect(contract).toMatchObject({ version: 3 });
    expect(accepted(desk.send({ kind: "expire" })).events).toEqual([]);
  });

  it("D23: an expired directive causes no conflict, and its expiry is recorded even if the request is rejected", () => {
    const desk = new Desk();
    desk.add("KEEP: a b", { expiresAt: iso(T + DAY) });
    desk.now = T + DAY;
    expect(desk.decide({ kind: "remove", id: "d_1" })).toMatchObject({
      code: "DIRECTIVE_NOT_FOUND",
      events: [{ kind: "directives-expired" }],
    });
    expect(codeOf(desk.add("STOP: a b"))).toBe("added");
  });

  it("D20: events are numbered after the newest journal entry of any writer", () => {
    const desk = new Desk();
    desk.add("KEEP: a b", { expiresAt: iso(T + DAY) });
    desk.now = T + DAY;
    desk.head = 40;
    const { events, contract } = accepted(desk.add("KEEP: c d"));
    expect(events.map(({ seq, kind }) => [seq, kind])).toEqual([
      [41, "directives-expired"],
      [42, "directive-added"],
    ]);
    expect(contract.version).toBe(3);
  });

  it("D30: the contract's version counts its changes only, whatever else the journal has, and names a state", () => {
    const desk = new Desk();
    const versions = ["KEEP: a b", "STOP: c d", "MORE: e f"].map((line) => {
      desk.head += 7;
      desk.send({ kind: "propose", type: "keep", text: `rest ${line.slice(6)}`, confidence: 0.5, evidence: ["x"] });
      return accepted(desk.add(line)).contract.version;
    });
    expect(versions).toEqual([1, 2, 3]);
    const lines = (version: number) => contractAt(desk.events, { version }, {}).directives.map(({ text }) => text);
    expect([0, 1, 2, 3].map(lines)).toEqual([[], ["a b"], ["a b", "c d"], ["a b", "c d", "e f"]]);
  });

  it("D20: the contract at any sequence number or time can be rebuilt from the events alone", () => {
    const desk = new Desk();
    desk.add("KEEP: a b");
    const first = contractFor(desk.state, {}, desk.now);
    desk.now += DAY;
    desk.add("KEEP: c d");
    const second = contractFor(desk.state, {}, desk.now);
    expect(contractAt(desk.events, { seq: 1 }, {})).toEqual(first);
    expect(contractAt(desk.events, { at: T + DAY - 1 }, {})).toEqual(first);
    expect(contractAt(desk.events, { seq: 2 }, {})).toEqual(second);
    expect(contractAt(desk.events, { at: T + 9 * DAY }, {})).toEqual(second);
    expect(contractAt(desk.events, { seq: 0 }, {})).toMatchObject({ version: 0, directives: [] });
  });
});

describe("undo", () => {
  it("D22: each undo restores the previous lines and hash under a new version", () => {
    const desk = new Desk();
    const steps: ChangeRequest[] = [
      { kind: "add", ...read("LESS: long talk") },
      { kind: "add", ...read("KEEP: a b"), scope: "agent:x" },
      { kind: "add", ...read("STOP: long talk") },
      { kind: "replace", id: "d_2", ...read("STOP: a b") },
      { kind: "remove", id: "d_3" },
    ];
    const hashes = steps.map((step) => {
      const { hash } = contractFor(desk.state, { agent: "x" }, desk.now);
      accepted(desk.send(step));
      desk.now += 1_000;
      return hash;
    });
    for (const hash of hashes.toReversed()) {
      const { version } = contractFor(desk.state, { agent: "x" }, desk.now);
      accepted(desk.send({ kind: "undo" }));
      const after = contractFor(desk.state, { agent: "x" }, desk.now);
      expect(after.hash).toBe(hash);
      expect(after.version).toBeGreaterThan(version);
    }
    expect(codeOf(desk.send({ kind: "undo" }))).toBe("NOTHING_TO_UNDO");
  });

  it("D22: undo in one scope leaves other scopes unchanged and never causes a conflict", () => {
    const desk = new Desk();
    desk.add("KEEP: a b", { scope: "user:ann" });
    desk.send({ kind: "remove", id: "d_1" });
    desk.add("STOP: a b");
    expect(codeOf(desk.send({ kind: "undo", scope: "user:ann" }))).toBe("BEHAVIOR_CONFLICT");
    expect(codeOf(desk.send({ kind: "undo", scope: "user:bob" }))).toBe("NOTHING_TO_UNDO");
    desk.send({ kind: "undo" });
    expect(codeOf(desk.send({ kind: "undo", scope: "user:ann" }))).toBe("undone");
    expect(desk.told({ user: "ann" })).toEqual(["KEEP: a b"]);
  });

  it("C07: undo restores nothing that would exceed the cap", () => {
    const desk = new Desk();
    desk.add("KEEP: a b");
    desk.send({ kind: "remove", id: "d_1" });
    desk.add("KEEP: c d", { scope: "agent:x" });
    desk.limits = { ...CONTRACT_LIMITS, items: 1 };
    expect(codeOf(desk.send({ kind: "undo", scope: "global" }))).toBe("BEHAVIOR_CONTRACT_CAP");
    expect(desk.told({ agent: "x" })).toEqual(["KEEP: c d"]);
  });

  it("D22: undo does not restore a directive that expired meanwhile, and warns about it", () => {
    const desk = new Desk();
    desk.add("KEEP: a b", { expiresAt: iso(T + DAY) });
    desk.send({ kind: "replace", id: "d_1", ...read("KEEP: c d") });
    desk.now = T + DAY;
    expect(accepted(desk.send({ kind: "undo" })).warnings).toEqual([expect.objectContaining({ code: "not-restored" })]);
    expect(desk.told()).toEqual([]);
  });
});

describe("apply", () => {
  const stored = (id: string, type: "keep" | "stop", text: string) =>
    ({ id, type, text, source: "operator", createdAt: iso(T), scope: "global" }) as const;

  it("C07: apply drops only duplicates and names them; anything else is rejected", () => {
    const desk = new Desk();
    const add = (seq: number, directive: ReturnType<typeof stored>) => {
      desk.state = applyEvent(desk.state, { seq, at: T, by: "x", kind: "directive-added", directive, absorbed: [] });
    };
    add(1, stored("a", "keep", "x y"));
    add(2, stored("b", "keep", "X y."));
    expect(accepted(desk.send({ kind: "apply" })).events).toMatchObject([
      { kind: "contract-applied", dropped: [{ directive: { id: "b" }, sameAs: "a" }] },
    ]);
    const { version } = contractFor(desk.state, {}, T);
    accepted(desk.send({ kind: "apply" }));
    expect(contractFor(desk.state, {}, T).version).toBe(version);
    add(9, stored("c", "stop", "x y"));
    expect(desk.send({ kind: "apply" })).toMatchObject({ code: "BEHAVIOR_CONFLICT", events: [] });
    expect(allDirectives(desk.state)).toHaveLength(2);
  });
});
