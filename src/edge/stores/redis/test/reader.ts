import { setTimeout as sleep } from "node:timers/promises";
import { ContractService } from "../../../../engine/governance/contract-service.ts";
import { nodeIds } from "../../../host/node/node-ids.ts";
import { openSqlStore } from "../../sql/open-sql-store.ts";
import { redisHotContract } from "../redis-hot-contract.ts";

/** A program of its own for tests and benchmarks: begins a turn when it is asked, and says what it saw. */
export const READER = import.meta.filename;

export type ReaderSettings = { readonly file: string; readonly redis: string };

/** `look`: one turn. `await`: a turn each millisecond, until one has that version. */
export type ReaderAsk = { readonly kind: "look" } | { readonly kind: "await"; readonly version: number };

/** `reads`: how often the journal was read since the last answer. */
export type ReaderAnswer = { readonly version: number; readonly reads: number };

async function main({ file, redis }: ReaderSettings): Promise<void> {
  const store = await openSqlStore({ kind: "sqlite", file });
  const hot = redisHotContract(redis);
  let reads = 0;
  const service = new ContractService({
    journal: {
      ...store.governance,
      read: (query) => {
        reads++;
        return store.governance.read(query);
      },
    },
    // Time that stands still: what it sees it was told, and did not find by looking now and then.
    clock: { now: Date.now, monotonic: () => 0 },
    ids: nodeIds(),
    counter: () => Promise.reject(new Error("this one only reads")),
    hot,
  });
  const look = async () => (await service.state()).seq;
  await look();
  process.on("message", async (ask: ReaderAsk) => {
    let version = await look();
    while (ask.kind === "await" && version < ask.version) {
      await sleep(1);
      version = await look();
    }
    process.send?.({ version, reads } satisfies ReaderAnswer);
    reads = 0;
  });
  process.on("disconnect", () => process.exit());
  process.send?.({ version: await look(), reads } satisfies ReaderAnswer);
}

if (process.argv[1] === import.meta.filename) await main(JSON.parse(process.argv[2] ?? "{}") as ReaderSettings);
