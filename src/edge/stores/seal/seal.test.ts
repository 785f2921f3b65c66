import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { areSealed, isSealed, sealWith } from "./seal.ts";

const seal = sealWith(randomBytes(32));

describe("a seal", () => {
  it("SEA-1 any text and bytes can be sealed and opened, and the sealed form reveals nothing", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 8 }), fc.uint8Array(), (text, bytes) => {
        const closed = seal.close("conduct_turns.body", ["t"], text);
        expect(seal.open("conduct_turns.body", ["t"], closed)).toBe(text);
        expect(isSealed(closed)).toBe(true);
        expect(closed).not.toContain(text);
        const shut = seal.closeBytes("results.file", ["s", "h"], bytes);
        expect([...seal.openBytes("results.file", ["s", "h"], shut)]).toEqual([...bytes]);
        expect(areSealed(shut)).toBe(true);
      }),
    );
  });

  it("SEA-2 the same text is sealed differently every time; empty text stays empty", () => {
    const closed = new Set(Array.from({ length: 100 }, () => seal.close("conduct_turns.body", ["t"], "same")));
    expect(closed.size).toBe(100);
    expect(seal.close("conduct_turns.body", ["t"], "")).toBe("");
    expect(seal.open("conduct_turns.body", ["t"], "")).toBe("");
  });

  it("SEA-3 a sealed value that was changed or moved to another row or column counts as damaged", () => {
    const closed = seal.close("conduct_kept_changes.change", ["s", 1], "state");
    const open =
      (row: readonly (string | number)[], stored = closed) =>
      () =>
        seal.open("conduct_kept_changes.change", row, stored);
    expect(open(["s", 1])()).toBe("state");
    for (const row of [["s", 2], ["t", 1], ["s"], ["s", "1"], ["s", 1, ""]]) expect(open(row)).toThrow(/damaged/);
    expect(() => seal.open("conduct_turns.body", ["s", 1], closed)).toThrow(/moved here from another row/);
    const last = closed.at(-5) === "A" ? "B" : "A";
    expect(open(["s", 1], `${closed.slice(0, -5)}${last}${closed.slice(-4)}`)).toThrow(/damaged/);
    expect(open(["s", 1], "sealed:1:")).toThrow(/damaged/);
    expect(() => sealWith(randomBytes(32)).open("conduct_kept_changes.change", ["s", 1], closed)).toThrow(/damaged/);
  });

  it("SEA-4 unsealed text of an older Conduct is returned unchanged", () => {
    expect(seal.open("conduct_turns.body", ["t"], '{"text":"hello"}')).toBe('{"text":"hello"}');
    expect(Buffer.from(seal.openBytes("results.file", ["s", "h"], Buffer.from("hello"))).toString()).toBe("hello");
  });

  it("SEA-5 hashes are equal only for equal texts under the same key and purpose", () => {
    expect(seal.hash("note", "tea")).toBe(seal.hash("note", "tea"));
    const others = [seal.hash("word", "tea"), seal.hash("note", "ten"), sealWith(randomBytes(32)).hash("note", "tea")];
    for (const other of others) expect(other).not.toBe(seal.hash("note", "tea"));
  });
});
