import type { GovernanceHead } from "../../../base/ports/stores/governance.ts";
import type { HotContract } from "../../../base/ports/stores/hot-contract.ts";
import { announcement, beginning, HOT_KEY, PUT_SCRIPT, readHotValue } from "./hot-value.ts";
import { checkRedisUrl, RedisConnection, type RedisHealth } from "./redis-connection.ts";

/** Nobody waits longer for Redis. */
const LIMIT_MS = 200;

/**
 * The hot contract in Redis: read once, and then known until the server says that it has changed. Begins to connect at once and
 * returns before it is; throws when the address is none. Directives are never taken from here: who can write to this
 * Redis can make Conduct read its journal, no more.
 */
export function redisHotContract(url: string): HotContract & { health(): RedisHealth } {
  checkRedisUrl(url);
  /** What was read, until it may have changed; `age` tells a reader whether that happened while it was waiting. */
  let known: { readonly head: GovernanceHead | undefined } | undefined;
  let age = 0;
  let asking: Promise<GovernanceHead | undefined> | undefined;
  let isLate = false;
  /** The announcement that did not get through yet. */
  let owed: readonly string[] | undefined;
  let sending: Promise<void> = Promise.resolve();
  /**
   * A Redis that was lost may come back with what it had long before. So nothing is believed on a new connection until
   * somebody who has read the journal since has announced what is there.
   */
  let connections = 0;
  let believed = 0;

  const connection = new RedisConnection(url, {
    invalidated() {
      known = undefined;
      age++;
    },
    ready() {
      connections++;
      if (owed !== undefined) sending = put(owed);
    },
  });

  async function ask(): Promise<GovernanceHead | undefined> {
    const before = age;
    try {
      const head = readHotValue((await connection.client?.get(HOT_KEY)) ?? null);
      if (age === before) known = { head };
      return head;
    } catch {
      return undefined;
    } finally {
      asking = undefined;
      isLate = false;
    }
  }

  async function put(args: readonly string[], since?: number): Promise<void> {
    try {
      const client = await connection.reach();
      if (client === undefined) return;
      await client.eval(PUT_SCRIPT, { keys: [HOT_KEY], arguments: [...args] });
      if (owed === args) owed = undefined;
      if (since !== undefined) believed = since;
    } catch {
      // What is owed is sent when there is a connection again.
    }
  }

  return {
    async newest() {
      if (connection.client === undefined || believed !== connections || isLate) return undefined;
      if (known !== undefined) return known.head;
      asking ??= ask();
      const mine = asking;
      const told = await inTime(mine);
      if (told !== LATE) return told;
      isLate = asking === mine;
      return undefined;
    },
    async expect(head) {
      await inTime(put(beginning(head)));
    },
    async announce(head, contract, wrong) {
      const args = announcement(head, contract, wrong);
      owed = args;
      sending = put(args, connection.client === undefined ? undefined : connections);
      await inTime(sending);
    },
    async close() {
      await inTime(sending);
      connection.close();
    },
    health: () => connection.health,
  };
}

const LATE = Symbol("late");

async function inTime<T>(work: Promise<T>): Promise<T | typeof LATE> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<typeof LATE>((resolve) => {
    timer = setTimeout(resolve, LIMIT_MS, LATE);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The hot contract that `CONDUCT_REDIS_URL` names; `undefined` when it names none. */
export function openHotContract(env: NodeJS.ProcessEnv): ReturnType<typeof redisHotContract> | undefined {
  const url = env.CONDUCT_REDIS_URL?.trim() ?? "";
  return url === "" ? undefined : redisHotContract(url);
}
