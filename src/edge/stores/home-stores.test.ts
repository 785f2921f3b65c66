import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { homeStores } from "./home-stores.ts";
import { agentsSuite } from "./test/agents-suite.ts";
import { governanceSuite } from "./test/governance-suite.ts";
import { instructionsSuite } from "./test/instructions-suite.ts";
import { notesSuite } from "./test/notes-suite.ts";

const root = mkdtempSync(join(tmpdir(), "conduct-home-stores-"));
const opened: { close(): Promise<void> }[] = [];
let made = 0;
function fresh() {
  const file = join(root, String(++made), "conduct.db");
  const stores = homeStores({ kind: "sqlite", file });
  opened.push(stores);
  return { file, stores };
}
afterAll(async () => {
  for (const store of opened) await store.close();
  rmSync(root, { recursive: true, force: true });
});

instructionsSuite("home", async () => fresh().stores.instructions);
notesSuite("home", async () => fresh().stores.memory);
agentsSuite("home", async () => fresh().stores.agents);
governanceSuite("home", async () => fresh().stores.governance);

describe("home stores", () => {
  it("HS-1 reading creates no file; the first write does", async () => {
    const { file, stores } = fresh();
    const owner = { user: "ann", agent: "a" };
    expect((await stores.instructions.read(owner)).version).toBe(0);
    expect((await stores.memory.search(owner, { limit: 5 })).total).toBe(0);
    expect((await stores.governance.read({ limit: 5 })).entries).toEqual([]);
    expect((await stores.governance.head()).seq).toBe(0);
    expect(await stores.agents.list()).toEqual([]);
    expect([await stores.events.head(), await stores.events.expire(1)]).toEqual([0, 0]);
    expect(existsSync(file)).toBe(false);
    await stores.memory.save(owner, { id: "n1", text: "likes tea", at: 1 });
    expect(existsSync(file)).toBe(true);
  });

  it("HS-2 a process sees the writes of another process, even if it read before", async () => {
    const { file, stores } = fresh();
    expect((await stores.governance.head()).seq).toBe(0);
    const other = homeStores({ kind: "sqlite", file });
    opened.push(other);
    await other.governance.append(0, [{ at: 1, by: "me", kind: "x", body: {} }]);
    expect((await stores.governance.head()).seq).toBe(1);
  });

  it("HS-3 a store that cannot be opened rejects each time and is retried", async () => {
    const { file, stores } = fresh();
    mkdirSync(join(file, ".."), { recursive: true });
    writeFileSync(file, "this is no database, and never was one");
    await expect(stores.governance.head()).rejects.toThrow(/conduct\.db/);
    rmSync(file);
    expect((await stores.governance.head()).seq).toBe(0);
  });

  it("HS-4 a closed store is not reopened, and a removed folder is not recreated", async () => {
    const { file, stores } = fresh();
    await stores.governance.append(0, [{ at: 1, by: "me", kind: "x", body: {} }]);
    await stores.close();
    await expect(stores.governance.head()).rejects.toMatchObject({ code: "STORE_CLOSED" });
    await expect(stores.events.append([])).rejects.toMatchObject({ code: "STORE_CLOSED" });
    const folder = join(root, "short-lived");
    mkdirSync(folder);
    const orphaned = homeStores({ kind: "sqlite", file: join(folder, "below", "conduct.db") });
    rmSync(folder, { recursive: true });
    await expect(orphaned.governance.append(0, [])).rejects.toMatchObject({ code: "STORE_GONE" });
    expect([existsSync(folder), existsSync(file)]).toEqual([false, true]);
  });
});
