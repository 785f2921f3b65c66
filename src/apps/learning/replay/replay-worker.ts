import { parentPort, workerData } from "node:worker_threads";
import { bindAgents, knownAgents } from "../../../edge/host/daemon/daemon-agents.ts";
import { openHistories } from "../../../edge/stores/sql/readers/open-histories.ts";
import { ReplayAgents } from "../../../engine/replay/replay-agents.ts";
import type { WorkerPlan } from "./replay-parallel.ts";
import { replayerOf } from "./replay-sessions.ts";

/** One worker of a replay: replays batches of sessions on request until it is terminated. */
const { place, search, change, standing, window } = workerData as WorkerPlan;
const bound = await bindAgents(search.home, search.workspace, search.flag);
if (bound.kind === "broken") throw new Error(bound.message);
const agents = knownAgents(bound);
const store = await openHistories(place);
const replay = replayerOf(new ReplayAgents(agents, change, standing), window);

parentPort?.on("message", async (sessions: readonly string[]) => {
  try {
    // Sent as text: structured cloning of many small objects is several times slower.
    parentPort?.postMessage({ part: JSON.stringify(replay(await store.histories(sessions))) });
  } catch (error) {
    parentPort?.postMessage({ error });
  }
});
parentPort?.postMessage({ ready: true });
