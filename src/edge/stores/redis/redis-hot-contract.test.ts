import { type ChildProcess, execFile, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { GovernanceJournal } from "../../../base/ports/governance.ts";
import type { HotContract } from "../../../base/ports/hot-contract.ts";
import { ContractService } from "../../../engine/governance/contract-service.ts";
import { nodeIds } from "../../host/node-ids.ts";
import { memoryGovernance } from "../governance-memory.ts";
import { openSqlStore } from "../sql/open-sql-store.ts";
import { findRedis, startRedis, type TestRedis } from "../test-redis.ts";
import { HOT_KEY } from "./hot-value.ts";
import { openHotContract, redisHotContract } from "./redis-hot-contract.ts";
import { READER, type ReaderAnswer, type ReaderAsk } from "./test-reader.ts";

const program = findRedis();

/** Tries until it is so: what happens in the background has no promise to wait for. */
async function until(what: () => Promise<boolean> | boolean): Promise<void> {
  for (let tries = 0; tries < 1_000; tries++) {
    if (await what()) return;
    await sleep(10);
  }
  throw new Error("it did not come to pass");
}

describe.skipIf(program === undefined)("hot contract in Redis", () => {
  let redis: TestRedis;
  let journal: GovernanceJournal;
  const opened: HotContract[] = [];
  const value = async () => JSON.parse(String(await redis.command("GET", HOT_KEY)));

  beforeAll(async () => {
    redis = await startRedis(program ?? "");
  });
  beforeEach(async () => {
    await redis.command("FLUSHALL");
    journal = memoryGovernance();
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((hot) => hot.close()));
  });
  afterAll(() => redis.stop());

  function hotContract(url = redis.url) {
    const hot = redisHotContract(url);
    opened.push(hot);
    return hot;
  }

  /** A service as another process has it, whose looks at the journal are counted. */
  function serve(hot: HotContract | undefined, monotonic = () => 0) {
    const looks = { count: 0 };
    const service = new ContractService({
      journal: {
        ...journal,
        read: (query) => {
          looks.count++;
          return journal.read(query);
        },
      },
      clock: { now: () => 1_700_000_000_000, monotonic },
      ids: nodeIds(),
      counter: async () => ({
        encoding: "characters",
        count: (text) => text.length,
        countUpTo: (text) => ({ tokens: text.length, exact: true }),
        fit: (_, max) => ({ end: max, tokens: max }),
      }),
      ...(hot === undefined ? {} : { hot }),
    });
    let texts = 0;
    const add = async () => {
      const text = `note number ${++texts} of ${Math.random()}`;
      const decision = await service.change({ kind: "add", type: "keep", text }, "op");
      if (decision.kind === "refused") throw new Error(decision.message);
      return decision.contract.version;
    };
    const version = async () => (await service.contract({})).version;
    return { service, looks, add, version };
  }

  /** With a connection, and knowing what Redis says. */
  async function settled(hot = hotContract()) {
    const one = serve(hot);
    await untilHot(one);
    return { ...one, hot };
  }

  /** Until turns are begun without a look at the journal. */
  async function untilHot({ version, looks }: Pick<ReturnType<typeof serve>, "version" | "looks">): Promise<void> {
    await until(async () => {
      const before = looks.count;
      await version();
      return looks.count === before;
    });
  }

  it("HOT-1 while nothing changes the journal is not read; a change is seen by the next turn of another service", async () => {
    const [one, other] = [await settled(), await settled()];
    for (let round = 1; round <= 5; round++) {
      const changed = await one.add();
      await until(async () => (await other.version()) === changed);
      await untilHot(other);
      const before = other.looks.count;
      for (let turn = 0; turn < 20; turn++) expect(await other.version()).toBe(round);
      expect(other.looks.count).toBe(before);
    }
  });

  it("HOT-2 the contract for everybody is in Redis, with its hash and the journal's end", async () => {
    const one = await settled();
    await one.add();
    const { seq, hash } = await journal.head();
    const contract = await one.service.contract({});
    expect(await value()).toEqual({ seq, head: hash, hash: contract.hash, contract });
    expect(contract.directives).toHaveLength(1);
  });

  it("HOT-3 Redis killed: turns go on from the journal, changes are made; started again, empty, it is filled by who comes first", async () => {
    const [one, other] = [await settled(), await settled()];
    await redis.signal("SIGKILL");
    try {
      const changed = await one.add();
      await until(() => other.hot.health().kind === "down");
      expect(await other.version()).toBe(changed);
    } finally {
      await redis.start();
    }
    await untilHot(other);
    expect((await value()).seq).toBe(1);
    const again = await one.add();
    await until(async () => (await other.version()) === again);
    await untilHot(one);
  });

  it("HOT-3 Redis killed in the middle of changes: each that was made is in the journal, once", async () => {
    const [one, other] = [await settled(), await settled()];
    const changes = Array.from({ length: 10 }, () => one.add());
    await changes[2];
    await redis.signal("SIGKILL");
    expect(await Promise.all(changes)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    await redis.start();
    await until(async () => (await other.version()) === 10);
    await untilHot(other);
    expect((await value()).seq).toBe(10);
  });

  it("HOT-3 a Redis that comes back with what it had before is not believed", async () => {
    const other = await settled();
    const old = String(await redis.command("GET", HOT_KEY));
    await redis.signal("SIGKILL");
    await serve(undefined).add();
    await redis.start();
    await redis.command("SET", HOT_KEY, old);
    await until(() => other.hot.health().kind === "ok");
    expect(await other.version()).toBe(1);
    await untilHot(other);
    expect((await value()).seq).toBe(1);
  });

  it("HOT-4 FLUSHALL: everybody asks the journal, and fills it again", async () => {
    const [one, other] = [await settled(), await settled()];
    await one.add();
    await untilHot(other);
    await redis.command("FLUSHALL");
    await until(async () => (await other.hot.newest()) === undefined);
    const before = other.looks.count;
    expect(await other.version()).toBe(1);
    expect(other.looks.count).toBe(before + 1);
    await untilHot(other);
    await untilHot(one);
    expect((await value()).seq).toBe(1);
  });

  it("HOT-5 a connection that the server drops is noticed: nothing is believed until there is another", async () => {
    const [one, other] = [await settled(), await settled()];
    await redis.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
    await until(async () => (await other.hot.newest()) === undefined);
    const changed = await one.add();
    await until(async () => (await other.version()) === changed);
    await untilHot(other);
    await untilHot(one);
    expect((await value()).seq).toBe(changed);
  });

  it.each([
    ["", "nothing"],
    ["{", "half of it"],
    ["[1]", "a list"],
    ['{"seq":"2","head":"x"}', "a text for a number"],
    ['{"seq":1.5,"head":"x"}', "no whole number"],
    ['{"seq":1e300,"head":"x"}', "a number too great"],
    ['{"seq":-1,"head":"x"}', "a number too small"],
    ['{"seq":0,"head":""}', "the beginning"],
    ['{"seq":1,"head":"x"}', "an older end"],
    ['{"seq":2,"head":"x"}', "another entry in its place"],
    ['{"seq":3,"head":"x"}', "an end that never was"],
    ['{"seq":9007199254740991,"head":"x"}', "an end that never will be"],
    ['{"seq":9007199254740991,"head":"x","changing":true}', "a change that never ends"],
  ])("HOT-6 tampered with (%s: %s): the journal is asked, and what is wrong is put right", async (text) => {
    const [one, other] = [await settled(), await settled()];
    await one.add();
    await one.add();
    await untilHot(other);
    const right = await redis.command("GET", HOT_KEY);
    await redis.command("SET", HOT_KEY, text);
    await until(async () => {
      expect(await other.version()).toBe(2);
      return (await redis.command("GET", HOT_KEY)) === right;
    });
    await untilHot(other);
    expect(await one.add()).toBe(3);
    await until(async () => (await other.version()) === 3);
  });

  it("HOT-7 another kind of value in its place gives way", async () => {
    const one = await settled();
    await redis.command("DEL", HOT_KEY);
    await redis.command("LPUSH", HOT_KEY, "x");
    expect(await one.add()).toBe(1);
    await untilHot(one);
    expect((await value()).seq).toBe(1);
  });

  it("HOT-8 whatever the order in which ends are announced, the latest stays", async () => {
    const [one, other] = [await settled(), await settled()];
    const contract = await one.service.contract({});
    const heads = Array.from({ length: 30 }, (_, seq) => ({ seq, hash: `h${seq}` }));
    const mixed = [...heads.slice(17), ...heads.slice(0, 17)];
    await Promise.all(mixed.map((head, at) => (at % 2 === 0 ? one : other).hot.announce(head, contract)));
    expect(await value()).toMatchObject({ seq: 29, head: "h29" });
    await one.hot.announce({ seq: 28, hash: "h28" }, contract, { seq: 29, hash: "other" });
    expect((await value()).seq).toBe(29);
    await one.hot.announce({ seq: 28, hash: "h28" }, contract, { seq: 29, hash: "h29" });
    expect((await value()).seq).toBe(28);
  });

  it("HOT-9 a writer that is gone after the write and before the announcement leaves nobody behind", async () => {
    const other = await settled();
    const hot = hotContract();
    await until(() => hot.health().kind === "ok");
    await serve({ ...hot, announce: async () => undefined }).add();
    await until(async () => (await other.hot.newest()) === undefined);
    expect(await other.version()).toBe(1);
    await untilHot(other);
    expect((await value()).seq).toBe(1);
  });

  it("HOT-10 a change that has begun is not undone by readers, and gives way in time", async () => {
    const [one, other] = [await settled(), await settled()];
    await one.hot.expect(await journal.head());
    await until(async () => (await other.hot.newest()) === undefined);
    for (let turn = 0; turn < 5; turn++) expect(await other.version()).toBe(0);
    await other.hot.announce(await journal.head(), await other.service.contract({}));
    expect(await value()).toMatchObject({ seq: 0, changing: true });
    const lasts = Number(await redis.command("PTTL", HOT_KEY));
    expect(lasts).toBeGreaterThan(0);
    expect(lasts).toBeLessThanOrEqual(10_000);
    await redis.command("PEXPIRE", HOT_KEY, "1");
    await untilHot(other);
    expect(await value()).toMatchObject({ seq: 0, head: "" });
  });

  it("HOT-11 what a writer without Redis has changed is found behind the turns, and announced", async () => {
    let now = 0;
    const hot = hotContract();
    const one = serve(hot, () => now);
    await untilHot(one);
    await serve(undefined).add();
    expect(await one.version()).toBe(0);
    now += 5_000;
    await one.version();
    await until(async () => (await one.version()) === 1);
    await until(async () => (await value()).seq === 1);
  });

  it("HOT-12 a Redis that hangs holds up neither turns nor changes for good", async () => {
    const [one, other] = [await settled(), await settled()];
    await redis.signal("SIGSTOP");
    try {
      expect(await one.add()).toBe(1);
      await until(() => other.hot.health().kind === "down");
      expect(await other.version()).toBe(1);
    } finally {
      await redis.signal("SIGCONT");
    }
    await untilHot(one);
    await untilHot(other);
    expect((await value()).seq).toBe(1);
  });

  it("HOT-13 Redis down at the start: all goes on without, and with it as soon as it is there", async () => {
    const later = await startRedis(program ?? "", { isDown: true });
    try {
      const hot = hotContract(later.url);
      const one = serve(hot);
      expect(await one.add()).toBe(1);
      expect(await one.version()).toBe(1);
      await until(() => hot.health().kind === "down");
      await later.start();
      await untilHot(one);
      expect(JSON.parse(String(await later.command("GET", HOT_KEY))).seq).toBe(1);
    } finally {
      await hotClosed();
      await later.stop();
    }
  });

  it("HOT-14 a wrong password is like no Redis, and is not shown", async () => {
    const hot = hotContract(redis.url.replace(/:[0-9a-f]+@/, ":secret-word@"));
    const one = serve(hot);
    expect(await one.add()).toBe(1);
    await until(() => JSON.stringify(hot.health()).includes("WRONGPASS"));
    expect(JSON.stringify(hot.health())).not.toContain("secret-word");
  });

  it.each([redisUrlOf(1), undefined])("HOT-15 it keeps no process alive (Redis at %s)", async (url) => {
    const module = join(import.meta.dirname, "redis-hot-contract.ts");
    const script = `const { redisHotContract } = await import(${JSON.stringify(module)});
      const hot = redisHotContract(${JSON.stringify(url ?? redis.url)});
      await new Promise((done) => setTimeout(done, 500));
      console.log(hot.health().kind);`;
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script]);
    expect(stdout.trim()).toBe(url === undefined ? "ok" : "down");
  });

  it("HOT-16 each change is seen by 4 other processes, and no turn after that reads the journal", async () => {
    const folder = mkdtempSync(join(tmpdir(), "conduct-hot-"));
    const file = join(folder, "conduct.db");
    const store = await openSqlStore({ kind: "sqlite", file });
    journal = store.governance;
    const readers: ChildProcess[] = [];
    try {
      const one = await settled();
      readers.push(...Array.from({ length: 4 }, () => fork(READER, [JSON.stringify({ file, redis: redis.url })])));
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
      await hotClosed();
      await store.close();
      rmSync(folder, { recursive: true });
    }
  });

  async function hotClosed(): Promise<void> {
    await Promise.all(opened.splice(0).map((hot) => hot.close()));
  }
});

it.each(["", "localhost:6379", "http://h", "redis://", "redis:///0", "rediss:/x", "redis://:top-secret@[x"])(
  "HOT-17 '%s' is refused in words, and not repeated",
  (url) => {
    expect(() => redisHotContract(url)).toThrow(/CONDUCT_REDIS_URL is not .* Write it as redis:/);
    expect(() => redisHotContract(url)).not.toThrow(/top-secret/);
  },
);

it("HOT-18 without CONDUCT_REDIS_URL there is none; a bad one is refused", async () => {
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
