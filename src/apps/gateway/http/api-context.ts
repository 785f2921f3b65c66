import type { Clock } from "../../../base/ports/clock.ts";
import type { Ids } from "../../../base/ports/ids.ts";
import type { KeptResults } from "../../../base/ports/stores/results.ts";
import type { Sandbox } from "../../../edge/host/sandbox/sandbox.ts";
import type { ContractService } from "../../../engine/governance/contract-service.ts";
import type { Conduct } from "../../../engine/session/conduct.ts";
import type { Agents } from "../agents/agents.ts";
import type { Approvals } from "../agents/approvals.ts";
import type { GatewayModels } from "../agents/models.ts";
import type { Workspaces } from "../agents/workspaces.ts";
import type { Channels } from "../channels/open-channels.ts";
import type { Scheduled } from "../channels/scheduled.ts";
import type { Conversations } from "../conversations/conversations.ts";
import type { NamedHealth } from "../health/health.ts";
import type { Listeners } from "../listeners.ts";
import type { HostedServers } from "../mcp/hosted-servers.ts";
import type { ApiSessions } from "../moments/api-sessions.ts";
import type { Cluster } from "../replicas/cluster.ts";
import type { ReviewDesk } from "../review/review-desk.ts";
import type { GatewayStores } from "../stores.ts";
import type { Webhooks } from "../webhooks/webhooks.ts";
import type { Access } from "./access.ts";
import type { Route } from "./route.ts";
import type { ReplayRuns } from "./routes/governance/replay-runs.ts";
import type { ShownResults } from "./shown-results.ts";

/** The parts of the gateway that its routes use. */
export type ApiContext = {
  readonly conduct: Conduct;
  readonly contracts: ContractService;
  readonly stores: GatewayStores;
  readonly agents: Agents;
  readonly models: GatewayModels;
  readonly conversations: Conversations;
  /** Sessions of agents that run elsewhere. */
  readonly apiSessions: ApiSessions;
  readonly approvals: Approvals;
  readonly workspaces: Workspaces;
  readonly results: KeptResults;
  readonly shownResults: ShownResults;
  readonly access: Access;
  /** Tells the open streams of a user that a role or a key was revoked. Clients that still have access reconnect. */
  readonly revocations: Listeners<"revoked">;
  readonly review: ReviewDesk;
  readonly scheduled: Scheduled;
  readonly replays: ReplayRuns;
  readonly routes: readonly Route[];
  readonly health: () => Promise<readonly NamedHealth[]>;
  readonly servers: HostedServers;
  /** Absent if conduct.yaml has none. */
  readonly webhooks?: Webhooks | undefined;
  readonly metrics: () => Promise<string>;
  readonly channels: Pick<Channels, "states">;
  /** Where the store is, and what the commands of agents run in. */
  readonly machine: { readonly store: "sqlite" | "postgres"; readonly sandbox: Sandbox };
  /** Absent on a store with one gateway. */
  readonly cluster?: Cluster;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly home: string;
  readonly version: string;
  /** The store contains sample data. */
  readonly isDemo?: boolean;
  /** The gateway is reached over HTTPS. */
  readonly isSecure: boolean;
  readonly report: (line: string) => void;
};
