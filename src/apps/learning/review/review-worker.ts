import { parentPort, workerData } from "node:worker_threads";
import { characterCounter } from "../../../behavior/results/token-counter.ts";
import { nodeClock } from "../../../edge/host/node/node-clock.ts";
import { nodeIds } from "../../../edge/host/node/node-ids.ts";
import { openSqlStore } from "../../../edge/stores/sql/open-sql-store.ts";
import { ContractService } from "../../../engine/governance/contract-service.ts";
import { measureAdherence } from "../adherence/measure-adherence.ts";
import type { LookPlan } from "./look-in-worker.ts";
import { lookThrough } from "./look-through.ts";

/** Looks through one window of the journal and sends the result, as text. */
const { place, window, thresholds } = workerData as LookPlan;
const store = await openSqlStore(place);
try {
  const { events, governance } = store;
  const counter = async () => characterCounter;
  const contracts = new ContractService({ journal: governance, clock: nodeClock(), ids: nodeIds(), counter });
  const measure: Parameters<typeof lookThrough>[0]["measure"] = (range) =>
    measureAdherence({ events, contracts }, range);
  const seen = await lookThrough({ events, governance, contracts, measure }, window, thresholds);
  parentPort?.postMessage(JSON.stringify(seen));
} finally {
  await store.close();
}
