import type { KeptResults } from "../../base/ports/stores/results.ts";
import type { JsonObject } from "../../base/words/json.ts";
import type { Sandbox } from "../../edge/host/sandbox/sandbox.ts";
import type { ScheduleConfig } from "../../engine/agent/config/config-schema.ts";
import type { Conduct } from "../../engine/session/conduct.ts";
import type { Approvals } from "./agents/approvals.ts";
import type { GatewayModels } from "./agents/models.ts";
import type { TelegramOptions } from "./channels/telegram.ts";
import type { TelegramState } from "./channels/telegram-connection.ts";
import type { Conversations } from "./conversations/conversations.ts";
import type { Access } from "./http/access.ts";
import type { ConsolePlace } from "./http/console/serve-console.ts";
import type { ReviewDeskOptions } from "./review/review-desk.ts";
import type { HostedRuntime } from "./runtimes/hosted.ts";
import type { GatewayStores } from "./stores.ts";

export type GatewayOptions = {
  readonly conduct: Conduct;
  readonly stores: GatewayStores;
  readonly home?: string;
  /** Where the Conduct keeps results whole that were cut; the folder in the home unless told. */
  readonly results?: KeptResults;
  /** 0: one that is free. */
  readonly port: number;
  /** Another address than loopback; the caller has made sure that there is a token. */
  readonly host?: string;
  /** Where people reach it, when something that speaks https stands before it; then the cookie is for https only. */
  readonly publicUrl?: string;
  /** Other origins whose pages may use the API with a token. */
  readonly origins?: readonly string[];
  readonly models?: GatewayModels;
  /** What conduct.yaml says of each agent, as JSON. */
  readonly definitions?: { readonly [name: string]: JsonObject };
  readonly version?: string;
  /** What conduct.yaml says of the daily review, and the models that it may ask. */
  readonly review?: Partial<Pick<ReviewDeskOptions, "config" | "models" | "shared">>;
  /** What conduct.yaml says is asked at set times; absent where there is no conduct.yaml. */
  readonly schedules?: readonly ScheduleConfig[];
  readonly telegram?: Pick<TelegramOptions, "token" | "apiRoot" | "mode" | "operators" | "strangers"> & {
    readonly agent?: string;
  };
  /** Runs when everything is recovered, before the port is bound. If it rejects, the gateway does not start. */
  readonly beforeListening?: (access: Access) => Promise<void>;
  /** Runs when the port is bound, before any turn begins. If it rejects, the gateway does not start. */
  readonly onListening?: (addresses: { readonly url: string; readonly publicUrl: string }) => Promise<void>;
  /** The sandbox of the agents' commands; found by trying it unless told. */
  readonly sandbox?: Sandbox;
  readonly runtimeOf?: (agent: string) => HostedRuntime;
  /** Where the console is; built when it is first asked for unless told. */
  readonly console?: () => Promise<ConsolePlace>;
  /** How long a call waits for a person's answer; 2 minutes unless told. */
  readonly approvalMs?: number;
  /** How long running turns have when the gateway ends; 10 seconds unless told. */
  readonly graceMs?: number;
  /** See `ServeOptions`. */
  readonly heartbeatMs?: number;
  readonly streams?: number;
  readonly report: (line: string) => void;
};

export type Gateway = {
  readonly url: string;
  /** Where people open it. */
  readonly publicUrl: string;
  readonly access: Access;
  readonly conversations: Conversations;
  readonly approvals: Approvals;
  /** How it is on Telegram; undefined where it is not set up. */
  telegram(): TelegramState | undefined;
  /** What the last process left. */
  readonly recovered: { readonly interrupted: number; readonly requeued: number };
  /** A link that signs the operator in, once. */
  loginLink(): Promise<string>;
  /** `graceMs`: how long running turns have, instead of the time in the options. */
  close(graceMs?: number): Promise<void>;
};
