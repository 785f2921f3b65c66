import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { errorText } from "../../base/kernel/error-text.ts";
import type { JsonObject } from "../../base/words/json.ts";
import type { User } from "../../base/words/user.ts";
import { conductHome } from "../../edge/host/conduct-home.ts";
import { nodeClock } from "../../edge/host/node-clock.ts";
import { nodeIds } from "../../edge/host/node-ids.ts";
import { openPreviews } from "../../edge/host/preview-prompt.ts";
import type { ScheduleConfig } from "../../engine/agent/config-schema.ts";
import type { ContractService } from "../../engine/governance/contract-service.ts";
import type { Conduct } from "../../engine/moments/conduct.ts";
import { Agents } from "./agents.ts";
import { type Access, openAccess } from "./api/access.ts";
import { agentHandlers } from "./api/rooms/agents.ts";
import { approvalHandlers } from "./api/rooms/approvals.ts";
import { contractHandlers } from "./api/rooms/contract.ts";
import { conversationHandlers } from "./api/rooms/conversations.ts";
import { journalHandlers } from "./api/rooms/journal.ts";
import { loginHandlers } from "./api/rooms/login.ts";
import { ownHandlers } from "./api/rooms/own.ts";
import { promptHandlers } from "./api/rooms/prompt.ts";
import { ruleHandlers } from "./api/rooms/rules.ts";
import { scheduleHandlers } from "./api/rooms/schedules.ts";
import { systemHandlers } from "./api/rooms/system.ts";
import { userHandlers } from "./api/rooms/users.ts";
import { ROUTES } from "./api/routes.ts";
import { serveRoutes } from "./api/serve.ts";
import { Approvals } from "./approvals.ts";
import { Scheduled } from "./channels/scheduled.ts";
import { keepConfigured } from "./channels/schedules-of-config.ts";
import { openTelegram, type Telegram, type TelegramOptions } from "./channels/telegram.ts";
import { Conversations } from "./conversations.ts";
import { openMetrics } from "./metrics.ts";
import { type GatewayModels, gatewayModels } from "./models.ts";
import { patientConversations, patientSessions } from "./patient-stores.ts";
import { claudeRuntime } from "./runtimes/claude-runtime.ts";
import type { HostedRuntime } from "./runtimes/hosted.ts";
import { piRuntime } from "./runtimes/pi-runtime.ts";
import { servePage } from "./serve-page.ts";
import { keptStates } from "./states.ts";
import type { GatewayStores } from "./stores.ts";
import { workspaceOf } from "./workspaces.ts";

/** Who the embedded gateway's first login link signs in: the account that owns CONDUCT_HOME is the operator. */
const OPERATOR = "operator";
const SWEEP_MS = 60_000;

export type GatewayOptions = {
  readonly conduct: Conduct;
  readonly stores: GatewayStores;
  readonly home?: string;
  /** 0: one that is free. */
  readonly port: number;
  /** Another address than loopback; the caller has made sure that there is a token. */
  readonly host?: string;
  readonly models?: GatewayModels;
  /** What conduct.yaml says of each agent, as JSON. */
  readonly definitions?: { readonly [name: string]: JsonObject };
  readonly version?: string;
  /** What conduct.yaml says is asked at set times. */
  readonly schedules?: readonly ScheduleConfig[];
  readonly telegram?: Pick<TelegramOptions, "token" | "apiRoot" | "mode" | "operators" | "strangers"> & {
    readonly agent?: string;
  };
  readonly runtimeOf?: (agent: string) => HostedRuntime;
  readonly report: (line: string) => void;
};

export type Gateway = {
  readonly url: string;
  readonly access: Access;
  readonly conversations: Conversations;
  readonly approvals: Approvals;
  /** The bot's name, where there is one. */
  readonly telegram?: string;
  /** What the last process left. */
  readonly recovered: { readonly interrupted: number; readonly requeued: number };
  /** A link that signs the operator in, once. */
  loginLink(): Promise<string>;
  close(): Promise<void>;
};

