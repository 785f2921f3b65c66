import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readBehaviours } from "./behaviour-ids.ts";

const FOLDER = join(import.meta.dirname, "../docs/reference");
const PAGES = globSync("edge-cases*.md", { cwd: FOLDER }).sort();
/** The last case of each section of the first page; E15 and G17 are out of scope. */
const LAST = { A: 21, B: 10, C: 10, D: 23, E: 16, F: 6, G: 19, H: 16 };
const OUT_OF_SCOPE = ["E15", "G17"];

function rowsOf(page: string) {
  const rows = readFileSync(join(FOLDER, page), "utf8").matchAll(/^\| ([A-Z]\d{2}) \| (.*) \| ([^|]*) \|$/gm);
  return [...rows].map(([, id = "", sentence = "", proofs = ""]) => ({ id, sentence, proofs: proofs.split(", ") }));
}

const known = new Set(readBehaviours().map(({ id }) => id));

describe("the pages of edge cases are true", () => {
  it.each(PAGES)("EDG-1 every rule id that %s names belongs to a test", (page) => {
    const rows = rowsOf(page);
    expect(rows.length).toBeGreaterThan(0);
    for (const { id, sentence, proofs } of rows) {
      expect(sentence, id).not.toBe("");
      for (const proof of proofs) expect(known.has(proof), `${id} names ${proof}`).toBe(true);
    }
  });

  it("EDG-2 the first page has every case in scope once, in order", () => {
    const all = Object.entries(LAST).flatMap(([section, last]) =>
      Array.from({ length: last }, (_, at) => `${section}${String(at + 1).padStart(2, "0")}`),
    );
    expect(rowsOf("edge-cases.md").map(({ id }) => id)).toEqual(all.filter((id) => !OUT_OF_SCOPE.includes(id)));
  });
});
