import fc from "fast-check";
import { expect, it } from "vitest";
import { contractFor } from "../../behavior/contract/active-contract.ts";
import { DAY, Desk, iso, T } from "../../behavior/contract/test/test-desk.ts";
import { RememberedContracts } from "./remembered-contracts.ts";

it("HOT-30 the contract cache returns the computed value for any view, at any time, after any change", () => {
  const step = fc.record({
    text: fc.constantFrom("short notes", "long tables", "weekly reports", "loud jokes"),
    scope: fc.constantFrom("global", "user:ann", "user:bob", "channel:web"),
    days: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
    now: fc.integer({ min: 0, max: 8 }),
    view: fc.constantFrom({}, { user: "ann" }, { user: "bob", channel: "web" }, { agent: "user:ann" }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      const desk = new Desk();
      const remembered = new RememberedContracts();
      for (const { text, scope, days, now, view } of steps) {
        const expiresAt = days === undefined ? {} : { expiresAt: iso(T + days * DAY) };
        desk.add(`KEEP: ${text}`, { scope, ...expiresAt });
        // Time may be set back.
        for (const at of [T + now * DAY, T + (8 - now) * DAY]) {
          expect(remembered.for(desk.state, view, at)).toEqual(contractFor(desk.state, view, at));
        }
      }
    }),
    { numRuns: 100 },
  );
});

it("HOT-31 a view of the contract is computed once, until its first directive expires", () => {
  const desk = new Desk();
  desk.add("KEEP: short notes");
  desk.add("STOP: long tables", { expiresAt: iso(T + DAY) });
  const remembered = new RememberedContracts();
  const first = remembered.for(desk.state, {}, T);
  expect(remembered.for(desk.state, {}, T + DAY - 1)).toBe(first);
  expect(remembered.for(desk.state, {}, T + DAY).directives).toHaveLength(1);
  desk.add("START: early notes");
  expect(remembered.for(desk.state, {}, T).directives).toHaveLength(3);
});