/** Serves agents to people: conversations, the API, the page. Resolves when it can be asked. */
export async function openGateway(options: GatewayOptions): Promise<Gateway> {
  const { conduct, stores, home = conductHome(), port, host = "127.0.0.1", report } = options;
  const clock = nodeClock();
  const models = options.models ?? gatewayModels();
  const approvals = new Approvals();
  const pi = piRuntime({ modelOf: (agent) => models.of(agent) });
  const claude = claudeRuntime();
  const conversations = new Conversations({
    conduct,
    store: patientConversations(stores.conversations),
    states: keptStates(patientSessions(stores.sessions), clock),
    approvals,
    clock,
    ids: nodeIds(),
    runtimeOf: options.runtimeOf ?? ((name) => (agents.find(name)?.definition.runtime === "claude" ? claude : pi)),
    workspaceOf: (conversation) => workspaceOf(home, conversation),
    userOf: (id) => stores.users.read(id),
  });
  await ensureOperator(stores.users, clock.now());
  const agents = new Agents(conduct, stores.agents, clock, home);
  for (const problem of await agents.load(options.definitions ?? {})) report(problem);
  const access = openAccess(stores.users, clock);
  let telegram: Telegram | undefined;
  const scheduled = new Scheduled({
    store: stores.schedules,
    conversations,
    clock,
    ids: nodeIds(),
    report,
    async deliver({ deliver }, text) {
      if (deliver?.channel !== "telegram") throw new Error(`nothing can be delivered to '${deliver?.channel}'`);
      if (telegram === undefined) throw new Error("Telegram is not set up");
      if (deliver.address === undefined) throw new Error("the schedule names no chat");
      await telegram.send(deliver.address, text);
    },
  });
  let bound: AddressInfo | undefined;
  const app = serveRoutes({
    routes: ROUTES,
    handlers: {
      ...loginHandlers(access, false),
      ...conversationHandlers({ conduct, conversations, store: stores.conversations, journal: stores.events }),
      ...approvalHandlers(approvals, clock),
      ...agentHandlers(agents, models),
      ...userHandlers(stores.users, access, clock),
      ...contractHandlers(contractsOf(conduct)),
      ...ownHandlers({ instructions: stores.instructions, memory: stores.memory, clock, ids: nodeIds() }),
      ...promptHandlers(
        () => openPreviews({ agents: conduct.agents, workspace: home, home }),
        (name) => agents.find(name) !== undefined,
        clock,
      ),
      ...ruleHandlers(),
      ...scheduleHandlers({
        store: stores.schedules,
        clock,
        ids: nodeIds(),
        isAgent: (name) => agents.find(name) !== undefined,
        changed: () => scheduled.look(),
      }),
      ...journalHandlers(stores.events, conversations, clock),
      ...systemHandlers({
        version: options.version ?? "0",
        routes: () => ROUTES,
        storeWorks: () => works(() => stores.users.read(OPERATOR)),
        metrics: openMetrics(conduct, conversations.updates, () => conversations.live),
      }),
    },
    access,
    replies: stores.replies,
    clock,
    hosts: () => hostsOf(host, bound?.port ?? port),
    report: (error) => report(errorText(error)),
  });
  servePage(app);
  app.post("/telegram/webhook", (context) => telegram?.webhook(context.req.raw) ?? new Response(null, { status: 404 }));
  const server = serve({ fetch: app.fetch, port, hostname: host });
  bound = await new Promise<AddressInfo>((resolve, reject) => {
    server.once("error", reject);
    server.once("listening", () => resolve(server.address() as AddressInfo));
  });
  const url = `http://${host.includes(":") ? `[${host}]` : host}:${bound.port}`;
  if (options.telegram !== undefined) {
    const { agent, ...settings } = options.telegram;
    telegram = await openTelegram({
      ...settings,
      agent: () => agent ?? agents.all[0]?.agent.name ?? "",
      ...{ conversations, approvals, clock, report, store: stores.conversations, users: stores.users },
    });
  }
  const recovered = await conversations.recover();
  const world = {
    now: clock.now(),
    isAgent: (name: string) => agents.find(name) !== undefined,
    zoneOf: async (id: string) => (await stores.users.read(id))?.zone,
  };
  for (const problem of await keepConfigured(stores.schedules, options.schedules ?? [], world)) report(problem);
  await scheduled.start();
  const sweep = setInterval(() => {
    conversations.sweep().catch((error: unknown) => report(errorText(error)));
  }, SWEEP_MS);
  sweep.unref();
  return {
    url,
    access,
    conversations,
    approvals,
    ...(telegram === undefined ? {} : { telegram: telegram.username }),
    recovered,
    loginLink: async () => `${url}/login#code=${await access.loginCode(OPERATOR)}`,
    async close() {
      clearInterval(sweep);
      await telegram?.close();
      await scheduled.close();
      const closed = new Promise((resolve) => server.close(resolve));
      await conversations.close();
      if ("closeAllConnections" in server) server.closeAllConnections();
      await closed;
    },
  };
}

function contractsOf({ contracts }: Conduct): ContractService {
  if (contracts === undefined) throw new Error("a gateway needs a store for what operators decide");
  return contracts;
}

async function works(look: () => Promise<unknown>): Promise<boolean> {
  return look().then(
    () => true,
    () => false,
  );
}

async function ensureOperator(users: GatewayStores["users"], at: number): Promise<void> {
  if ((await users.read(OPERATOR)) !== undefined) return;
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const operator: User = { id: OPERATOR, name: "Operator", role: "operator", zone, at };
  await users.put(operator);
}

/** The names under which this gateway may be asked. */
function hostsOf(host: string, port: number): readonly string[] {
  const names = host === "127.0.0.1" || host === "::1" ? ["127.0.0.1", "localhost", "[::1]"] : [host.toLowerCase()];
  return names.flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`]));
}
