import { describe, expect, it } from "vitest";
import { judgeChange, sawItems, seenSlice, unseenItems } from "./judge-change.ts";

const items = ["a", "b", "c", "d"].map((text) => ({ id: `i_${text}`, text }));
const all = sawItems(seenSlice.initial, items, ["i_a", "i_b", "i_c", "i_d"]);

function judge(removed = items, confirm?: string, version = 3, seen = all) {
  return judgeChange({ version }, { removed, edited: [] }, { seen, confirm });
}

function confirmOf(refusal: string | undefined): string {
  return /"confirm": "(\w+)"/.exec(refusal ?? "")?.[1] ?? "";
}

describe("seen", () => {
  it("H06: an item counts as seen once it was shown in full, until its text changes", () => {
    const seen = sawItems(seenSlice.initial, items, ["i_a", "i_x"]);
    expect(unseenItems(seen, items).map(({ id }) => id)).toEqual(["i_b", "i_c", "i_d"]);
    expect(unseenItems(seen, [{ id: "i_a", text: "changed elsewhere" }])).toHaveLength(1);
    expect(unseenItems(seenSlice.initial, [{ id: "constructor", text: "" }])).toHaveLength(1);
  });

  it("H06: seen items accumulate, removed items are forgotten, and the state is plain JSON", () => {
    const more = sawItems(sawItems(seenSlice.initial, items, ["i_a"]), items, ["i_b"]);
    expect(unseenItems(more, items).map(({ id }) => id)).toEqual(["i_c", "i_d"]);
    expect(sawItems(more, items, ["i_a"])).toBe(more);
    expect(Object.keys(sawItems(more, items.slice(1), []))).toEqual(["i_b"]);
    expect(JSON.parse(JSON.stringify(more))).toEqual(more);
    expect(seenSlice.kind).toBe("STATE");
  });
});

describe("judgeChange", () => {
  it("H06: the model cannot remove or overwrite instructions that it has not seen", () => {
    const seen = sawItems(seenSlice.initial, items, ["i_a"]);
    expect(judge(items.slice(0, 1), undefined, 3, seen)).toBeUndefined();
    expect(judge(items.slice(0, 2), undefined, 3, seen)).toMatch(
      /1 instruction that you have not seen.*read_memory first/,
    );
    const edited = items.slice(1, 3).map((from) => ({ from, to: { ...from, text: "new" } }));
    expect(judgeChange({ version: 3 }, { removed: [], edited }, { seen })).toContain("2 instructions that you");
  });

  it("H06: a confirmation does not permit changing unseen instructions", () => {
    expect(judge(items, confirmOf(judge()), 3, seenSlice.initial)).toContain("read_memory");
  });

  it("H07: removing three instructions is allowed; removing four lists them and needs a confirmation", () => {
    expect(judge(items.slice(0, 3))).toBeUndefined();
    const refusal = judge();
    expect(refusal).toContain("4 instructions would be removed:\n- a\n- b\n- c\n- d\n");
    expect(judge(items, confirmOf(refusal))).toBeUndefined();
  });

  it("H07: a confirmation is valid only for its version and its items", () => {
    const confirm = confirmOf(judge());
    const five = [...items, { id: "i_e", text: "e" }];
    const seen = sawItems(all, five, ["i_e"]);
    expect(confirm).not.toBe("");
    expect(judge(items, confirm, 4)).toContain("would be removed");
    expect(judge(five, confirm, 3, seen)).toContain("5 instructions would be removed");
    expect(judge(items, "yes")).toContain("would be removed");
    expect(judge(items.toReversed(), confirm)).toBeUndefined();
  });

  it("H07: a confirmation request shortens long items and long lists", () => {
    const many = Array.from({ length: 60 }, (_, at) => ({ id: `i_${at}`, text: `${at} `.padEnd(2_000, "x") }));
    const refusal = judge(
      many,
      undefined,
      3,
      sawItems(
        seenSlice.initial,
        many,
        many.map(({ id }) => id),
      ),
    );
    expect(refusal).toContain("and 10 more");
    expect(refusal?.length).toBeLessThan(12_000);
  });
});
