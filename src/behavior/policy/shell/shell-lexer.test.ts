import fc from "fast-check";
import { expect, it } from "vitest";
import { ReadBudget } from "../command-limits/read-budget.ts";
import { lexShell } from "./lexer.ts";

it("SX-1 a plain line gives the same words by the short way as by the long one", () => {
  const word = fc.string({ unit: fc.constantFrom(..."abZ09_@%+:,./-"), minLength: 1, maxLength: 12 });
  const blank = fc.constantFrom(" ", "  ", "\t");
  fc.assert(
    fc.property(fc.array(fc.tuple(word, blank), { minLength: 1, maxLength: 8 }), (parts) => {
      const line = parts.flat().join("");
      const short = lexShell(line, "bash", true, new ReadBudget(line.length));
      // An operator at the end sends the same words the long way.
      const long = lexShell(`${line};`, "bash", true, new ReadBudget(line.length));
      expect(short.parsed).toBe(long.parsed);
      expect(short.tokens).toEqual(long.tokens.filter(({ kind }) => kind === "word"));
    }),
  );
});
