import type { Clock } from "../../base/ports/clock.ts";
import type { ReplicasStore } from "../../base/ports/stores/hosting/replicas.ts";
import type { KeptResults } from "../../base/ports/stores/results.ts";
import type { JsonObject } from "../../base/words/json.ts";
import type { Receiver } from "../../edge/host/opening/load-outgoing.ts";
import type { Sandbox } from "../../edge/host/sandbox/sandbox.ts";
import type { ScheduleConfig } from "../../engine/agent/config/config-schema.ts";
import type { Conduct } from "../../engine/session/conduct.ts";
import type { Approvals } from "./agents/approvals.ts";
import type { GatewayModels } from "./agents/models.ts";
import type { ChannelState } from "./channels/messenger.ts";
import type { SlackOptions } from "./channels/slack/slack.ts";
import type { TelegramOptions } from "./channels/telegram.ts";
import type { Conversations } from "./conversations/conversations.ts";
import type { Access } from "./http/access.ts";
import type { ConsolePlace } from "./http/console/serve-console.ts";
import type { ServerStatus } from "./mcp/hosted-servers.ts";
import type { ReviewDeskOptions } from "./review/review-desk.ts";
import type { HostedRuntime } from "./runtimes/hosted.ts";
import type { GatewayStores } from "./stores.ts";

export type GatewayOptions = {
  /** The machine's clock by default. The demo day sets it to the time of each turn. */
  readonly clock?: Clock;
  /** The store contains sample data, and every screen says so. */
  readonly isDemo?: boolean;
  readonly conduct: Conduct;
  readonly stores: GatewayStores;
  /** Other gateways may use the same store; only on PostgreSQL. */
  readonly replicas?: ReplicasStore;
  readonly home?: string;
  /** Stores the full text of truncated results; a folder in the home by default. */
  readonly results?: KeptResults;
  /** 0 picks a free port. */
  readonly port: number;
  /** An address other than loopback. The caller must make sure that a token exists. */
  readonly host?: string;
  /** Public URL, if an HTTPS proxy is in front of the gateway. The cookie is then sent over HTTPS only. */
  readonly publicUrl?: string;
  /** Other origins whose pages may use the API with a token. */
  readonly origins?: readonly string[];
  readonly models?: GatewayModels;
  /** Agent definitions of conduct.yaml, as JSON. */
  readonly definitions?: { readonly [name: string]: JsonObject };
  readonly version?: string;
  /** Settings of the daily review in conduct.yaml, and the model that it may ask. */
  readonly review?: Partial<Pick<ReviewDeskOptions, "config" | "reviewer" | "shared" | "place">>;
  /** Schedules of conduct.yaml; absent if there is no conduct.yaml. */
  readonly schedules?: readonly ScheduleConfig[];
  readonly telegram?: Pick<TelegramOptions, "token" | "apiRoot" | "mode" | "operators" | "strangers"> & {
    readonly agent?: string;
  };
  readonly slack?: Pick<SlackOptions, "token" | "signingSecret" | "apiRoot" | "operators" | "strangers"> & {
    readonly agent?: string;
  };
  /** Receives notifications for the operator. */
  readonly webhook?: string;
  /** Receivers of signed events. */
  readonly webhooks?: readonly Receiver[];
  /** Runs after recovery and before the port is bound. If it rejects, the gateway does not start. */
  readonly beforeListening?: (access: Access) => Promise<void>;
  /** Runs after the port is bound and before any turn begins. If it rejects, the gateway does not start. */
  readonly onListening?: (addresses: { readonly url: string; readonly publicUrl: string }) => Promise<void>;
  /** Sandbox for the agents' commands; detected by default. */
  readonly sandbox?: Sandbox;
  readonly runtimeOf?: (agent: string) => HostedRuntime;
  /** Folder of the console; built on the first request by default. */
  readonly console?: () => Promise<ConsolePlace>;
  /** How long a call waits for a person's answer; 2 minutes by default. */
  readonly approvalMs?: number;
  /** How long running turns may continue after the gateway is closed; 10 seconds by default, 25 with other gateways. */
  readonly graceMs?: number;
  /** See `ServeOptions`. */
  readonly heartbeatMs?: number;
  readonly streams?: number;
  readonly report: (line: string) => void;
};

export type Gateway = {
  readonly url: string;
  readonly publicUrl: string;
  readonly access: Access;
  readonly conversations: Conversations;
  readonly approvals: Approvals;
  /** State of the Telegram channel; `undefined` if it is not set up. */
  telegram(): ChannelState | undefined;
  /** The Slack channel is set up. */
  readonly hasSlack: boolean;
  /** Starts each MCP server once, and says which of them work. */
  tryServers(): Promise<readonly ServerStatus[]>;
  /** Turns of the previous process. */
  readonly recovered: { readonly interrupted: number; readonly requeued: number };
  /** Creates a link that signs the operator in once. */
  loginLink(): Promise<string>;
  /** `graceMs` overrides the option of the same name. */
  close(graceMs?: number): Promise<void>;
};
