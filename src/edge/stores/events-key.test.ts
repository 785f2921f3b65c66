import { chmod, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { journalKey } from "./events-key.ts";

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "conduct-key-"));
});
afterAll(() => rm(root, { recursive: true, force: true }));

describe("the journal's key", () => {
  it("RED-10 is made once, for this account alone, and stays the same", async () => {
    const home = join(root, "home");
    const key = journalKey(home);
    expect(key.byteLength).toBe(32);
    expect(await readdir(home)).toEqual(["journal.key"]);
    await chmod(join(home, "journal.key"), 0o644);
    expect(journalKey(home)).toEqual(key);
    expect((await stat(join(home, "journal.key"))).mode & 0o777).toBe(0o600);
    expect(journalKey(join(root, "other"))).not.toEqual(key);
  });

  it.each(["", "abc", "x".repeat(64)])("RED-11 the file %j is refused in words", async (text) => {
    await writeFile(join(root, "journal.key"), text);
    expect(() => journalKey(root)).toThrow(/is not a key.*Put back a copy/);
  });
});
