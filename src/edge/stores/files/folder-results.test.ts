import { chmod, mkdir, mkdtemp, readdir, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { memoryKeys } from "../seal/seal.ts";
import { findInFiles, SECRET_TEXT } from "../seal/test/secrets.ts";
import { resultsSuite } from "../test/results-suite.ts";
import { folderResults } from "./folder-results.ts";

const keys = memoryKeys();

const made: string[] = [];
async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "conduct-results-"));
  made.push(path);
  return join(path, "results");
}
afterAll(async () => {
  for (const path of made) await rm(path, { recursive: true, force: true });
});

async function files(root: string): Promise<string[]> {
  const found = await readdir(root, { recursive: true, withFileTypes: true });
  return found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

resultsSuite("folder", async (maxBytes) => folderResults(await folder(), keys, { maxBytes }));

describe("folder", () => {
  it("J12 only this account can read results: folders 0700, files 0600, even if a folder was readable before", async () => {
    const root = await folder();
    await mkdir(root);
    await chmod(root, 0o755);
    await folderResults(root, keys).keep("s", "h", "secret");
    const [file = ""] = await files(root);
    expect((await stat(root)).mode & 0o777).toBe(0o700);
    expect((await stat(join(file, ".."))).mode & 0o777).toBe(0o700);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it("J12 result files are named by hashes, and no temporary file remains", async () => {
    const root = await folder();
    await folderResults(root, keys).keep("../../up", "/etc/passwd", "x");
    const all = await files(root);
    expect(all).toHaveLength(1);
    expect(all[0]).toMatch(/results\/[0-9a-f]{40}\/[0-9a-f]{40}\.txt$/);
  });

  it("J12 deleting a session's results deletes only its files; an unknown session is ignored", async () => {
    const root = await folder();
    const results = folderResults(root, keys);
    await results.forget("s");
    await results.keep("s", "h1", "one");
    await results.keep("s", "h2", "two");
    await results.keep("t", "h1", "theirs");
    await results.forget("s");
    expect(await results.read("s", "h1")).toBeUndefined();
    expect(await results.read("t", "h1")).toBe("theirs");
    expect(await files(root)).toHaveLength(1);
  });

  it("J12 results expire after a week, and the sweep removes file and folder", async () => {
    const root = await folder();
    let now = Date.now();
    const results = folderResults(root, keys, { now: () => now });
    await results.keep("s", "h", "old");
    now += 8 * 24 * 3_600_000;
    expect(await results.read("s", "h")).toBeUndefined();
    expect(await files(root)).toHaveLength(1);
    await results.sweep();
    expect(await readdir(root)).toEqual([]);
  });

  it("J12 the sweep removes the oldest results first, including temporary files of a crash", async () => {
    const root = await folder();
    const results = folderResults(root, keys, { maxBytes: 1_000 });
    await results.keep("s", "new", "n".repeat(400));
    const [file = ""] = await files(root);
    const draft = `${file}.crashed.part`;
    await writeFile(draft, "d".repeat(900));
    await utimes(draft, 1, 1);
    await folderResults(root, keys, { maxBytes: 1_000, maxAge: Number.POSITIVE_INFINITY }).sweep();
    expect(await files(root)).toEqual([file]);
  });

  it("J12 a link in place of a session's folder and a file in place of the store are rejected", async () => {
    const root = await folder();
    const results = folderResults(root, keys);
    await results.keep("s", "h", "x");
    const [session = ""] = await readdir(root);
    await rm(join(root, session), { recursive: true });
    const elsewhere = await folder();
    await mkdir(elsewhere);
    await symlink(elsewhere, join(root, session));
    await expect(results.keep("s", "h", "x")).rejects.toThrow("not a folder");
    expect(await readdir(elsewhere)).toEqual([]);

    const file = await folder();
    await writeFile(file, "");
    await expect(folderResults(file, keys).keep("s", "h", "x")).rejects.toThrow();
    expect(await folderResults(file, keys).read("s", "h")).toBeUndefined();
  });

  it("J12 a failed write is reported and leaves no temporary file", async () => {
    const root = await folder();
    const results = folderResults(root, keys);
    await results.keep("s", "h", "x");
    const [file = ""] = await files(root);
    await rm(file);
    await mkdir(join(file, "in-the-way"), { recursive: true });
    await expect(results.keep("s", "h", "y")).rejects.toThrow();
    expect(await files(root)).toEqual([]);
    await expect(results.read("s", "h")).rejects.toThrow();
  });

  it("SEA-25 results are sealed; unsealed ones of an older Conduct stay readable and are sealed at the next write", async () => {
    const root = await folder();
    const results = folderResults(root, keys);
    await results.keep("s", "h", SECRET_TEXT);
    expect(findInFiles(root)).toEqual([]);
    const [file = ""] = findInFiles(root, ["sealed:1"]).map((one) => one.replace(/: sealed:1$/, ""));
    await writeFile(file, SECRET_TEXT);
    await utimes(file, 1_000_000_000, Date.now() / 1_000 - 3_600);
    const { mtimeMs } = await stat(file);
    expect(await results.read("s", "h")).toBe(SECRET_TEXT);
    await folderResults(root, keys).keep("s", "other", "x");
    expect(findInFiles(root)).toEqual([]);
    expect(await results.read("s", "h")).toBe(SECRET_TEXT);
    expect(Math.abs((await stat(file)).mtimeMs - mtimeMs)).toBeLessThan(2);
  });
});
