import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Role } from "../../base/words/user.ts";
import { demoAgent } from "../../edge/host/demo-agent.ts";
import { openConduct } from "../../edge/host/open-conduct.ts";
import { conductClient } from "./client.ts";
import { openGateway } from "./gateway.ts";
import { memoryGatewayStores } from "./test-gateway-stores.ts";

/** A gateway on a port of its own, with everything in memory, and people with tokens. */
export async function httpWorld() {
  const root = mkdtempSync(join(tmpdir(), "conduct-gw-"));
  const home = join(root, "home");
  const stores = memoryGatewayStores();
  const reported: string[] = [];
  const conduct = openConduct({ agents: [demoAgent()], home, workspace: root, journal: false });
  conduct.subscribe((event) => void stores.events.append([event]));
  const gateway = await openGateway({ conduct, stores, home, port: 0, report: (line) => reported.push(line) });

  async function person(id: string, role: Role) {
    await stores.users.put({ id, name: id, role, at: 0 });
    const { secret } = await gateway.access.newToken(id, "test");
    return { secret, client: conductClient({ url: gateway.url, token: secret }) };
  }

  return {
    gateway,
    conduct,
    stores,
    reported,
    person,
    async close() {
      await gateway.close();
      await conduct.close();
      rmSync(root, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}
