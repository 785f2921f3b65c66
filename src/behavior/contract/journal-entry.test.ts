import { describe, expect, it } from "vitest";
import { contractKinds, readEntry, toDraft } from "./journal-entry.ts";
import { accepted, Desk, T } from "./test/test-desk.ts";

function addedEntry() {
  const { events } = accepted(new Desk().add("KEEP: a b", { message: { id: "m", line: 1 } }));
  const [event] = events;
  if (event === undefined) throw new Error("no event");
  return { event, entry: { seq: 1, ...toDraft(event) } };
}

describe("journal entries", () => {
  it("D09: an event read back from its journal entry is unchanged", () => {
    const { event, entry } = addedEntry();
    expect(entry).toMatchObject({ kind: "directive-added", at: T, by: "op" });
    expect(entry.body).not.toHaveProperty("seq");
    expect(readEntry(entry)).toEqual(event);
  });

  it("D09: journal entries of other kinds are not read as contract events", () => {
    expect(readEntry({ ...addedEntry().entry, kind: "rules-changed" })).toBeUndefined();
    expect(readEntry({ ...addedEntry().entry, kind: "toString" })).toBeUndefined();
    expect(contractKinds()).toContain("contract-undone");
  });

  it.each([
    ["no body", () => null],
    ["a list", () => []],
    ["no directive", () => ({ absorbed: [] })],
    ["an unknown type", (d: object) => ({ directive: { ...d, type: "never" }, absorbed: [] })],
    ["a scope that is none", (d: object) => ({ directive: { ...d, scope: "team" }, absorbed: [] })],
    ["a time in another form", (d: object) => ({ directive: { ...d, createdAt: "2026-03-01" }, absorbed: [] })],
    ["a confidence above 1", (d: object) => ({ directive: { ...d, confidence: 7 }, absorbed: [] })],
    ["no text", (d: object) => ({ directive: { ...d, text: "" }, absorbed: [] })],
    ["a text beyond all bounds", (d: object) => ({ directive: { ...d, text: "x".repeat(9_999) }, absorbed: [] })],
    ["no list", (d: object) => ({ directive: d, absorbed: null })],
  ])("D06: an entry with %s is reported as a fault that names it and is never ignored", (_what, damage) => {
    const { event, entry } = addedEntry();
    const directive = event.kind === "directive-added" ? event.directive : {};
    const body = JSON.parse(JSON.stringify(damage(directive)));
    expect(readEntry({ ...entry, body })).toEqual({ fault: expect.stringContaining("entry 1 (directive-added)") });
  });
});
