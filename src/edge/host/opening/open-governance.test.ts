import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { governanceSuite } from "../../stores/test/governance-suite.ts";
import { openGovernance } from "./open-governance.ts";

let folder: string;
let files = 0;
const opened: { close(): Promise<void> }[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "conduct-open-governance-"));
});
afterAll(async () => {
  for (const { close } of opened) await close();
  await rm(folder, { recursive: true, force: true });
});

const place = (file: string) => ({ kind: "sqlite", file: join(folder, file) }) as const;

governanceSuite("sqlite, read without the query builder", async () => {
  const at = place(`store-${files++}.db`);
  const writer = await openGovernance(at, "write");
  const reader = await openGovernance(at, "read");
  opened.push(writer, reader);
  return { ...reader.journal, append: (after, drafts) => writer.journal.append(after, drafts) };
});

describe("openGovernance", () => {
  it("GR-1 reading a store that does not exist creates no file and returns an empty journal", async () => {
    const { journal, close } = await openGovernance(place("none.db"), "read");
    expect(await journal.head()).toEqual({ seq: 0, hash: "" });
    expect(await journal.read({ limit: 10 })).toEqual({ entries: [] });
    await expect(journal.append(0, [])).rejects.toThrow("nothing was written");
    await close();
    expect(existsSync(join(folder, "none.db"))).toBe(false);
  });

  it.each([
    ["empty.db", "", "STORE_DAMAGED"],
    ["text.db", "x".repeat(4096), "STORE_FOREIGN"],
  ])("GR-2 opening %s to read or to write is rejected with its exact error code", async (name, content, code) => {
    await writeFile(join(folder, name), content);
    for (const access of ["read", "write"] as const) {
      await expect(openGovernance(place(name), access)).rejects.toMatchObject({ code });
    }
  });
});
