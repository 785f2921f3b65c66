import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { serve } from "@hono/node-server";
import { errorText } from "../../base/kernel/error-text.ts";
import type { User } from "../../base/words/user.ts";
import { conductHome } from "../../edge/host/conduct-home.ts";
import { conductVersion } from "../../edge/host/daemon-place.ts";
import { keptResults } from "../../edge/host/kept-results.ts";
import { nodeClock } from "../../edge/host/node-clock.ts";
import { nodeIds } from "../../edge/host/node-ids.ts";
import { openPreviews } from "../../edge/host/preview-prompt.ts";
import { journalKey } from "../../edge/stores/events-key.ts";
import type { ContractService } from "../../engine/governance/contract-service.ts";
import { governanceHealth } from "../../engine/governance/governance-health.ts";
import { redactTextWith } from "../../engine/journal/redact-event.ts";
import type { Conduct } from "../../engine/moments/conduct.ts";
import { Agents } from "./agents.ts";
import { openAccess } from "./api/access.ts";
import { adherenceHandlers } from "./api/rooms/adherence.ts";
import { agentHandlers } from "./api/rooms/agents.ts";
import { approvalHandlers } from "./api/rooms/approvals.ts";
import { contractHandlers } from "./api/rooms/contract.ts";
import { conversationHandlers } from "./api/rooms/conversations.ts";
import { journalHandlers } from "./api/rooms/journal.ts";
import { loginHandlers } from "./api/rooms/login.ts";
import { ownHandlers } from "./api/rooms/own.ts";
import { promptHandlers } from "./api/rooms/prompt.ts";
import { replayHandlers } from "./api/rooms/replay.ts";
import { resultHandlers } from "./api/rooms/results.ts";
import { reviewHandlers } from "./api/rooms/review.ts";
import { ruleHandlers } from "./api/rooms/rules.ts";
import { scheduleHandlers } from "./api/rooms/schedules.ts";
import { standingHandlers } from "./api/rooms/standing.ts";
import { systemHandlers } from "./api/rooms/system.ts";
import { userHandlers } from "./api/rooms/users.ts";
import { ROUTES } from "./api/routes.ts";
import { serveRoutes } from "./api/serve.ts";
import { Approvals } from "./approvals.ts";
import { Scheduled } from "./channels/scheduled.ts";
import { keepConfigured } from "./channels/schedules-of-config.ts";
import { openTelegram, type Telegram } from "./channels/telegram.ts";
import { consolePlaces } from "./console-build.ts";
import { Conversations } from "./conversations.ts";
import type { Gateway, GatewayOptions } from "./gateway-options.ts";
import { hostsOf } from "./hosts.ts";
import { openMetrics } from "./metrics.ts";
import { gatewayModels } from "./models.ts";
import { patientConversations, patientSessions, patientUsers } from "./patient-stores.ts";
import { ReplayRuns } from "./replay-runs.ts";
import { openReviewDesk } from "./review-desk.ts";
import { claudeRuntime } from "./runtimes/claude-runtime.ts";
import { piRuntime } from "./runtimes/pi-runtime.ts";
import { serveConsole } from "./serve-console.ts";
import { ShownResults } from "./shown-results.ts";
import { keptStates } from "./states.ts";
import type { GatewayStores } from "./stores.ts";
import { adoptUnanswered } from "./unanswered.ts";
import { watchGovernance } from "./watch-governance.ts";
import { Workspaces } from "./workspaces.ts";

/** Who the embedded gateway's first login link signs in: the account that owns CONDUCT_HOME is the operator. */
const OPERATOR = "operator";
const SWEEP_MS = 60_000;
/** How long answers that are on their way are waited for at the end. */
const REST_MS = 5_000;
/** A write that is sent again after this long is a new one. */
const REPLIES_MS = 24 * 3_600_000;

