import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { BehaviorDirective, ContractEvent } from "../../../../src/base/words/contract.ts";
import { parseCheck } from "../../../../src/behavior/contract/directive-check.ts";
import { daysOf, sumInWords } from "./adherence.ts";
import { CHECKS, checkText, kindOfCheck, readCheck } from "./edit/check-form.ts";
import { splitLine } from "./edit/fields.tsx";
import { byScope, inWords, scopeInWords, viewOf } from "./words.ts";

const directive = (text: string, scope: BehaviorDirective["scope"] = "global"): BehaviorDirective => ({
  ...{ id: `d_${text}`, type: "stop", text, source: "operator", createdAt: "2026-11-15T00:00:00.000Z", scope },
});

describe("the contract in words", () => {
  it.each<[ContractEvent, string, readonly string[]]>([
    [
      {
        ...{ seq: 2, at: 0, by: "op", kind: "directive-replaced" },
        removed: directive("a"),
        directive: directive("b"),
        absorbed: [directive("c")],
      },
      "replaced for everybody",
      ["gone STOP: a", "gone STOP: c", "new STOP: b"],
    ],
    [
      {
        ...{ seq: 3, at: 0, by: "op", kind: "contract-undone", undoes: 2 },
        dropped: [directive("b")],
        restored: [directive("a")],
      },
      "undid a change",
      ["gone STOP: b", "new STOP: a"],
    ],
    [{ seq: 4, at: 0, by: "op", kind: "directive-marked", id: "d_1", mark: "harmful" }, "marked harmful", []],
    [
      {
        ...{ seq: 5, at: 0, by: "op", kind: "directive-repeated", of: "d_1", type: "keep", text: "x" },
        scope: "global",
      },
      "repeated, nothing changed",
      ["same KEEP: x"],
    ],
  ])("CN-1 a journal entry is described by what it changed: $kind", (event, what, lines) => {
    const words = inWords(event);
    expect([words.what, words.lines.map(({ kind, text }) => `${kind} ${text}`)]).toEqual([what, lines]);
  });

  it("CN-2 directives are grouped by scope, widest first, and each scope selects its view", () => {
    const all = [
      directive("a", "user:ann"),
      directive("b", "agent:x:y"),
      directive("c"),
      directive("d", "channel:web"),
    ];
    expect(byScope(all).map(([scope]) => scopeInWords(scope))).toEqual([
      "everybody",
      "agent x:y",
      "channel web",
      "user ann",
    ]);
    expect(viewOf("agent:x:y")).toEqual({ agent: "x:y" });
    expect(viewOf("global")).toEqual({});
  });

  it.each([
    ["STOP: long reports", { type: "stop", text: "long reports" }],
    ["keep: it", { text: "keep: it" }],
    ["MORE:it", { text: "MORE:it" }],
  ])("CN-3 the typed line '%s' is read as %j", (text, expected) => expect(splitLine(text)).toEqual(expected));

  it("CN-4 the text that the check builder writes is parsed as the same check", () => {
    for (const { kind, first } of CHECKS) expect([kindOfCheck(first), readCheck(first)?.kind]).toEqual([kind, kind]);
    const amount = fc.record({ atMost: fc.nat(9_999_999) });
    const check = fc.oneof(
      fc
        .tuple(amount, fc.constantFrom("words" as const, "characters" as const, "lines" as const))
        .map(([bound, unit]) => ({ kind: "length" as const, unit, ...bound })),
      fc.tuple(amount, fc.integer({ min: 1, max: 9_000_000_000 })).map(([bound, withinMs]) => ({
        ...{ kind: "cadence" as const, withinMs },
        ...bound,
      })),
    );
    fc.assert(fc.property(check, (one) => void expect(parseCheck(checkText(one))).toEqual(one)));
    expect(readCheck("length: at most many words")).toBeUndefined();
  });

  it("CN-5 turns are counted by day, including days without turns", () => {
    const row = { ...{ of: "directive" as const, id: "d", inForce: 3, followed: 2, violated: 1, cannotTell: 0 } };
    const shown = { followed: [], violated: [] };
    const days = daysOf(
      [
        { ...row, day: "2026-11-14", shown },
        { ...row, day: "2026-11-14", by: "x", shown },
      ],
      3,
      Date.UTC(2026, 10, 15, 12),
    );
    expect(days.map(({ day, inForce }) => [day, inForce])).toEqual([
      ["2026-11-13", 0],
      ["2026-11-14", 6],
      ["2026-11-15", 0],
    ]);
    expect(days.map(sumInWords)).toEqual(["no turns yet", "followed 4, violated 2 of 6 turns", "no turns yet"]);
  });
});
