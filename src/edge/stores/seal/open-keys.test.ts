import { randomBytes } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openDatabase, type StorePlace } from "../sql/open-database.ts";
import { openKeys } from "./open-keys.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "conduct-keys-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const home = () => join(root, "home");
const keys = () => join(root, "keys");
const place = (): StorePlace => ({ kind: "sqlite", file: join(home(), "conduct.db") });

async function open(env: NodeJS.ProcessEnv = {}) {
  const { db, where } = await openDatabase(place());
  try {
    const opened = await openKeys(db, place(), where, { CONDUCT_HOME: home(), CONDUCT_KEYS: keys(), ...env });
    const { key, state } = await opened.status();
    return { seal: await opened.seal(), journal: await opened.journal(), key, state };
  } finally {
    await db.destroy();
  }
}

const sealed = async (env?: NodeJS.ProcessEnv) => (await open(env)).seal.close("conduct_turns.body", ["t"], "hello");
const opened = async (text: string, env?: NodeJS.ProcessEnv) =>
  (await open(env)).seal.open("conduct_turns.body", ["t"], text);

describe("the key of a store", () => {
  it("SEA-10 the store's key is created once, outside the home, readable by this account only", async () => {
    const { key, state } = await open();
    const [file = "", ...others] = readdirSync(keys());
    expect(others).toEqual([]);
    expect(key).toEqual({ kind: "file", file: join(keys(), file) });
    expect(state).toBe("clean");
    expect(statSync(keys()).mode & 0o777).toBe(0o700);
    expect(statSync(join(keys(), file)).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(keys(), file), "utf8")).toMatch(/^[0-9a-f]{64}\n$/);
    chmodSync(join(keys(), file), 0o644);
    expect(await opened(await sealed())).toBe("hello");
    expect(statSync(join(keys(), file)).mode & 0o777).toBe(0o600);
    expect(readdirSync(home()).filter((name) => name.endsWith(".key"))).toEqual([]);
  });

  it("SEA-11 processes that open a new store at once get the same key", async () => {
    (await openDatabase(place())).db.destroy();
    const texts = await Promise.all(Array.from({ length: 8 }, () => sealed()));
    for (const text of texts) expect(await opened(text)).toBe("hello");
    expect(readdirSync(keys())).toHaveLength(1);
  });

  it("SEA-12 with a missing key the store is rejected and no new key is created; restoring the key restores the data", async () => {
    const text = await sealed();
    renameSync(keys(), join(root, "away"));
    await expect(open()).rejects.toMatchObject({
      code: "STORE_KEY",
      message: expect.stringMatching(
        /key of the store .*conduct\.db is missing: it was expected in .*keys.*\.key\. Restore that file from your backup.*CONDUCT_DATA_KEY.*Without the key, nobody can read/,
      ),
    });
    expect(existsSync(keys())).toBe(false);
    renameSync(join(root, "away"), keys());
    expect(await opened(text)).toBe("hello");
  });

  it("SEA-13 a wrong key is rejected with a reason and not changed", async () => {
    await sealed();
    const [file = ""] = readdirSync(keys());
    const wrong = randomBytes(32).toString("hex");
    writeFileSync(join(keys(), file), wrong);
    await expect(open()).rejects.toMatchObject({
      code: "STORE_KEY",
      message: expect.stringContaining("is not the key"),
    });
    expect(readFileSync(join(keys(), file), "utf8")).toBe(wrong);
    await expect(open({ CONDUCT_DATA_KEY: wrong })).rejects.toThrow(
      /The key in CONDUCT_DATA_KEY is not the key of the store/,
    );
    for (const text of ["", "abc", "x".repeat(64)]) {
      writeFileSync(join(keys(), file), text);
      await expect(open()).rejects.toMatchObject({
        code: "STORE_KEY",
        message: expect.stringContaining("is not a key"),
      });
    }
  });

  it("SEA-14 CONDUCT_DATA_KEY, in hex or base64, replaces the key file, and no file is written", async () => {
    const key = randomBytes(32);
    const text = await sealed({ CONDUCT_DATA_KEY: key.toString("hex") });
    for (const form of ["base64", "base64url"] as const)
      expect(await opened(text, { CONDUCT_DATA_KEY: key.toString(form) })).toBe("hello");
    expect(existsSync(keys())).toBe(false);
    await expect(open({ CONDUCT_DATA_KEY: "short" })).rejects.toThrow(
      /CONDUCT_DATA_KEY is not a key. Set it to 32 bytes/,
    );
    // The same key in a file opens it too.
    await expect(open()).rejects.toThrow(/missing/);
  });

  it("SEA-15 a key folder inside the home is rejected, even through a link", async () => {
    mkdirSync(home(), { recursive: true });
    symlinkSync(home(), join(root, "link"));
    for (const folder of [home(), join(home(), "keys"), join(home(), "a", "b"), join(root, "link", "keys")])
      await expect(open({ CONDUCT_KEYS: folder })).rejects.toThrow(
        /is inside .*Set CONDUCT_KEYS to a folder outside it/,
      );
    expect(readdirSync(home()).filter((name) => /keys|^a$/.test(name))).toEqual([]);
  });

  it("SEA-16 the journal's key is derived from the store's; an older key is moved out of the home and stays valid", async () => {
    const { journal } = await open();
    expect((await open()).journal).toEqual(journal);
    expect(readdirSync(keys())).toHaveLength(1);
    rmSync(root, { recursive: true });
    mkdirSync(home(), { recursive: true });
    const before = randomBytes(32);
    writeFileSync(join(home(), "journal.key"), `${before.toString("hex")}\n`);
    expect(Buffer.from((await open()).journal)).toEqual(before);
    expect(existsSync(join(home(), "journal.key"))).toBe(false);
    expect(Buffer.from((await open()).journal)).toEqual(before);
    expect(readdirSync(keys()).filter((name) => name.endsWith(".journal.key"))).toHaveLength(1);
  });

  it.each(["", "abc", "x".repeat(64)])(
    "RED-11 an old journal key that is %j is rejected with a reason",
    async (text) => {
      mkdirSync(home(), { recursive: true });
      writeFileSync(join(home(), "journal.key"), text);
      await expect(open()).rejects.toThrow(/journal\.key is not a key.*Restore it from your backup/);
    },
  );
});
