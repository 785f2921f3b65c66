import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { openCallStores } from "./call-stores.ts";
import { sessionsSuite } from "./test/sessions-suite.ts";

type CallStores = Awaited<ReturnType<typeof openCallStores>>;
const opened: CallStores[] = [];
const folders: string[] = [];

function place(): { readonly kind: "sqlite"; readonly file: string } {
  const folder = mkdtempSync(join(tmpdir(), "conduct-calls-"));
  folders.push(folder);
  return { kind: "sqlite", file: join(folder, "home", "conduct.db") };
}

async function open(at = place()): Promise<CallStores> {
  const stores = await openCallStores(at, { CONDUCT_KEYS: join(at.file, "..", "..", "keys") });
  opened.push(stores);
  return stores;
}

afterEach(async () => {
  for (const stores of opened.splice(0)) await stores.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const saved = { snapshot: "whole", beside: { a: 1 }, expectedVersion: 0, at: 1 };

sessionsSuite("call stores", async () => (await open()).sessions);

describe("writes that calls wait for", () => {
  it("FAST-8 a save waits until another process's transaction ends, and the event loop goes on", async () => {
    const at = place();
    const { sessions } = await open(at);
    const other = new DatabaseSync(at.file);
    other.exec("begin immediate");
    const saving = sessions.save("s", saved);
    let ticks = 0;
    const ticking = setInterval(() => ticks++, 5);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(ticks).toBeGreaterThan(0);
    other.exec("commit");
    other.close();
    clearInterval(ticking);
    expect(await saving).toBe(true);
    expect(await sessions.load("s")).toMatchObject({ snapshot: "whole", beside: { a: 1 }, version: 1 });
  });

  it("FAST-9 saves and the query builder's writes take turns on one connection", async () => {
    const { sessions } = await open();
    const ids = Array.from({ length: 40 }, (_, at) => `s${at}`);
    const done = ids.flatMap((id) => [
      sessions.save(id, saved),
      sessions.setAside(`${id}-none`, "test", 1),
      sessions.lease(`${id}-leased`, { holder: "me", until: 9, now: 1 }),
    ]);
    await Promise.all(done);
    for (const id of ids) expect((await sessions.load(id))?.version).toBe(1);
  });

  it("FAST-14 a large snapshot is not in the row that every change updates, a small one is", async () => {
    const at = place();
    const { sessions } = await open(at);
    const other = new DatabaseSync(at.file);
    for (const [expectedVersion, size, isInRow] of [
      [0, 20_000, 0],
      [1, 1_000, 1],
    ] as const) {
      await sessions.save("s", { ...saved, snapshot: "x".repeat(size), expectedVersion });
      const row = other.prepare("select snapshot <> '' as in_row, 1 - changes as alone from conduct_kept_sessions");
      expect(row.get()).toMatchObject({ in_row: isInRow, alone: isInRow });
    }
    other.close();
  });

  it("FAST-10 after a failed write nothing of it is stored, and the next write works", async () => {
    const at = place();
    const { sessions } = await open(at);
    await sessions.save("s", saved);
    const other = new DatabaseSync(at.file);
    other.exec(
      "create trigger stop before insert on conduct_kept_changes when new.version = 2 begin select raise(abort, 'no'); end",
    );
    const change = { change: "c", beside: undefined, expectedVersion: 1, at: 2 };
    await expect(sessions.append("s", change)).rejects.toThrow("no");
    expect(other.prepare("select version, changes from conduct_kept_sessions").get()).toMatchObject({
      version: 1,
      changes: 0,
    });
    other.exec("drop trigger stop");
    other.close();
    expect(await sessions.append("s", change)).toBe(true);
  });

  it("FAST-11 a store whose file was replaced rejects the save", async () => {
    const at = place();
    const { sessions } = await open(at);
    await sessions.save("s", saved);
    renameSync(at.file, `${at.file}.old`);
    await expect(sessions.save("s", { ...saved, expectedVersion: 1 })).rejects.toMatchObject({ code: "STORE_GONE" });
    renameSync(`${at.file}.old`, at.file);
  });

  it("FAST-12 a change that was acknowledged survives kill -9 of the process", async () => {
    const at = place();
    const writer = fileURLToPath(new URL("./test/call-writer.ts", import.meta.url));
    const child = spawn(process.execPath, [writer, at.file], { stdio: ["ignore", "pipe", "inherit"] });
    let told = "";
    for await (const chunk of child.stdout) {
      told += String(chunk);
      if (told.split("\n").length > 20) break;
    }
    child.kill("SIGKILL");
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    const acknowledged = told.split("\n").filter((line) => line !== "").length;
    const { sessions } = await open(at);
    const row = await sessions.lease("s", { holder: "me", until: 9, now: 1 });
    expect(row.holder).toBe("me");
    const database = new DatabaseSync(at.file, { readOnly: true });
    const { version } = database.prepare("select version from conduct_kept_sessions where session = 's'").get() ?? {};
    database.close();
    expect(Number(version)).toBeGreaterThanOrEqual(acknowledged);
  });
});
