import { describe, expect, it } from "vitest";
import type { BehaviorDirective, ContractEvent, ContractScope, DirectiveType } from "../../base/words/contract.ts";
import { contractFor, diffContracts, renderContract } from "./active-contract.ts";
import { EMPTY_CONTRACT, foldContract } from "./contract-state.ts";

const T = Date.parse("2026-03-01T10:00:00.000Z");

type Brief = {
  readonly type: DirectiveType;
  readonly text: string;
  readonly scope?: ContractScope;
  readonly day?: number;
  readonly id?: string;
};

function stateOf(...briefs: readonly Brief[]) {
  return foldContract(
    briefs.map(({ type, text, scope = "global", day = 0, id }, at): ContractEvent => {
      const createdAt = new Date(T + day * 86_400_000).toISOString();
      const directive: BehaviorDirective = { id: id ?? `d_${at}`, type, text, source: "operator", createdAt, scope };
      return { seq: at + 1, at: T, by: "op", kind: "directive-added", directive, absorbed: [] };
    }),
  );
}

describe("renderContract", () => {
  it("D02: the contract block has one line per directive, oldest first, and its hash covers these lines", () => {
    const state = stateOf(
      { type: "less", text: "long strategy talk", day: 2 },
      { type: "keep", text: "frequent status handoffs", day: 1 },
    );
    const contract = contractFor(state, {}, T);
    expect(renderContract(contract)).toBe(
      [
        "<GATEWAY_BEHAVIOR_CONTRACT version=2 hash=999732128a214b0f384d>",
        "- KEEP: frequent status handoffs",
        "- LESS: long strategy talk",
        "</GATEWAY_BEHAVIOR_CONTRACT>",
      ].join("\n"),
    );
    expect(contract.generatedAt).toBe("2026-03-01T10:00:00.000Z");
  });

  it("D15: an empty contract renders as empty text and has a hash", () => {
    const contract = contractFor(EMPTY_CONTRACT, { agent: "a" }, T);
    expect(renderContract(contract)).toBe("");
    expect(contract).toEqual({
      version: 0,
      generatedAt: "1970-01-01T00:00:00.000Z",
      directives: [],
      hash: "e3b0c44298fc1c149afb",
    });
  });

  it("D03: directives of the same age are sorted by id in code-unit order", () => {
    const state = stateOf(
      ...["ä", "a", "B", "d_10", "d_9"].map((id) => ({ type: "keep" as const, text: `text ${id}`, id })),
    );
    const ids = contractFor(state, {}, T).directives.map(({ id }) => id);
    expect(ids).toEqual(["B", "a", "d_10", "d_9", "ä"]);
  });

  it("D19: scopes are merged in a fixed order, each view gets its own scopes, and duplicates appear once", () => {
    const state = stateOf(
      { type: "stop", text: "emoji", scope: "user:ann" },
      { type: "stop", text: "tables", scope: "channel:sms" },
      { type: "keep", text: "short texts", scope: "agent:a" },
      { type: "keep", text: "Short texts.", scope: "global", day: 1 },
      { type: "stop", text: "jokes", scope: "agent:b" },
    );
    const told = (view: Parameters<typeof contractFor>[1]) => {
      const { version, directives } = contractFor(state, view, T);
      return [version, ...directives.map(({ text }) => text)];
    };
    expect(told({})).toEqual([4, "Short texts."]);
    expect(told({ agent: "a", channel: "sms", user: "ann" })).toEqual([4, "Short texts.", "tables", "emoji"]);
    expect(told({ agent: "b", user: "bob" })).toEqual([5, "Short texts.", "jokes"]);
  });

  it("D22: a diff lists the added and the removed directives", () => {
    const a = contractFor(stateOf({ type: "keep", text: "a b" }, { type: "stop", text: "c d" }), {}, T);
    const b = contractFor(stateOf({ type: "keep", text: "a b" }, { type: "stop", text: "e f" }), {}, T);
    expect(diffContracts(a, b)).toMatchObject({ removed: [{ text: "c d" }], added: [{ text: "e f" }] });
    expect(diffContracts(a, b).same).toBe(false);
    expect(diffContracts(a, { ...a, version: 9 })).toMatchObject({ same: true, added: [], removed: [] });
  });
});
