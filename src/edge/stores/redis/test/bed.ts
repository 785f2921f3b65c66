import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import type { GovernanceJournal } from "../../../../base/ports/stores/governance.ts";
import type { HotContract } from "../../../../base/ports/stores/hot-contract.ts";
import { ContractService } from "../../../../engine/governance/contract-service.ts";
import { nodeIds } from "../../../host/node/node-ids.ts";
import { memoryStores } from "../../home-stores.ts";
import { startRedis, type TestRedis } from "../../test/servers/redis.ts";
import { HOT_KEY, redisHotContract } from "../redis-hot-contract.ts";

/** Tries until it is so: what happens in the background has no promise to wait for. */
export async function until(what: () => Promise<boolean> | boolean): Promise<void> {
  for (let tries = 0; tries < 1_000; tries++) {
    if (await what()) return;
    await sleep(10);
  }
  throw new Error("it did not come to pass");
}

/** A service as another process has it, whose looks at the journal are counted. */
function serve(journal: GovernanceJournal, hot: HotContract | undefined, monotonic = () => 0) {
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

type Served = ReturnType<typeof serve>;

/** Until turns are begun without a look at the journal. */
export async function untilHot({ version, looks }: Pick<Served, "version" | "looks">): Promise<void> {
  await until(async () => {
    const before = looks.count;
    await version();
    return looks.count === before;
  });
}

/** A Redis for the tests of one file, and for each of them an empty journal and services over both. */
export class TestBed {
  journal: GovernanceJournal = memoryStores().governance;
  readonly #opened: HotContract[] = [];
  #redis: TestRedis | undefined;

  constructor(program: string | undefined) {
    if (program === undefined) return;
    beforeAll(async () => {
      this.#redis = await startRedis(program);
    });
    beforeEach(async () => {
      await this.redis.command("FLUSHALL");
      this.journal = memoryStores().governance;
    });
    afterEach(() => this.closeHot());
    afterAll(() => this.#redis?.stop());
  }

  get redis(): TestRedis {
    if (this.#redis === undefined) throw new Error("Redis was not started");
    return this.#redis;
  }

  hotContract(url = this.redis.url) {
    const hot = redisHotContract(url);
    this.#opened.push(hot);
    return hot;
  }

  serve(hot: HotContract | undefined, monotonic?: () => number): Served {
    return serve(this.journal, hot, monotonic);
  }

  /** With a connection, and knowing what Redis says. */
  async settled() {
    const hot = this.hotContract();
    const one = this.serve(hot);
    await untilHot(one);
    return { ...one, hot };
  }

  /** What stands in Redis. */
  async value() {
    return JSON.parse(String(await this.redis.command("GET", HOT_KEY)));
  }

  async closeHot(): Promise<void> {
    await Promise.all(this.#opened.splice(0).map((hot) => hot.close()));
  }
}
