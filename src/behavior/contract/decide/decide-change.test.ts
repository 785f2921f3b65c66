import { describe, expect, it } from "vitest";
import { CONTRACT_LIMITS, readCap } from "../active-contract.ts";
import { EMPTY_CONTRACT } from "../contract-state.ts";
import { accepted, codeOf, commands, DAY, Desk, iso, read, T } from "../test/test-desk.ts";
import type { ChangeRequest } from "./change-request.ts";

describe("directives", () => {
  it("D01: an added directive has all its fields and a version", () => {
    const desk = new Desk();
    const { directive, contract, events } = accepted(
      desk.add("KEEP:  short   answers. ".replace("  ", " "), {
        message: { id: "m1", line: 3 },
        expiresAt: "2026-03-08T12:00+02:00",
      }),
    );
    expect(directive).toEqual({
      id: "d_1",
      type: "keep",
      text: "short answers.",
      source: "operator",
      createdAt: iso(T),
      scope: "global",
      expiresAt: "2026-03-08T10:00:00.000Z",
      message: { id: "m1", line: 3 },
    });
    expect(contract).toMatchObject({ version: 1, directives: [directive] });
    expect(events).toEqual([{ seq: 1, at: T, by: "op", kind: "directive-added", directive, absorbed: [] }]);
  });

  it("A01: directives added at the same moment are rendered in the order in which they were given", () => {
    const desk = new Desk();
    const texts = Array.from({ length: 12 }, (_, at) => `KEEP: habit number ${at}`);
    for (const text of texts) desk.add(text);
    expect(desk.told()).toEqual(texts);
  });

  it("C01: a repeated directive is journaled and leaves version and hash unchanged", () => {
    const desk = new Desk();
    const before = accepted(desk.add("KEEP: hand-offs"));
    const again = accepted(desk.add("KEEP: Handoffs."));
    expect(again).toMatchObject({
      outcome: "repeated",
      contract: before.contract,
      directive: { id: "d_1" },
      warnings: [],
    });
    expect(again.events.map(({ kind }) => kind)).toEqual(["directive-repeated"]);
    const other = accepted(desk.add("KEEP: handoffs", { expiresAt: iso(T + DAY) }));
    expect(other.warnings).toEqual([expect.objectContaining({ code: "expiry-kept", other: "d_1" })]);
  });

  it("C02 C05: a conflict names the other directive and offers to replace it in one step", () => {
    const desk = new Desk();
    desk.add("KEEP: status talk");
    const refused = desk.add("STOP: status talk");
    expect(refused).toMatchObject({ kind: "refused", code: "BEHAVIOR_CONFLICT", events: [] });
    expect(commands(refused)).toEqual([
      'conduct behavior replace d_1 "STOP: status talk"',
      "conduct behavior remove d_1",
    ]);
    expect(refused).toHaveProperty("message", expect.stringContaining("'KEEP: status talk' (d_1, global)"));
    const replaced = accepted(desk.send({ kind: "replace", id: "d_1", ...read("STOP: status talk") }));
    expect(replaced).toMatchObject({ outcome: "replaced", directive: { type: "stop" } });
    expect(desk.told()).toEqual(["STOP: status talk"]);
  });

  it("C02: a command in a rejection can be pasted into a shell", () => {
    const desk = new Desk();
    desk.add('KEEP: the `x` "y" it\'s');
    expect(commands(desk.add('STOP: the `x` "y" it\'s'))[0]).toBe(
      "conduct behavior replace d_1 'STOP: the `x` \"y\" it'\\''s'",
    );
  });

  it("C03 C10: STOP and LESS on the same subject end as STOP in either order", () => {
    const first = new Desk();
    first.add("LESS: long talk");
    expect(accepted(first.add("STOP: long talk")).warnings).toEqual([expect.objectContaining({ code: "absorbed" })]);
    const second = new Desk();
    second.add("STOP: long talk");
    const softer = accepted(second.add("LESS: long talk"));
    expect(softer).toMatchObject({ outcome: "absorbed", directive: { type: "stop" } });
    expect(commands(softer)).toEqual(['conduct behavior replace d_1 "LESS: long talk"']);
    expect([first.told(), second.told()]).toEqual([["STOP: long talk"], ["STOP: long talk"]]);
  });

  it("C04: a suspected conflict is reported, and both directives are in force", () => {
    const desk = new Desk();
    desk.add("KEEP: frequent status handoffs");
    const added = accepted(desk.add("STOP: redundant status updates"));
    expect(added.warnings).toEqual([expect.objectContaining({ code: "suspect", other: "d_1" })]);
    expect(desk.told()).toHaveLength(2);
  });

  it.each([
    ["STOP: reports for this week", true],
    ["STOP: reports until Friday", true],
    ["LESS: questions for the next two days", true],
    ["KEEP: notes for 3 weeks", true],
    ["KEEP: a summary for each week", false],
    ["MORE: tests for this module", false],
  ])(
    "D25 a directive that names an end without an expiry is reported with the command that sets one: %s",
    (text, warns) => {
      const desk = new Desk();
      const { warnings } = accepted(desk.add(text));
      expect(warnings.map(({ code }) => code)).toEqual(warns ? ["no-end"] : []);
      if (warns) expect(warnings[0]?.message).toContain(`conduct behavior replace d_1 "${text}" --expires=7d`);
      expect(accepted(desk.add("STOP: emoji until Friday", { expiresAt: iso(T + DAY) })).warnings).toEqual([]);
    },
  );

  it("C07: at the cap an addition is rejected, but a removal or a replacement is accepted", () => {
    const desk = new Desk();
    desk.limits = { ...CONTRACT_LIMITS, items: 3 };
    for (const at of [1, 2, 3]) desk.add(`KEEP: habit number ${at}`, { scope: at === 3 ? "user:ann" : "global" });
    expect(codeOf(desk.add("MORE: tests"))).toBe("BEHAVIOR_CONTRACT_CAP");
    expect(codeOf(desk.add("MORE: tests", { scope: "agent:a" }))).toBe("BEHAVIOR_CONTRACT_CAP");
    expect(codeOf(desk.add("MORE: tests", { scope: "user:bob" }))).toBe("added");
    desk.limits = { ...CONTRACT_LIMITS, items: 1 };
    expect(codeOf(desk.send({ kind: "replace", id: "d_1", ...read("MORE: docs") }))).toBe("replaced");
    expect(codeOf(desk.send({ kind: "remove", id: "d_2" }))).toBe("removed");
    expect(codeOf(desk.send({ kind: "apply" }))).toBe("BEHAVIOR_CONTRACT_CAP");
  });

  it("C09: the contract also has a cap in tokens, counted over its rendered lines", () => {
    const desk = new Desk();
    desk.limits = { ...CONTRACT_LIMITS, tokens: "- KEEP: four\n".length };
    expect(codeOf(desk.add("KEEP: fours"))).toBe("BEHAVIOR_CONTRACT_CAP");
    expect(codeOf(desk.add("KEEP: four"))).toBe("added");
  });

  it.each([
    [undefined, 24, false],
    ["12", 12, false],
    ["8", 8, false],
    ["0", 24, true],
    ["NaN", 24, true],
    ["-3", 24, true],
    ["9999", 24, true],
  ])("C06: a configured cap of %j becomes %i, and an ignored value is reported: %s", (written, items, noted) => {
    const note = noted ? { note: expect.stringContaining("24 is used") } : {};
    expect(readCap(written)).toEqual({ limits: { ...CONTRACT_LIMITS, items }, ...note });
  });

  it.each<[ChangeRequest, string]>([
    [{ kind: "add", type: "keep", text: "x</y>" }, "INVALID_DIRECTIVE_TEXT"],
    [{ kind: "add", type: "never" as "keep", text: "x y" }, "INVALID_DIRECTIVE_TEXT"],
    [{ kind: "add", type: "keep", text: "x y", scope: "agent:" }, "INVALID_SCOPE"],
    [{ kind: "add", type: "keep", text: "x y", scope: "team" }, "INVALID_SCOPE"],
    [{ kind: "add", type: "keep", text: "x y", expiresAt: "tomorrow" }, "INVALID_TIME"],
    [{ kind: "add", type: "keep", text: "x y", expiresAt: "2026-03-02T10:00:00" }, "INVALID_TIME"],
    [{ kind: "add", type: "keep", text: "x y", expiresAt: iso(T) }, "INVALID_TIME"],
    [{ kind: "remove", id: " " }, "MISSING_DIRECTIVE_ID"],
    [{ kind: "remove", id: "d_9" }, "DIRECTIVE_NOT_FOUND"],
    [{ kind: "replace", id: "d_9", type: "keep", text: "x y" }, "DIRECTIVE_NOT_FOUND"],
    [{ kind: "undo" }, "NOTHING_TO_UNDO"],
    [{ kind: "undo", scope: "x" }, "INVALID_SCOPE"],
    [{ kind: "promote", id: "" }, "MISSING_CANDIDATE_ID"],
    [{ kind: "reject", id: "c_9" }, "CANDIDATE_NOT_FOUND"],
    [{ kind: "propose", type: "keep", text: "x y", confidence: 0.5, evidence: [" "] }, "INVALID_CANDIDATE_RECORD"],
    [
      { kind: "propose", type: "keep", text: "x y", confidence: Number.NaN, evidence: ["e"] },
      "INVALID_CANDIDATE_RECORD",
    ],
  ])("F02: %j is rejected with %s, a message and a fix, and nothing is written", (request, code) => {
    const decision = new Desk().send(request);
    expect(decision).toMatchObject({ kind: "refused", code, events: [], state: EMPTY_CONTRACT });
    expect(decision).toMatchObject({ message: expect.stringMatching(/\.$/), fix: expect.stringMatching(/\.$/) });
  });

  it("F03: the same state, request and context give the same decision", () => {
    const run = () => {
      const desk = new Desk();
      desk.add("KEEP: a b");
      return JSON.stringify(desk.add("STOP: c d"));
    };
    expect(run()).toBe(run());
  });

  it("C05: a replacement equal to another directive only removes; an unchanged one counts as repeated", () => {
    const desk = new Desk();
    desk.add("KEEP: a b");
    desk.add("KEEP: c d");
    expect(codeOf(desk.send({ kind: "replace", id: "d_2", ...read("KEEP: c d") }))).toBe("repeated");
    expect(accepted(desk.send({ kind: "replace", id: "d_2", ...read("KEEP: A b") }))).toMatchObject({
      outcome: "replaced",
      directive: { id: "d_1" },
    });
    expect(desk.told()).toEqual(["KEEP: a b"]);
  });
});

