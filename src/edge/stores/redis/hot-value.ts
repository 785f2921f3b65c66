import { parseObject } from "../../../base/kernel/json.ts";
import type { GovernanceHead } from "../../../base/ports/stores/governance.ts";
import type { ActiveBehaviorContract } from "../../../base/words/contract.ts";

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
