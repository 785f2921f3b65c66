import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { memoryStores } from "../../../../edge/stores/home-stores.ts";
import { startTypesense } from "../../../../edge/stores/test/servers/typesense.ts";
import { typesenseIndex } from "../../../../edge/stores/typesense/typesense-index.ts";
import { type TestGovernance, tampered, testGovernance } from "../../test/test-governance.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "conduct-cli-journal-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function written(): Promise<TestGovernance> {
  const at = testGovernance();
  await at.run('behavior add "KEEP: short answers"');
  await at.run('behavior add "MORE: tests"');
  await at.run("behavior undo");
  return at;
}

describe("conduct journal", () => {
  it.each([
    ["is altered", 2, "altered", (by: string) => ({ by: `${by}!` })],
    ["is gone", 3, "missing", () => undefined],
    ["was replaced by one with another past", 2, "altered", () => ({ prev: "0".repeat(64) })],
  ])("CJ-1 verify reports the position where an entry %s", async (_, seq, fault, change) => {
    const at = await written();
    const bad = tampered(at.journal, (entry) => {
      if (entry.seq !== 2) return entry;
      const changed = change(entry.by);
      return changed === undefined ? undefined : { ...entry, ...changed };
    });
    const { outcome, code } = await at.run("journal verify", bad);
    expect(code).toBe(1);
    expect(outcome).toMatchObject({ code: "JOURNAL_BROKEN", result: { broken: { seq, fault }, good: { seq: 1 } } });
  });

  it("CJ-2 a saved head proves that no entry was truncated or rewritten", async () => {
    const at = await written();
    const { seq, hash } = await at.journal.head();
    const kept = `journal verify --head=${seq}:${hash}`;
    await at.run('behavior add "LESS: noise"');
    expect((await at.run(kept)).outcome).toMatchObject({ ok: true, result: { entries: 4, kept: { seq, hash } } });
    const cut = tampered(at.journal, (entry) => (entry.seq > 2 ? undefined : entry));
    expect((await at.run("journal verify", cut)).code).toBe(0);
    expect((await at.run(kept, cut)).outcome).toMatchObject({ code: "JOURNAL_BROKEN" });
    const other = testGovernance();
    for (const text of ["KEEP: this", "KEEP: that", "KEEP: these"]) await other.run(`behavior add "${text}"`);
    expect((await other.run(kept)).outcome).toMatchObject({ message: expect.stringContaining("rewritten") });
  });

  it("CJ-3 verify reports an intact chain whose entries do not form a valid contract", async () => {
    const at = await written();
    await at.journal.append(3, [{ at: at.now, by: "mallory", kind: "directive-removed", body: {} }]);
    expect((await at.run("journal verify")).outcome).toMatchObject({
      code: "JOURNAL_DAMAGED",
      result: { fault: { seq: 4 } },
    });
  });

  it("CJ-4 export writes one entry per line, also for a range, to stdout, a new file or the envelope", async () => {
    const at = await written();
    const { entries } = await at.journal.read({ limit: 10 });
    const lines = (of: typeof entries) => of.map((entry) => `${JSON.stringify(entry)}\n`).join("");
    expect((await at.run("journal export")).said).toBe(lines(entries));
    expect((await at.run("journal export --from=2 --to=2")).said).toBe(lines(entries.slice(1, 2)));
    expect((await at.run("journal export --json")).envelope).toMatchObject({ result: { entries } });
    const file = join(folder, "journal.jsonl");
    expect((await at.run("journal export --out=journal.jsonl", { cwd: folder })).outcome).toMatchObject({
      result: { file, entries: 3 },
    });
    expect(await readFile(file, "utf8")).toBe(lines(entries));
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const again = await at.run("journal export --out=journal.jsonl", { cwd: folder });
    expect(again.outcome).toMatchObject({ ok: false, code: "FILE_NOT_WRITTEN" });
  });

  it("CJ-5 rebuild recreates the contract, confirms that it is the same, and recomputes the sessions", async () => {
    const at = await written();
    const events = { ...memoryStores().events, rebuild: async () => 7 };
    const rebuildSearch = async () => ({ governance: 3, events: 9, notes: 0 });
    const open = async () => ({ journal: at.journal, events, rebuildSearch, close: async () => undefined });
    const { outcome } = await at.run("journal rebuild", { open });
    expect(outcome).toMatchObject({
      ok: true,
      result: { contract: { version: 3, events: 3 }, sessions: 7, search: { events: 9 } },
    });
  });

  it("CJ-6 rebuild fills the search index that history uses, and an unavailable index fails nothing", async () => {
    const at = await written();
    const server = await startTypesense();
    try {
      const index = async () => typesenseIndex({ url: server.url, key: server.key });
      expect((await at.run("journal rebuild", { index })).outcome).toMatchObject({
        ok: true,
        result: { history: { entries: 3 } },
      });
      const through = await at.run("behavior history --search=tests", { index });
      expect(through.outcome).toMatchObject({ ok: true, result: { more: false } });
      expect(JSON.stringify(through.outcome)).toContain("MORE");
      server.mode = "down";
      expect((await at.run("behavior history --search=tests", { index })).outcome).toMatchObject({ ok: true });
      const rebuilt = await at.run("journal rebuild", { index });
      expect(rebuilt.outcome).toMatchObject({ ok: true, result: { history: { problem: expect.any(String) } } });
    } finally {
      await server.stop();
    }
  });
});
