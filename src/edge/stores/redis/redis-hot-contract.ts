import { parseObject } from "../../../base/kernel/json.ts";
import type { GovernanceHead } from "../../../base/ports/stores/governance.ts";
import type { HotContract } from "../../../base/ports/stores/hot-contract.ts";
import type { ActiveBehaviorContract } from "../../../base/words/contract.ts";
import { checkRedisUrl, type RedisHealth, redisConnection } from "./redis-connection.ts";

/** JSON with the journal's head and the shared contract. One store has one Redis database. */
export const HOT_KEY = "conduct:governance:contract";

/** How long everybody asks the journal after a change that began and was never announced. */
const CHANGE_MS = 10_000;

/**
 * Sets ARGV[2], unless the stored value has a later sequence than ARGV[1]. An unreadable value is replaced, and so is
 * the head that ARGV[3] and ARGV[4] name as wrong. ARGV[5], if set, is the lifetime of a value that marks the begin of
 * a change.
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

/** The arguments of the script that announce a head. */
export function announcement(
  { seq, hash }: GovernanceHead,
  contract: ActiveBehaviorContract,
  wrong?: GovernanceHead,
): readonly string[] {
  const value = JSON.stringify({ seq, head: hash, hash: contract.hash, contract });
  return [String(seq), value, wrong === undefined ? "" : String(wrong.seq), wrong?.hash ?? "", ""];
}

/** The arguments of the script that announce the begin of a change. */
export function beginning({ seq, hash }: GovernanceHead): readonly string[] {
  const value = JSON.stringify({ seq, head: hash, changing: true });
  return [String(seq), value, "", "", String(CHANGE_MS)];
}

/** `undefined` if the value is missing, not ours, or about to change. */
export function readHotValue(text: string | null): GovernanceHead | undefined {
  const value = text === null ? undefined : parseObject(text);
  if (value === undefined || value.changing !== undefined) return undefined;
  const { seq, head } = value;
  const isEnd = typeof seq === "number" && Number.isSafeInteger(seq) && seq >= 0 && typeof head === "string";
  return isEnd ? { seq, hash: head } : undefined;
}

/** The timeout for Redis. */
const LIMIT_MS = 200;

/**
 * The hot contract in Redis, cached until the server invalidates it. Connects in the background; throws if the URL is
 * invalid. Directives are never read from Redis: whoever can write to it can only make Conduct read its journal.
 */
export function redisHotContract(url: string): HotContract & { health(): RedisHealth } {
  checkRedisUrl(url);
  /** The cached value. `age` shows a reader whether it was invalidated while waiting. */
  let known: { readonly head: GovernanceHead | undefined } | undefined;
  let age = 0;
  let asking: Promise<GovernanceHead | undefined> | undefined;
  let isLate = false;
  /** The announcement that was not sent yet. */
  let owed: readonly string[] | undefined;
  let sending: Promise<void> = Promise.resolve();
  /**
   * After a reconnect Redis may have old data. So a new connection is trusted only after somebody who has read the
   * journal since then has announced its head.
   */
  let connections = 0;
  let believed = 0;

  const connection = redisConnection(url, {
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
      const head = readHotValue((await connection.client()?.get(HOT_KEY)) ?? null);
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
      // The owed announcement is sent after reconnecting.
    }
  }

  return {
    async newest() {
      if (connection.client() === undefined || believed !== connections || isLate) return undefined;
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
      sending = put(args, connection.client() === undefined ? undefined : connections);
      await inTime(sending);
    },
    async close() {
      await inTime(sending);
      connection.close();
    },
    health: connection.health,
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

/** The hot contract in `CONDUCT_REDIS_URL`, if that is set. */
export function openHotContract(env: NodeJS.ProcessEnv): ReturnType<typeof redisHotContract> | undefined {
  const url = env.CONDUCT_REDIS_URL?.trim() ?? "";
  return url === "" ? undefined : redisHotContract(url);
}
