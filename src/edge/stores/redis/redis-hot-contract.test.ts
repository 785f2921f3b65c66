import { type ChildProcess, execFile, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { openSqlStore } from "../sql/open-sql-store.ts";
import { findRedis } from "../test/servers/redis.ts";
import { HOT_KEY, openHotContract, redisHotContract } from "./redis-hot-contract.ts";
import { TestBed, until, untilHot } from "./test/bed.ts";
import { READER, type ReaderAnswer, type ReaderAsk } from "./test/reader.ts";

const program = findRedis();

describe.skipIf(program === undefined)("hot contract in Redis", () => {
  const bed = new TestBed(program);

  it("HOT-1 an unchanged journal is not read again, and the next turn of another service sees a change", async () => {
    const [one, other] = [await bed.settled(), await bed.settled()];
    for (let round = 1; round <= 5; round++) {
      const changed = await one.add();
      await until(async () => (await other.version()) === changed);
      await untilHot(other);
      const before = other.looks.count;
      for (let turn = 0; turn < 20; turn++) expect(await other.version()).toBe(round);
      expect(other.looks.count).toBe(before);
    }
  });

  it("HOT-2 Redis has the global contract with its hash and the journal's head", async () => {
    const one = await bed.settled();
    await one.add();
    const { seq, hash } = await bed.journal.head();
    await untilHot(one);
    const contract = await one.service.contract({});
    expect(await bed.value()).toEqual({ seq, head: hash, hash: contract.hash, contract });
    expect(contract.directives).toHaveLength(1);
  });

  it("HOT-8 the latest head wins, whatever the order of announcements", async () => {
    const [one, other] = [await bed.settled(), await bed.settled()];
    const contract = await one.service.contract({});
    const heads = Array.from({ length: 30 }, (_, seq) => ({ seq, hash: `h${seq}` }));
    const mixed = [...heads.slice(17), ...heads.slice(0, 17)];
    await Promise.all(mixed.map((head, at) => (at % 2 === 0 ? one : other).hot.announce(head, contract)));
    await until(async () => (await bed.value()).head === "h29");
    await one.hot.announce({ seq: 28, hash: "h28" }, contract, { seq: 29, hash: "other" });
    expect((await bed.value()).seq).toBe(29);
    await one.hot.announce({ seq: 28, hash: "h28" }, contract, { seq: 29, hash: "h29" });
    await until(async () => (await bed.value()).seq === 28);
  });

  it("HOT-9 a writer that exits between the write and the announcement leaves no reader with an outdated contract", async () => {
    const other = await bed.settled();
    const hot = bed.hotContract();
    await until(() => hot.health().kind === "ok");
    await bed.serve({ ...hot, announce: async () => undefined }).add();
    await until(async () => (await other.hot.newest()) === undefined);
    expect(await other.version()).toBe(1);
    await untilHot(other);
    expect((await bed.value()).seq).toBe(1);
  });

  it("HOT-10 readers do not cancel a change in progress, and its marker expires", async () => {
    const [one, other] = [await bed.settled(), await bed.settled()];
    await one.hot.expect(await bed.journal.head());
    await until(async () => (await other.hot.newest()) === undefined);
    for (let turn = 0; turn < 5; turn++) expect(await other.version()).toBe(0);
    await other.hot.announce(await bed.journal.head(), await other.service.contract({}));
    expect(await bed.value()).toMatchObject({ seq: 0, changing: true });
    const lasts = Number(await bed.redis.command("PTTL", HOT_KEY));
    expect(lasts).toBeGreaterThan(0);
    expect(lasts).toBeLessThanOrEqual(10_000);
    await bed.redis.command("PEXPIRE", HOT_KEY, "1");
    await untilHot(other);
    expect(await bed.value()).toMatchObject({ seq: 0, head: "" });
  });

  it("HOT-11 a change by a writer without Redis is in force at the next question, and is announced", async () => {
    const one = bed.serve(bed.hotContract());
    await untilHot(one);
    await bed.serve(undefined).add();
    expect(await one.version()).toBe(1);
    await until(async () => (await bed.value()).seq === 1);
  });

  it("HOT-14 a wrong Redis password disables Redis and is not shown", async () => {
    const hot = bed.hotContract(bed.redis.url.replace(/:[0-9a-f]+@/, ":secret-word@"));
    const one = bed.serve(hot);
    expect(await one.add()).toBe(1);
    await until(() => JSON.stringify(hot.health()).includes("WRONGPASS"));
    expect(JSON.stringify(hot.health())).not.toContain("secret-word");
  });

  it.each([redisUrlOf(1), undefined])(
    "HOT-15 the Redis connection does not keep the process alive (Redis at %s)",
    async (url) => {
      const module = join(import.meta.dirname, "redis-hot-contract.ts");
      const script = `const { redisHotContract } = await import(${JSON.stringify(module)});
      const hot = redisHotContract(${JSON.stringify(url ?? bed.redis.url)});
      while (hot.health().message === "not connected yet") await new Promise((done) => setTimeout(done, 10));
      console.log(hot.health().kind);`;
      const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script]);
      expect(stdout.trim()).toBe(url === undefined ? "ok" : "down");
    },
  );

  it("HOT-16 four other processes see each change, and later turns do not read the journal", async () => {
    const folder = mkdtempSync(join(tmpdir(), "conduct-hot-"));
    const file = join(folder, "conduct.db");
    const store = await openSqlStore({ kind: "sqlite", file });
    bed.journal = store.governance;
    const readers: ChildProcess[] = [];
    try {
      const one = await bed.settled();
      readers.push(...Array.from({ length: 4 }, () => fork(READER, [JSON.stringify({ file, redis: bed.redis.url })])));
      await Promise.all(readers.map(answerOf));
      let missed = 0;
      for (let round = 0; round < 20; round++) {
        const version = await one.add();
        const looks = await Promise.all(readers.map((reader) => ask(reader, { kind: "look" })));
        missed += looks.filter((look) => look.version !== version).length;
        for (const reader of readers) expect((await ask(reader, { kind: "await", version })).version).toBe(version);
      }
      console.log(`4 processes, 20 changes: ${missed} of 80 turns right after a change began before the news came`);
      await until(async () => {
        const still = await Promise.all(readers.map((reader) => ask(reader, { kind: "look" })));
        return still.every(({ version, reads }) => version === 20 && reads === 0);
      });
    } finally {
      for (const reader of readers) reader.kill("SIGKILL");
      await bed.closeHot();
      await store.close();
      rmSync(folder, { recursive: true });
    }
  });
});

