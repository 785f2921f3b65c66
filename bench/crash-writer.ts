import { writeSync } from "node:fs";
import { loadTokenizer } from "../src/behavior/results/token-counter.ts";
import { nodeClock } from "../src/edge/host/node/node-clock.ts";
import { nodeIds } from "../src/edge/host/node/node-ids.ts";
import type { StorePlace } from "../src/edge/stores/sql/open-database.ts";
import { openSqlStore } from "../src/edge/stores/sql/open-sql-store.ts";
import { ContractService } from "../src/engine/governance/contract-service.ts";

/** Adds and removes directives until it is killed. Prints each change after the store has acknowledged it. */
const [place = "", name = ""] = process.argv.slice(2);
const store = await openSqlStore(JSON.parse(place) as StorePlace);
const service = new ContractService({
  journal: store.governance,
  clock: nodeClock(),
  ids: nodeIds(),
  counter: () => loadTokenizer(),
});
for (let at = 0; ; at++) {
  const { directives } = await service.contract({});
  const oldest = directives[0];
  const decision =
    directives.length >= 12 && oldest !== undefined
      ? await service.change({ kind: "remove", id: oldest.id }, name)
      : await service.change({ kind: "add", type: "keep", text: `habit ${at} of writer ${name}` }, name);
  if (decision.kind === "refused") throw new Error(`${decision.code}: ${decision.message}`);
  const { version, hash } = decision.contract;
  writeSync(1, `${JSON.stringify({ version, hash })}\n`);
}
