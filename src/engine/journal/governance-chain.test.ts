import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { GovernanceEntry } from "../../base/ports/stores/governance.ts";
import { CHAIN_START, sealEntries, verifyChain } from "./governance-chain.ts";

function chain(length: number): GovernanceEntry[] {
  const drafts = Array.from({ length }, (_, at) => ({ at, by: "ann", kind: "test.made", body: { at, list: [at] } }));
  return [...sealEntries(CHAIN_START, drafts)];
}

/** The entry with a hash that fits what it says now. */
function forge(entry: GovernanceEntry, change: Partial<GovernanceEntry>): GovernanceEntry {
  const { seq, prev, ...said } = { ...entry, ...change };
  return sealEntries({ seq: seq - 1, hash: prev }, [said])[0] ?? entry;
}

describe("governance chain", () => {
  it("GOV-12 an entry's hash is that of its canonical JSON and never changes between versions", () => {
    const [entry] = sealEntries(CHAIN_START, [{ at: 1, by: "ann", kind: "test.made", body: { b: 1, a: "ü" } }]);
    expect(entry).toEqual({
      seq: 1,
      at: 1,
      by: "ann",
      kind: "test.made",
      body: { a: "ü", b: 1 },
      prev: "",
      // printf '{"at":1,"body":{"a":"ü","b":1},"by":"ann","kind":"test.made","prev":"","seq":1}' | sha256sum
      hash: "057957d7364fa81ec3838c7db06eec3000ed44661eb2644c61155e5a7b2bf5f8",
    });
  });

  it.each<[string, (entries: GovernanceEntry[]) => unknown, ReturnType<typeof verifyChain>]>([
    ["a body", (all) => Object.assign(all[4] ?? {}, { body: { at: 4, list: [5] } }), broken(5, "altered")],
    ["a time", (all) => Object.assign(all[4] ?? {}, { at: 5 }), broken(5, "altered")],
    ["a name", (all) => Object.assign(all[0] ?? {}, { by: "bob" }), broken(1, "altered")],
    ["a kind", (all) => Object.assign(all[9] ?? {}, { kind: "test.mad" }), broken(10, "altered")],
    ["a hash", (all) => Object.assign(all[4] ?? {}, { hash: all[3]?.hash }), broken(5, "altered")],
    ["a link", (all) => Object.assign(all[4] ?? {}, { prev: all[1]?.hash }), broken(5, "altered")],
    ["a number", (all) => Object.assign(all[4] ?? {}, { seq: 6 }), broken(6, "altered")],
    ["an entry taken out", (all) => all.splice(4, 1), broken(6, "missing")],
    ["the first taken out", (all) => all.splice(0, 1), broken(2, "missing")],
    ["an entry twice", (all) => all.splice(4, 0, ...all.slice(4, 5)), broken(5, "unlinked")],
    ["two exchanged", (all) => all.splice(4, 2, ...all.slice(4, 6).reverse()), broken(6, "missing")],
    ["an entry with a hash to fit", (all) => reforge(all, 4, { by: "bob" }), broken(6, "unlinked")],
    ["a link with a hash to fit", (all) => reforge(all, 4, { prev: "" }), broken(5, "unlinked")],
  ])("GOV-13 verification finds %s at its position", (_, tamper, found) => {
    const entries = chain(10);
    expect(verifyChain(entries)).toMatchObject({ kind: "whole", head: { seq: 10 } });
    tamper(entries);
    expect(verifyChain(entries)).toEqual(found);
  });

  it("GOV-14 a page of the chain verifies only from the head of the page before", () => {
    const entries = chain(10);
    const first = verifyChain(entries.slice(0, 4));
    if (first.kind === "broken") throw new Error("broken");
    expect(verifyChain(entries.slice(4), first.head)).toMatchObject({ kind: "whole", head: { seq: 10 } });
    expect(verifyChain(entries.slice(4), { seq: 4, hash: entries[2]?.hash ?? "" })).toEqual(broken(5, "unlinked"));
    expect(verifyChain([], first.head)).toEqual(first);
  });

  it("GOV-13 verification detects any change to any field of any entry", () => {
    const fields = ["seq", "at", "by", "kind", "body", "prev", "hash"] as const;
    fc.assert(
      fc.property(fc.nat(9), fc.constantFrom(...fields), fc.jsonValue(), (place, field, value) => {
        const entries = chain(10);
        const entry = entries[place];
        if (entry === undefined) return;
        fc.pre(JSON.stringify(entry[field]) !== JSON.stringify(value === 0 ? 0 : value));
        Object.assign(entry, { [field]: value });
        expect(verifyChain(entries).kind).toBe("broken");
      }),
    );
  });
});

function reforge(all: GovernanceEntry[], place: number, change: Partial<GovernanceEntry>): void {
  const entry = all[place];
  if (entry !== undefined) all[place] = forge(entry, change);
}

function broken(seq: number, fault: "altered" | "missing" | "unlinked"): ReturnType<typeof verifyChain> {
  return { kind: "broken", seq, fault };
}