it.each(["", "localhost:6379", "http://h", "redis://", "redis:///0", "rediss:/x", "redis://:top-secret@[x"])(
  "HOT-17 the URL '%s' is rejected with a reason and not quoted",
  (url) => {
    expect(() => redisHotContract(url)).toThrow(/CONDUCT_REDIS_URL is not .* Write it as redis:/);
    expect(() => redisHotContract(url)).not.toThrow(/top-secret/);
  },
);

it("HOT-18 without CONDUCT_REDIS_URL Redis is not used; an invalid URL is rejected", async () => {
  for (const url of [undefined, "", " "]) expect(openHotContract({ CONDUCT_REDIS_URL: url })).toBeUndefined();
  expect(() => openHotContract({ CONDUCT_REDIS_URL: "redis" })).toThrow("CONDUCT_REDIS_URL");
  const hot = openHotContract({ CONDUCT_REDIS_URL: ` ${redisUrlOf(1)} ` });
  expect(await hot?.newest()).toBeUndefined();
  await hot?.close();
});

/** Where nobody listens. */
function redisUrlOf(port: number): string {
  return `redis://127.0.0.1:${port}`;
}

async function answerOf(reader: ChildProcess): Promise<ReaderAnswer> {
  const [answer] = await once(reader, "message");
  return answer as ReaderAnswer;
}

function ask(reader: ChildProcess, what: ReaderAsk): Promise<ReaderAnswer> {
  const answer = answerOf(reader);
  reader.send(what);
  return answer;
}
