import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { errorText } from "../../base/kernel/error-text.ts";
import type { JsonObject } from "../../base/words/json.ts";
import type { User } from "../../base/words/user.ts";
import { conductHome } from "../../edge/host/conduct-home.ts";
import { nodeClock } from "../../edge/host/node-clock.ts";
import { nodeIds } from "../../edge/host/node-ids.ts";
import { openPreviews } from "../../edge/host/preview-prompt.ts";
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
import { systemHandlers } from "./api/rooms/system.ts";
import { userHandlers } from "./api/rooms/users.ts";
import { ROUTES } from "./api/routes.ts";
import { serveRoutes } from "./api/serve.ts";
import { Approvals } from "./approvals.ts";
import { Conversations } from "./conversations.ts";
import { openMetrics } from "./metrics.ts";
import { type GatewayModels, gatewayModels } from "./models.ts";
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
  readonly runtimeOf?: (agent: string) => HostedRuntime;
  readonly report: (line: string) => void;
};

export type Gateway = {
  readonly url: string;
  readonly access: Access;
  readonly conversations: Conversations;
  readonly approvals: Approvals;
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
  const conversations = new Conversations({
    conduct,
    store: stores.conversations,
    states: keptStates(stores.sessions, clock),
    approvals,
    clock,
    ids: nodeIds(),
    runtimeOf: options.runtimeOf ?? (() => pi),
    workspaceOf: (conversation) => workspaceOf(home, conversation),
    userOf: (id) => stores.users.read(id),
  });
  await ensureOperator(stores.users, clock.now());
  const agents = new Agents(conduct, stores.agents, clock, home);
  for (const problem of await agents.load(options.definitions ?? {})) report(problem);
  const access = openAccess(stores.users, clock);
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
  const server = serve({ fetch: app.fetch, port, hostname: host });
  bound = await new Promise<AddressInfo>((resolve, reject) => {
    server.once("error", reject);
    server.once("listening", () => resolve(server.address() as AddressInfo));
  });
  const url = `http://${host.includes(":") ? `[${host}]` : host}:${bound.port}`;
  const recovered = await conversations.recover();
  const sweep = setInterval(() => {
    conversations.sweep().catch((error: unknown) => report(errorText(error)));
  }, SWEEP_MS);
  sweep.unref();
  return {
    url,
    access,
    conversations,
    approvals,
    recovered,
    loginLink: async () => `${url}/login#code=${await access.loginCode(OPERATOR)}`,
    async close() {
      clearInterval(sweep);
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