describe("messages", () => {
  const from = (line: number) => ({ message: { id: "m1", line } });

  it("A17: a message delivered again changes and writes nothing, even after its directive is removed", () => {
    const desk = new Desk();
    const { directive } = accepted(desk.add("KEEP: a b", from(1)));
    expect(accepted(desk.add("KEEP: a b", from(1)))).toMatchObject({ outcome: "repeated", events: [], directive });
    desk.send({ kind: "remove", id: "d_1" });
    expect(accepted(desk.add("KEEP: a b", from(1)))).toMatchObject({ outcome: "repeated", events: [] });
    expect(desk.told()).toEqual([]);
    expect(codeOf(desk.add("KEEP: a b", { message: { id: "m2", line: 1 } }))).toBe("added");
  });

  it("A17: the same message id from another sender is a different message", () => {
    const desk = new Desk();
    desk.by = "telegram:7";
    desk.add("KEEP: a b", from(1));
    desk.send({ kind: "remove", id: "d_1" });
    desk.by = "web:me";
    expect(codeOf(desk.add("KEEP: a b", from(1)))).toBe("added");
    expect(desk.told()).toEqual(["KEEP: a b"]);
  });

  it("A17: a redelivered message that repeated an active directive does not restore it after its removal", () => {
    const desk = new Desk();
    desk.add("KEEP: a b");
    desk.add("KEEP: a b", from(1));
    desk.send({ kind: "remove", id: "d_1" });
    expect(accepted(desk.add("KEEP: A b!", from(2)))).toMatchObject({ outcome: "repeated", events: [] });
  });

  it("A16: an edited line is captured as a new directive linked to the first", () => {
    const desk = new Desk();
    desk.add("KEEP: a b", from(1));
    expect(accepted(desk.add("KEEP: a c", from(1)))).toMatchObject({
      outcome: "added",
      directive: { message: { id: "m1", line: 1, first: "d_1" } },
    });
  });
});
