import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openGateway } from "../src/apps/gateway/gateway.ts";
import { demoAgent } from "../src/edge/host/opening/demo-agent.ts";
import { openConductOn } from "../src/edge/host/opening/open-conduct.ts";
import { storePlace } from "../src/edge/host/workspace/store-place.ts";
import { homeStores } from "../src/edge/stores/home-stores.ts";

// Run by gateway.ts as `node --expose-gc gateway-server.ts USERS`: a gateway with its own home, on SQLite unless
// CONDUCT_STORE overrides it.

/** Messages of the server: its URL and tokens, then its memory on each request. */
export type FromServer =
  | { readonly kind: "ready"; readonly url: string; readonly tokens: readonly string[] }
  | ({ readonly kind: "memory"; readonly heap: number; readonly rss: number } & Used);

/**
 * Since the start of the process: microseconds of processor time, and bytes written to files (Linux; 0 elsewhere). Then
 * the open handles by kind, with `file` for open files (Linux).
 */
export type Used = {
  readonly cpu: number;
  readonly written: number;
  readonly handles: { readonly [kind: string]: number };
};

const root = mkdtempSync(join(tmpdir(), "conduct-bench-gateway-"));
const home = join(root, "home");
const stores = homeStores(storePlace(process.env, home));
const conduct = openConductOn(stores, { agents: [demoAgent()], home, workspace: root });
const gateway = await openGateway({ conduct, stores, home, port: 0, report: (line) => console.error(line) });
const tokens: string[] = [];
for (let at = 0; at < Number(process.argv[2]); at++) {
  const id = `user-${at}`;
  await stores.users.add({ id, name: id, role: "user", zone: "UTC", at: 0 });
  tokens.push((await gateway.access.newToken(id, "bench")).secret);
}
process.on("message", async (message) => {
  if (message === "memory") tell({ kind: "memory", ...(await memory()) });
  if (message !== "stop") return;
  await gateway.close();
  await conduct.close();
  await stores.close();
  rmSync(root, { recursive: true, force: true });
  process.disconnect();
});
// The parent process is gone.
process.on("disconnect", () => process.exit());
tell({ kind: "ready", url: gateway.url, tokens });

function tell(message: FromServer): void {
  process.send?.(message);
}

/** Collects twice with a pause, to free objects held only by a finaliser or a pending timer. */
async function memory(): Promise<{ readonly heap: number; readonly rss: number } & Used> {
  const used = usedSoFar();
  globalThis.gc?.();
  await new Promise((resolve) => setTimeout(resolve, 200));
  globalThis.gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  return { heap: heapUsed + external, rss, ...used, handles: openHandles() };
}

function openHandles(): Used["handles"] {
  const handles: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) handles[kind] = (handles[kind] ?? 0) + 1;
  return existsSync("/proc/self/fd") ? { ...handles, file: readdirSync("/proc/self/fd").length } : handles;
}

function usedSoFar(): Omit<Used, "handles"> {
  const { user, system } = process.cpuUsage();
  const io = existsSync("/proc/self/io") ? readFileSync("/proc/self/io", "utf8") : "";
  return { cpu: user + system, written: Number(/^write_bytes: (\d+)/m.exec(io)?.[1] ?? 0) };
}
