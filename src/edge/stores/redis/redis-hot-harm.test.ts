import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findRedis, startRedis } from "../test/servers/redis.ts";
import { HOT_KEY } from "./redis-hot-contract.ts";
import { TestBed, until, untilHot } from "./test/bed.ts";

const program = findRedis();

describe.skipIf(program === undefined)("hot contract while Redis comes to harm", () => {
  const bed = new TestBed(program);

  it("HOT-3 while Redis is down turns and changes use the journal, and the first service refills it after a restart", async () => {
    const [one, other] = [await bed.settled(), await bed.settled()];
    await bed.redis.signal("SIGKILL");
    try {
      const changed = await one.add();
      await until(() => other.hot.health().kind === "down");
      expect(await other.version()).toBe(changed);
    } finally {
      await bed.redis.start();
    }
    await untilHot(other);
    expect((await bed.value()).seq).toBe(1);
    const again = await one.add();
    await until(async () => (await other.version()) === again);
    await untilHot(one);
  });

  it("HOT-3 if Redis is killed during changes, each successful change is in the journal exactly once", async () => {
    const [one, other] = [await bed.settled(), await bed.settled()];
    const changes = Array.from({ length: 10 }, () => one.add());
    await changes[2];
    await bed.redis.signal("SIGKILL");
    expect(await Promise.all(changes)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    await bed.redis.start();
    await until(async () => (await other.version()) === 10);
    await untilHot(other);
    expect((await bed.value()).seq).toBe(10);
  });

  it("HOT-3 old data in a restarted Redis is not trusted", async () => {
    const other = await bed.settled();
    const old = String(await bed.redis.command("GET", HOT_KEY));
    await bed.redis.signal("SIGKILL");
    await bed.serve(undefined).add();
    await bed.redis.start();
    await bed.redis.command("SET", HOT_KEY, old);
    await until(() => other.hot.health().kind === "ok");
    expect(await other.version()).toBe(1);
    await untilHot(other);
    expect((await bed.value()).seq).toBe(1);
  });

  it("HOT-4 after FLUSHALL every service reads the journal and refills Redis", async () => {
    const [one, other] = [await bed.settled(), await bed.settled()];
    await one.add();
    await untilHot(other);
    await bed.redis.command("FLUSHALL");
    await until(async () => (await other.hot.newest()) === undefined);
    const before = other.looks.count;
    expect(await other.version()).toBe(1);
    expect(other.looks.count).toBe(before + 1);
    await untilHot(other);
    await untilHot(one);
    expect((await bed.value()).seq).toBe(1);
  });

  it("HOT-5 a dropped Redis connection is detected, and cached data is not trusted until it reconnects", async () => {
    const [one, other] = [await bed.settled(), await bed.settled()];
    await bed.redis.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
    await until(async () => (await other.hot.newest()) === undefined);
    const changed = await one.add();
    await until(async () => (await other.version()) === changed);
    await untilHot(other);
    await untilHot(one);
    expect((await bed.value()).seq).toBe(changed);
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
  ])("HOT-6 tampered data in Redis (%s: %s) is ignored for the journal and then corrected", async (text) => {
    const [one, other] = [await bed.settled(), await bed.settled()];
    await one.add();
    await one.add();
    await untilHot(other);
    const right = await bed.redis.command("GET", HOT_KEY);
    await bed.redis.command("SET", HOT_KEY, text);
    await until(async () => {
      expect(await other.version()).toBe(2);
      return (await bed.redis.command("GET", HOT_KEY)) === right;
    });
    await untilHot(other);
    expect(await one.add()).toBe(3);
    await until(async () => (await other.version()) === 3);
  });

  it("HOT-7 a Redis value of another type is replaced", async () => {
    const one = await bed.settled();
    await bed.redis.command("DEL", HOT_KEY);
    await bed.redis.command("LPUSH", HOT_KEY, "x");
    expect(await one.add()).toBe(1);
    await untilHot(one);
    expect((await bed.value()).seq).toBe(1);
  });

  it("HOT-12 a Redis that hangs blocks neither turns nor changes", async () => {
    const [one, other] = [await bed.settled(), await bed.settled()];
    await bed.redis.signal("SIGSTOP");
    try {
      expect(await one.add()).toBe(1);
      await until(() => other.hot.health().kind === "down");
      expect(await other.version()).toBe(1);
    } finally {
      await bed.redis.signal("SIGCONT");
    }
    await untilHot(one);
    await untilHot(other);
    expect((await bed.value()).seq).toBe(1);
  });

  it("HOT-13 if Redis is down at the start everything works without it, and uses it once it is up", async () => {
    const later = await startRedis(program ?? "", { isDown: true });
    try {
      const hot = bed.hotContract(later.url);
      const one = bed.serve(hot);
      expect(await one.add()).toBe(1);
      expect(await one.version()).toBe(1);
      await until(() => hot.health().kind === "down");
      await later.start();
      await untilHot(one);
      expect(JSON.parse(String(await later.command("GET", HOT_KEY))).seq).toBe(1);
    } finally {
      await bed.closeHot();
      await later.stop();
    }
  });

  it("HOT-19 every service sees each change and never loses it, whatever happens to Redis in between", async () => {
    const all = [await bed.settled(), await bed.settled(), await bed.settled()];
    const harm = fc.constantFrom("nothing", "flush", "kill", "old", "expect");
    const round = fc.record({ writer: fc.nat({ max: 2 }), before: harm, after: harm });
    let [version, old] = [0, "{}"];
    const does = async (what: string) => {
      if (what === "flush") await bed.redis.command("FLUSHALL");
      if (what === "kill") await bed.redis.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
      if (what === "old") await bed.redis.command("SET", HOT_KEY, old);
      if (what === "expect") await all[0]?.hot.expect(await bed.journal.head());
    };
    const run = async ({ writer, before, after }: { writer: number; before: string; after: string }) => {
      await does(before);
      old = String((await bed.redis.command("GET", HOT_KEY)) ?? "{}");
      version = (await all[writer]?.add()) ?? -1;
      for (const { version: seen } of all) await until(async () => (await seen()) === version);
      await does(after);
      for (const { version: seen } of all) for (let turn = 0; turn < 3; turn++) expect(await seen()).toBe(version);
    };
    await fc.assert(fc.asyncProperty(round, run), { numRuns: 20, endOnFailure: true });
  });
});
