import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Changed, changeItems, replaceItems } from "./change-items.ts";
import { compareItems, diffTexts, renderDiff } from "./instruction-items.ts";
import { renderInstructions } from "./judge-change.ts";

const before = [
  { id: "i_a", text: "Answer in bullet points" },
  { id: "i_b", text: "## Never send mail\nwithout asking" },
  { id: "i_c", text: "Call me Ann" },
];

function ids(): () => string {
  let last = 0;
  return () => `n_${++last}`;
}

function itemsOf(changed: Changed) {
  if ("fault" in changed) throw new Error(changed.fault);
  return changed.items;
}

function faultOf(changed: Changed): string {
  return "fault" in changed ? changed.fault : "";
}

describe("replaceItems", () => {
  it("H05: a replacement keeps the ids of unchanged items and reports the others as added and removed", () => {
    const items = itemsOf(replaceItems(before, "- call me Ann.\n- Answer in bullet points\n- Use metric units", ids()));
    expect(items).toEqual([
      { id: "i_c", text: "call me Ann." },
      { id: "i_a", text: "Answer in bullet points" },
      { id: "n_1", text: "Use metric units" },
    ]);
    expect(renderDiff(compareItems(before, items))).toBe(
      "- Call me Ann\n+ call me Ann.\n- \\## Never send mail\n  without asking\n+ Use metric units",
    );
    expect(diffTexts(compareItems(before, items))).toEqual({
      added: ["call me Ann.", "Use metric units"],
      removed: ["Call me Ann", "## Never send mail\nwithout asking"],
    });
  });

  it("H05: replacing instructions with a copy from the prompt or from read_memory changes nothing", () => {
    const shown = renderInstructions({ items: before }).text;
    expect(itemsOf(replaceItems(before, shown, ids()))).toEqual(before);
    const listed = shown.replaceAll("- Answer", "- [i_a] Answer").replace("- Call", "- [i_c] Call");
    expect(itemsOf(replaceItems(before, listed, ids()))).toEqual(before);
    expect(itemsOf(replaceItems(before, "[urgent] mail first", ids()))[0]?.text).toBe("[urgent] mail first");
  });

  it.each(["", " \n", "(No custom instructions set.)"])(
    "H07: replacing the instructions with %j removes all of them",
    (text) => {
      expect(itemsOf(replaceItems(before, text, ids()))).toEqual([]);
    },
  );

  it("H05: a replacement stores duplicate items once", () => {
    expect(itemsOf(replaceItems([], "Be brief\n- be  brief!\n“Be” brief", ids()))).toHaveLength(2);
  });

  it("H05: replacing any instructions with their own rendered text changes nothing", () => {
    const word = fc.constantFrom("# x", "a", "</feedback>", "```", "===", "é", "b c.", "- d");
    fc.assert(
      fc.property(fc.array(fc.array(word, { minLength: 1, maxLength: 4 }), { maxLength: 6 }), (texts) => {
        const stored = itemsOf(replaceItems([], texts.map((lines) => lines.join("\n  ")).join("\n"), ids()));
        const again = itemsOf(replaceItems(stored, renderInstructions({ items: stored }).text, ids()));
        expect(again).toEqual(stored);
      }),
    );
  });
});

describe("changeItems", () => {
  const none = { add: [], edit: [], remove: [] };

  it("H05: a change can remove, edit and add single items", () => {
    const changes = { add: ["Use metric units"], edit: [{ id: "i_c", text: "- Call me Annie" }], remove: ["i_a"] };
    expect(itemsOf(changeItems(before, changes, ids()))).toEqual([
      { id: "i_b", text: "## Never send mail\nwithout asking" },
      { id: "i_c", text: "Call me Annie" },
      { id: "n_1", text: "Use metric units" },
    ]);
  });

  it("H05: a change does not add an item that is nearly the same as an existing one", () => {
    const changed = changeItems(before, { ...none, add: ["call me  ANN!", "New", "new."] }, ids());
    expect(changed).toEqual({
      items: [...before, { id: "n_1", text: "New" }],
      known: [before[2], { id: "n_1", text: "New" }],
    });
  });

  it.each([
    { edit: [{ id: "i_x", text: "t" }], fault: "Unknown instruction id 'i_x'" },
    { remove: ["i_x"], fault: "Unknown instruction id 'i_x'" },
    { remove: ["i_a", "i_a"], fault: "twice" },
    { remove: ["i_a"], edit: [{ id: "i_a", text: "t" }], fault: "twice" },
    { edit: [{ id: "i_a", text: " " }], fault: "is empty" },
    { edit: [{ id: "i_a", text: "a\nb" }], fault: "several items" },
    { edit: [{ id: "i_a", text: "call me ann" }], fault: "would duplicate" },
    { edit: [{ id: "i_a", text: "x".repeat(2_001) }], fault: "has 2001 characters" },
    { add: ["x".repeat(2_001)], fault: "has 2001 characters" },
    { add: ["a\0b"], fault: "NUL" },
    { add: [Array.from({ length: 198 }, (_, at) => `n${at}`).join("\n")], fault: "201 instructions" },
  ])("H04: a change is rejected with $fault, and nothing is cut", ({ fault, ...changes }) => {
    expect(faultOf(changeItems(before, { ...none, ...changes }, ids()))).toContain(fault);
  });

  it.each([
    { text: "x".repeat(2_001), fault: "has 2001 characters" },
    { text: Array.from({ length: 201 }, (_, at) => `n${at}`).join("\n"), fault: "201 instructions" },
    { text: "x\n".repeat(300_000), fault: "has 600000 characters" },
    { text: "a\0", fault: "NUL" },
  ])("H04: a replacement is rejected with $fault", ({ text, fault }) => {
    expect(faultOf(replaceItems(before, text, ids()))).toContain(fault);
  });

  it("H04: 200 items of 2,000 characters are stored completely", () => {
    const texts = Array.from({ length: 200 }, (_, at) => `${at} `.padEnd(2_000, "x"));
    expect(itemsOf(replaceItems([], texts.join("\n"), ids())).map(({ text }) => text)).toEqual(texts);
  });
});
