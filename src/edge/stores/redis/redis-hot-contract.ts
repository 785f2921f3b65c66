import { parseObject } from "../../../base/kernel/json.ts";
import type { GovernanceHead } from "../../../base/ports/governance.ts";
import type { HotContract } from "../../../base/ports/hot-contract.ts";
import type { ActiveBehaviorContract } from "../../../base/words/contract.ts";
import { checkRedisUrl, RedisConnection, type RedisHealth } from "./redis-connection.ts";

/** One store has one Redis database: its journal's end and the contract for everybody stand here, as JSON. */
export const HOT_KEY = "conduct:governance:contract";

/** So long a change that was begun and not announced keeps everybody asking the journal. */
const CHANGE_MS = 10_000;

/**
 * Puts ARGV[2] in place, unless what stands there is of a later sequence than ARGV[1]. What is not readable gives way, and so
 * does the end that ARGV[3] and ARGV[4] name as wrong. With a time in ARGV[5] a change begins: the end after which it comes is
 * then not announced again.
 */
export const PUT_SCRIPT = `
local text = redis.pcall('GET', KEYS[1])
local own, begins = tonumber(ARGV[1]), ARGV[5] ~= ''
local seq, wrong, changing
if type(text) == 'string' then
  local ok, value = pcall(cjson.decode, text)
  if ok and type(value) == 'table' and type(value.seq) == 'number' and type(value.head) == 'string' then
    changing = value.changing ~= nil
    local lasting = changing and redis.call('PTTL', KEYS[1]) < 0
    if value.seq >= 0 and value.seq < 2^53 and value.seq % 1 == 0 and not lasting then seq = value.seq end
    wrong = not changing and ARGV[3] ~= '' and seq == tonumber(ARGV[3]) and value.head == ARGV[4]
  end
end
if seq and not wrong and (seq > own or (seq == own and not begins)) then return 0 end
if begins then redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[5])
else redis.call('SET', KEYS[1], ARGV[2]) end
return 1`;

/** The arguments of the script that announces an end. */
export function announcement(
  { seq, hash }: GovernanceHead,
  contract: ActiveBehaviorContract,
  wrong?: GovernanceHead,
): readonly string[] {
  const value = JSON.stringify({ seq, head: hash, hash: contract.hash, contract });
  return [String(seq), value, wrong === undefined ? "" : String(wrong.seq), wrong?.hash ?? "", ""];
}

/** The arguments of the script that says that a change has begun. */
export function beginning({ seq, hash }: GovernanceHead): readonly string[] {
  const value = JSON.stringify({ seq, head: hash, changing: true });
  return [String(seq), value, "", "", String(CHANGE_MS)];
}

/** `undefined` for what is missing, not ours, or about to change. */
export function readHotValue(text: string | null): GovernanceHead | undefined {
  const value = text === null ? undefined : parseObject(text);
  if (value === undefined || value.changing !== undefined) return undefined;
  const { seq, head } = value;
  const isEnd = typeof seq === "number" && Number.isSafeInteger(seq) && seq >= 0 && typeof head === "string";
  return isEnd ? { seq, hash: head } : undefined;
}

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