/** Serves agents to people: conversations, the API, the page. Resolves when it can be asked. */
export async function openGateway(options: GatewayOptions): Promise<Gateway> {
  const { conduct, stores, home = conductHome(), port, host = "127.0.0.1", publicUrl, report } = options;
  const clock = nodeClock();
  const models = options.models ?? gatewayModels();
  const approvals = new Approvals(options.approvalMs);
  const pi = piRuntime({ modelOf: (agent) => models.of(agent) });
  const claude = claudeRuntime();
  const kept = patientConversations(stores.conversations);
  const users = patientUsers(stores.users);
  const workspaces = new Workspaces({ home, store: kept, report });
  const conversations = new Conversations({
    conduct,
    store: kept,
    states: keptStates(patientSessions(stores.sessions), clock),
    approvals,
    clock,
    ids: nodeIds(),
    runtimeOf: options.runtimeOf ?? ((name) => (agents.find(name)?.definition.runtime === "claude" ? claude : pi)),
    workspaceOf: (conversation) => workspaces.open(conversation),
    userOf: (id) => users.read(id),
    historyOf: async (id) => (await stores.events.histories([id]))[0] ?? [],
    report,
  });
  await ensureOperator(stores.users, clock.now());
  const agents = new Agents(conduct, stores.agents, clock, home);
  for (const problem of await agents.load(options.definitions ?? {})) report(problem);
  const access = openAccess(users, clock);
  const { results = keptResults(home) } = options;
  let telegram: Telegram | undefined;
  const scheduled = new Scheduled({
    store: stores.schedules,
    conversations,
    clock,
    ids: nodeIds(),
    report,
    // A schedule of conduct.yaml may name somebody whom nobody has added: it is the operator's word.
    mayTalk: async (id) => (await stores.users.read(id))?.role !== "viewer",
    async deliver({ deliver }, text) {
      if (deliver?.channel !== "telegram") throw new Error(`nothing can be delivered to '${deliver?.channel}'`);
      if (telegram === undefined) throw new Error("Telegram is not set up");
      if (deliver.address === undefined) throw new Error("the schedule names no chat");
      await telegram.send(deliver.address, text);
    },
  });
  const review = openReviewDesk({
    config: {},
    ...options.review,
    ...{ stores, contracts: contractsOf(conduct), clock, home, report, telegram: () => telegram },
  });
  const closing = new AbortController();
  let bound: AddressInfo | undefined;
  const app = serveRoutes({
    routes: ROUTES,
    handlers: {
      ...loginHandlers(access, publicUrl?.startsWith("https:") === true),
      ...conversationHandlers({
        conduct,
        conversations,
        store: kept,
        journal: stores.events,
        sessions: stores.sessions,
        results,
        workspaces,
      }),
      ...resultHandlers(
        new ShownResults({ results, redact: (text) => redactTextWith(journalKey(home))(text) }),
        stores.events,
      ),
      ...approvalHandlers(approvals, clock),
      ...agentHandlers(agents, models),
      ...userHandlers(stores.users, access, clock),
      ...contractHandlers(contractsOf(conduct), clock),
      ...ownHandlers({ instructions: stores.instructions, memory: stores.memory, clock, ids: nodeIds() }),
      ...promptHandlers({
        open: () => openPreviews({ agents: conduct.agents, workspace: home, home }),
        isAgent: (name) => agents.find(name) !== undefined,
        journal: stores.events,
        clock,
      }),
      ...ruleHandlers(agents, stores.events),
      ...replayHandlers({
        journal: stores.events,
        contracts: contractsOf(conduct),
        agents: () => conduct.agents,
        clock,
        runs: new ReplayRuns({ ids: nodeIds(), closing: closing.signal, report }),
      }),
      ...reviewHandlers(review, contractsOf(conduct), clock),
      ...adherenceHandlers({
        events: stores.events,
        governance: stores.governance,
        contracts: contractsOf(conduct),
        clock,
      }),
      ...standingHandlers({ service: contractsOf(conduct), events: stores.events, agents: () => conduct.agents }),
      ...scheduleHandlers({
        store: stores.schedules,
        clock,
        ids: nodeIds(),
        isAgent: (name) => agents.find(name) !== undefined,
        changed: () => scheduled.look(),
      }),
      ...journalHandlers(stores.events, stores.governance, conversations, clock, contractsOf(conduct), agents),
      ...systemHandlers({
        version: options.version ?? conductVersion(),
        routes: () => ROUTES,
        storeWorks: () => works(() => stores.users.read(OPERATOR)),
        governance: () => governanceHealth(contractsOf(conduct)),
        metrics: openMetrics(conduct, conversations.updates, () => conversations.live),
      }),
    },
    access,
    replies: stores.replies,
    clock,
    hosts: () => [...hostsOf(host, bound?.port ?? port), ...(publicUrl === undefined ? [] : [new URL(publicUrl).host])],
    origins: [...(options.origins ?? []), ...(publicUrl === undefined ? [] : [new URL(publicUrl).origin])],
    ...(options.heartbeatMs === undefined ? {} : { heartbeatMs: options.heartbeatMs }),
    ...(options.streams === undefined ? {} : { streams: options.streams }),
    report: (error) => report(errorText(error)),
  });
  serveConsole(app, options.console ?? consolePlaces(report));
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
      ...{ conversations, approvals, clock, report, store: kept, users },
      contracts: contractsOf(conduct),
    });
  }
  const recovered = await conversations.recover();
  // Nobody waits for it.
  void workspaces.clear();
  await adoptUnanswered({ ...stores, journal: stores.events, approvals, now: clock.now() });
  const world = {
    now: clock.now(),
    isAgent: (name: string) => agents.find(name) !== undefined,
    zoneOf: async (id: string) => (await stores.users.read(id))?.zone,
  };
  for (const problem of await keepConfigured(stores.schedules, options.schedules ?? [], world)) report(problem);
  await scheduled.start();
  await review.start();
  const watch = watchGovernance(contractsOf(conduct), report);
  await watch.look();
  const sweep = setInterval(() => {
    conversations.sweep().catch((error: unknown) => report(errorText(error)));
    stores.replies.expire(clock.now() - REPLIES_MS).catch((error: unknown) => report(errorText(error)));
  }, SWEEP_MS);
  sweep.unref();
  return {
    url,
    publicUrl: publicUrl ?? url,
    access,
    conversations,
    approvals,
    ...(telegram === undefined ? {} : { telegram: telegram.username }),
    recovered,
    loginLink: async () => `${publicUrl ?? url}/login#code=${await access.loginCode(OPERATOR)}`,
    async close() {
      clearInterval(sweep);
      watch.stop();
      closing.abort();
      // They begin nothing new from here on; what they wait for ends with the conversations, and what does not is not waited for.
      const rest = Promise.all([telegram?.close(), scheduled.close(), review.close()]).catch((error: unknown) =>
        report(errorText(error)),
      );
      const closed = new Promise((resolve) => server.close(resolve));
      await conversations.close(options.graceMs);
      await Promise.race([rest, sleep(REST_MS, undefined, { ref: false })]);
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
