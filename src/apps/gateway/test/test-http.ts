import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Agent } from "../../../base/words/hosting/agent.ts";
import type { Role } from "../../../base/words/hosting/user.ts";
import { demoAgent } from "../../../edge/host/opening/demo-agent.ts";
import { openConductFromEnv } from "../../../edge/host/opening/open-conduct.ts";
import { keptResults } from "../../../edge/stores/files/folder-results.ts";
import { conductClient } from "../client.ts";
import { openGateway } from "../gateway.ts";
import type { GatewayOptions } from "../gateway-options.ts";
import { checkedFetch } from "../http/test/responses.ts";
import { memoryGatewayStores } from "./test-gateway-stores.ts";

export type HttpWorldOptions = Partial<Omit<GatewayOptions, "conduct" | "home" | "port" | "report">> & {
  readonly agents?: readonly Agent[];
};

/** A gateway on a port of its own, with everything in memory, and people with tokens. */
export async function httpWorld({ agents = [demoAgent()], ...options }: HttpWorldOptions = {}) {
  const root = mkdtempSync(join(tmpdir(), "conduct-gw-"));
  const home = join(root, "home");
  const stores = options.stores ?? memoryGatewayStores();
  const reported: string[] = [];

  async function start() {
    const conduct = openConductFromEnv({
      agents,
      home,
      workspace: root,
      journal: false,
      ports: {
        governance: stores.governance,
        results: options.results ?? keptResults(home, stores.keys),
        keepSections: (session, at, sections) =>
          void stores.events.keepSections(sections.map(({ hash, text }) => ({ session, at, hash, text }))),
      },
    });
    conduct.subscribe((event) => void stores.events.append([event]));
    const report = (line: string) => reported.push(line);
    const gateway = await openGateway({ ...options, conduct, stores, home, port: 0, report });
    const end = async () => {
      await gateway.close();
      await conduct.close();
    };
    return { conduct, gateway, end };
  }

  let running = await start();
  async function person(id: string, role: Role) {
    await stores.users.add({ id, name: id, role, at: 0 });
    const { secret } = await running.gateway.access.newToken(id, "test");
    const client = () => conductClient({ url: running.gateway.url, token: secret, fetch: checkedFetch });
    return { secret, client: client(), again: client };
  }

  return {
    root,
    home,
    stores,
    reported,
    person,
    get gateway() {
      return running.gateway;
    },
    get conduct() {
      return running.conduct;
    },
    /** The process ends and another one begins, on the same stores. */
    async restart(): Promise<void> {
      await running.end();
      running = await start();
    },
    async close() {
      await running.end();
      rmSync(root, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}
