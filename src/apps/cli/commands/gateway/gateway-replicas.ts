import type { ReplicaRow } from "../../../../base/ports/stores/hosting/replicas.ts";
import { conductHome } from "../../../../edge/host/workspace/conduct-home.ts";
import { storePlace } from "../../../../edge/host/workspace/store-place.ts";
import { done, failed, type Outcome } from "../../line/outcome.ts";
import { withHomeStores } from "../../stores/with-contract.ts";

/** `conduct gateway replicas`: the gateways that share the PostgreSQL store of this home. */
export async function runGatewayReplicas(env: NodeJS.ProcessEnv): Promise<Outcome> {
  if (storePlace(env, conductHome(env)).kind !== "postgres")
    return failed(
      "NO_REPLICAS",
      "this store is an SQLite file, which has one gateway at a time",
      "set CONDUCT_STORE to a PostgreSQL URL to run several gateways",
    );
  return withHomeStores(env, async ({ replicas }) => {
    const found = await replicas.list();
    if (found.length === 0) return done({ replicas: [] }, "\n  no gateway runs on this store\n\n");
    return done({ replicas: found }, `\n${found.map(lineOf).join("\n")}\n\n`);
  });
}

function lineOf({ id, host, pid, url, version, running, owns, silentMs, draining }: ReplicaRow): string {
  const state = draining ? "draining" : `heartbeat ${(silentMs / 1_000).toFixed(1)} s ago`;
  const work = `${running} turn${running === 1 ? "" : "s"} running, owns ${owns.length}`;
  return `  ${id.slice(0, 8)}  ${url ?? "starting"}  ${host} pid ${pid}  v${version}  ${work}  ${state}`;
}
