import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import type { StorePlace } from "../sql/open-database.ts";
import { takeGatewayLock, whileHeld } from "./gateway-lock.ts";
import { thisGateway } from "./running-gateway.ts";

type FilePlace = Extract<StorePlace, { readonly kind: "sqlite" }>;

const PATIENT = 60_000;
const HOLDER = fileURLToPath(new URL("./test/holder.ts", import.meta.url));
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

function folder(): string {
  const root = mkdtempSync(join(tmpdir(), "conduct-lock-"));
  closing.push(() => rmSync(root, { recursive: true, force: true }));
  return root;
}

/** One gateway's attempt; without patience unless told. */
async function take(place: FilePlace, more: { readonly checkMs?: number; readonly patienceMs?: number } = {}) {
  const reported: string[] = [];
  const self = thisGateway(place, 1_700_000_000_000);
  const lock = await takeGatewayLock(place, {
    self,
    report: (line) => reported.push(line),
    patienceMs: 0,
    checkMs: 20,
    ...more,
  });
  closing.push(() => lock.release());
  return { ...lock, self, reported };
}

const refused = { code: "STORE_IN_USE", message: expect.stringContaining(`process ${process.pid} on `) };

/** Every kind of store, made anew for each test. */
function lockSuite(name: string, place: () => Promise<FilePlace>): void {
  describe(`gateway lock: ${name}`, () => {
    it("LCK-1 a second gateway is rejected with the lock's holder, its start, its address and a fix", async () => {
      const store = await place();
      const first = await take(store);
      await expect(take(store)).rejects.toMatchObject({
        ...refused,
        message: expect.stringContaining("since 2023-11-14T22:13:20.000Z, it is just starting"),
      });
      await first.describe({ ...first.self, local: "http://127.0.0.1:1", url: "https://conduct.example.org" });
      await expect(take(store)).rejects.toMatchObject({
        message: expect.stringMatching(/it answers at https:\/\/conduct\.example\.org\. Use that one .*kill \d+$/),
      });
      await first.release();
      await take(store);
    });

    it("LCK-2 of many gateways that start at once one gets the lock", async () => {
      const store = await place();
      const tries = await Promise.allSettled(Array.from({ length: 8 }, () => take(store)));
      expect(tries.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    });

    it(
      "LCK-3 a killed gateway does not block others",
      async () => {
        const store = await place();
        const child = spawn(process.execPath, [HOLDER, JSON.stringify(store)], {
          stdio: ["ignore", "pipe", "inherit"],
        });
        await once(createInterface(child.stdout), "line");
        await expect(take(store)).rejects.toMatchObject({ code: "STORE_IN_USE" });
        child.kill("SIGKILL");
        await take(store, { patienceMs: 20_000 });
      },
      PATIENT,
    );

    it("LCK-4 a store works while its gateway has the lock and after a regular release", async () => {
      const first = await take(await place());
      const port = whileHeld({ read: async () => 7 }, first);
      expect(await port.read()).toBe(7);
      await first.release();
      expect(await port.read()).toBe(7);
    });
  });
}

lockSuite("SQLite", async () => ({ kind: "sqlite", file: join(folder(), "home", "conduct.db") }));

describe("gateway lock: SQLite files", () => {
  it("LCK-5 one file reached through a linked folder or a linked file is the same store", async () => {
    const root = folder();
    const file = join(root, "home", "conduct.db");
    mkdirSync(join(root, "home"));
    mkdirSync(join(root, "other"));
    symlinkSync(join(root, "home"), join(root, "linked"));
    const first = await take({ kind: "sqlite", file });
    // The database itself is made after the lock was taken.
    expect(existsSync(file)).toBe(false);
    const { DatabaseSync } = await import("node:sqlite");
    new DatabaseSync(file).close();
    symlinkSync(file, join(root, "other", "conduct.db"));
    for (const name of ["linked", "other"])
      await expect(take({ kind: "sqlite", file: join(root, name, "conduct.db") })).rejects.toMatchObject(refused);
    await first.release();
  });

  it("LCK-6 a removed lock file is recreated, unless another gateway has taken the lock", async () => {
    const root = folder();
    const place: FilePlace = { kind: "sqlite", file: join(root, "conduct.db") };
    const first = await take(place);
    rmSync(join(root, "run"), { recursive: true });
    await expect.poll(() => first.reported.at(-1), { timeout: 10_000 }).toContain("again");
    await expect(take(place)).rejects.toMatchObject(refused);
    await first.release();

    const slow = await take(place, { checkMs: 200 });
    rmSync(join(root, "run"), { recursive: true });
    const other = await take(place);
    expect(await slow.lost).toMatchObject({ code: "STORE_IN_USE" });
    await expect(whileHeld({ write: async () => 7 }, slow).write()).rejects.toMatchObject({ code: "STORE_IN_USE" });
    await other.release();
  });
});
