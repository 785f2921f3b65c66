import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { errorText } from "../../base/kernel/error-text.ts";
import type { Conversation } from "../../base/words/hosting/conversation.ts";
import type { User } from "../../base/words/hosting/user.ts";
import { nodeClock } from "../../edge/host/node/node-clock.ts";
import { nodeIds } from "../../edge/host/node/node-ids.ts";
import { conductVersion } from "../../edge/host/node/package-files.ts";
import { findSandbox } from "../../edge/host/sandbox/find-sandbox.ts";
import { exportFigures } from "../../edge/host/telemetry/gauge-exporter.ts";
import { conductHome } from "../../edge/host/workspace/conduct-home.ts";
import { keptResults } from "../../edge/stores/files/folder-results.ts";
import type { ContractService } from "../../engine/governance/contract-service.ts";
import { redactTextWith } from "../../engine/journal/redact-event.ts";
import type { Conduct } from "../../engine/session/conduct.ts";
import { keepAdherence } from "../learning/adherence/follow-adherence.ts";
import { Agents } from "./agents/agents.ts";
import { Approvals } from "./agents/approvals.ts";
import { gatewayModels } from "./agents/models.ts";
import { Workspaces, workspacesId } from "./agents/workspaces.ts";
import { openChannels } from "./channels/open-channels.ts";
import { isDormantWithout, keepConfigured } from "./channels/schedule-times.ts";
import { Scheduled } from "./channels/scheduled.ts";
import { Conversations } from "./conversations/conversations.ts";
import { patientConversations, patientSessions, patientUsers } from "./conversations/patient-stores.ts";
import { adoptUnanswered } from "./conversations/unanswered.ts";
import type { Gateway, GatewayOptions } from "./gateway-options.ts";
import { drainCheck, governanceCheck, openHealth, storeCheck } from "./health/health.ts";
import { openAccess } from "./http/access.ts";
import type { ApiContext } from "./http/api-context.ts";
import { consolePlaces } from "./http/console/build-console.ts";
import { serveConsole } from "./http/console/serve-console.ts";
import { openMetrics } from "./http/metrics.ts";
import { addressOf } from "./http/request.ts";
import { ReplayRuns } from "./http/routes/governance/replay-runs.ts";
import { ROUTES } from "./http/routes/index.ts";
import { deliverFault } from "./http/routes/schedules.ts";
import { openLimits, serveRoutes } from "./http/serve.ts";
import { ShownResults } from "./http/shown-results.ts";
import { closeAll } from "./lifecycle/close-all.ts";
import { hostsOf, httpServer } from "./lifecycle/http-server.ts";
import { Listeners } from "./listeners.ts";
import { HostedServers } from "./mcp/hosted-servers.ts";
import { KnownTools } from "./mcp/known-tools.ts";
import { ApiSessions } from "./moments/api-sessions.ts";
import { notifyOperator } from "./notify-operator.ts";
import { joinCluster } from "./replicas/cluster.ts";
import { openReviewDesk } from "./review/review-desk.ts";
import { claudeRuntime } from "./runtimes/claude-runtime.ts";
import { piRuntime } from "./runtimes/pi-runtime.ts";
import { commandUse, HostedCommands } from "./sandbox/hosted-commands.ts";
import type { GatewayStores } from "./stores.ts";
import { watchGovernance } from "./watch-governance.ts";
import { openWebhooks } from "./webhooks/webhooks.ts";

/** User of the embedded gateway's first login link. The account that owns CONDUCT_HOME is the operator. */
const OPERATOR = "operator";
const SWEEP_MS = 60_000;
/** How long closing waits for responses in progress. */
const REST_MS = 5_000;
/** Time for running turns when other gateways can take over the queued ones. */
const DRAIN_MS = 25_000;
/** A write repeated after this time counts as a new one. */
const REPLIES_MS = 24 * 3_600_000;

/**
 * Opens the gateway: conversations, API and console. First recovers the work of an earlier process, then binds the
 * port, then starts turns, schedules and channels. If a step fails, everything opened before it is closed.
 */
export async function openGateway(options: GatewayOptions): Promise<Gateway> {
  const opened = new AsyncDisposableStack();
  try {
    return await openSteps(options, opened);
  } catch (error) {
    await closeAll(opened, options.report);
    throw error;
  }
}

async function openSteps(options: GatewayOptions, opened: AsyncDisposableStack): Promise<Gateway> {
  const { port, host = "127.0.0.1" } = options;
  const parts = await buildParts(options, opened);
  const { http, listening, access, conversations, approvals, channels, closing } = parts;
  const recovered = await recoverWork(parts, options);
  await options.beforeListening?.(access);
  const bound = await http.listen(parts.app.fetch, port, host);
  // Probes and requests in progress of a gateway that drains are answered until its work has ended.
  if (parts.cluster === undefined) opened.defer(() => http.stop());
  listening.port = bound.port;
  const url = `http://${host.includes(":") ? `[${host}]` : host}:${bound.port}`;
  const reachedAt = options.publicUrl ?? url;
  listening.url = reachedAt;
  parts.cluster?.describe(reachedAt);
  await options.onListening?.({ url, publicUrl: reachedAt });
  opened.defer(
    notifyOperator(options.conduct, {
      chats: channels.operators,
      webhook: options.webhook,
      changes: parts.servers.changes,
      linkTo: parts.linkTo,
      report: options.report,
    }),
  );
  await beginWork(parts, options, opened);
  const { cluster } = parts;
  if (cluster !== undefined)
    opened.defer(
      exportFigures(
        {
          attributes: () => ({ "conduct.replica.id": cluster.id, "conduct.replica.url": url }),
          read: () => cluster.figures(conversations.turns.running),
        },
        process.env,
        parts.clock.now(),
      ),
    );
  return {
    url,
    publicUrl: reachedAt,
    access,
    conversations,
    approvals,
    telegram: () => channels.telegram?.state(),
    hasSlack: channels.slack !== undefined,
    tryServers: () => parts.servers.trial(parts.agents.all.map(({ agent }) => agent.name)),
    recovered,
    loginLink: async () => `${reachedAt}/login#code=${await access.loginCode(OPERATOR)}`,
    async close(graceMs) {
      closing.graceMs = graceMs ?? closing.graceMs;
      await parts.cluster?.drain();
      await opened.disposeAsync();
    },
  };
}

type Parts = Awaited<ReturnType<typeof buildParts>>;

/** Creates all parts without starting anything: no turn runs, no channel receives messages, no port is bound. */
async function buildParts(options: GatewayOptions, opened: AsyncDisposableStack) {
  const { conduct, stores, home = conductHome(), port, host = "127.0.0.1", publicUrl, report } = options;
  const http = httpServer();
  opened.defer(() => http.end());
  const [ids, contracts] = [nodeIds(), contractsOf(conduct)];
  const { clock = nodeClock(), isDemo } = options;
  const lone = randomUUID();
  const version = options.version ?? conductVersion();
  const cluster =
    options.replicas === undefined
      ? undefined
      : await joinCluster({
          store: options.replicas,
          info: { host: hostname(), pid: process.pid, version, since: clock.now(), files: await workspacesId(home) },
          ...{ clock, report },
        });
  opened.defer(() => cluster?.close());
  const models = options.models ?? gatewayModels();
  const approvals = new Approvals({ store: stores.questions, clock, waitMs: options.approvalMs });
  const pi = piRuntime({ modelOf: (agent) => models.of(agent) });
  const claude = claudeRuntime();
  const kept = patientConversations(stores.conversations);
  const users = patientUsers(stores.users);
  const { env } = process;
  const sandbox = options.sandbox ?? (await findSandbox({ home, env, folder: join(home, "run") }));
  const roleOf = async (id: string) => (await users.read(id))?.role;
  const historyOf = async (id: string) => (await stores.events.histories([id])).flat();
  const servers = new HostedServers({
    ...{ sandbox, env, clock, report, roleOf },
    known: new KnownTools(join(home, "mcp-tools.json"), report),
    serversOf: (name) => agents.find(name)?.agent.mcpServers ?? {},
    record: (fault, workspace) => conduct.report(fault, workspace),
  });
  const vacate = ({ user, agent }: Conversation) => servers.leave(user, agent);
  const workspaces = new Workspaces({ home, store: kept, vacate, report });
  const commands = new HostedCommands({
    ...{ sandbox, env, roleOf },
    useOf(name) {
      const known = agents.find(name);
      return known === undefined ? "none" : commandUse(known);
    },
    networkOf: (name) => agents.find(name)?.agent.network ?? [],
  });
  const conversations = new Conversations({
    conduct,
    commands,
    servers,
    store: kept,
    sessions: patientSessions(stores.sessions),
    approvals,
    clock,
    ids,
    runtimeOf: options.runtimeOf ?? ((name) => (agents.find(name)?.definition.runtime === "claude" ? claude : pi)),
    workspaceOf: (conversation) => workspaces.open(conversation),
    userOf: (id) => users.read(id),
    ownership: cluster?.ownership,
    historyOf,
    report,
  });
  conversations.hold();
  const apiSessions = new ApiSessions({
    ...{ conduct, approvals, clock, ids, ownership: cluster?.ownership },
    sessions: patientSessions(stores.sessions),
    userOf: (id) => users.read(id),
    historyOf,
  });
  await ensureOperator(stores.users, clock.now());
  const agents = new Agents(conduct, stores.agents, clock, home);
  for (const problem of await agents.load(options.definitions ?? {})) report(problem);
  const access = openAccess(users, clock);
  const revocations: ApiContext["revocations"] = new Listeners();
  const { results = keptResults(home, stores.keys) } = options;
  const channels = await openChannels({
    ...{ telegram: options.telegram, slack: options.slack },
    ...{ conversations, approvals, contracts, clock, report, stores, home, store: kept, users },
    self: () => cluster?.id ?? lone,
    leader: (name) => cluster?.leader(name),
    firstAgent: () => agents.all[0]?.agent.name ?? "",
  });
  const scheduled = new Scheduled({
    store: stores.schedules,
    conversations,
    clock,
    ids,
    report,
    replica: cluster,
    // A schedule of conduct.yaml may name an unknown user, because the operator wrote it.
    mayTalk: async (id) => (await stores.users.read(id))?.role !== "viewer",
    isDormant: isDormantWithout(options.schedules),
    async deliver(schedule, text) {
      const { deliver, fixed, user } = schedule;
      // The role that allowed delivery to another chat may have been revoked since.
      const owner = fixed === true ? undefined : await users.read(user);
      const fault = owner === undefined ? undefined : deliverFault(schedule, owner);
      if (fault !== undefined) throw new Error(fault);
      if (deliver?.address === undefined) throw new Error("the schedule names no chat");
      await channels.send(deliver.channel, deliver.address, text);
    },
  });
  // Known as soon as the port is bound, before anything needs a link.
  const listening = { port, url: "" };
  const linkTo = (session: string) => `${listening.url}/sessions/${encodeURIComponent(session)}`;
  const webhooks =
    options.webhooks === undefined || options.webhooks.length === 0
      ? undefined
      : openWebhooks({
          webhooks: options.webhooks,
          stores,
          updates: conversations.turns.ownUpdates,
          leader: cluster?.leader("webhooks"),
          ...{ clock, report, linkTo },
        });
  const review = openReviewDesk({
    config: {},
    ...options.review,
    ...{ stores, contracts, clock, home, report, webhooks },
    telegram: () => channels.telegram,
    slack: () => channels.slack,
  });
  const counting = keepAdherence({ events: stores.events, adherence: stores.adherence, contracts });
  opened.defer(() => counting.close());
  const closing = { signal: new AbortController(), graceMs: options.graceMs ?? (cluster && DRAIN_MS) };
  opened.defer(() => commands.close());
  opened.defer(() => servers.close());
  opened.defer(() => webhooks?.close());
  opened.defer(() => http.stop());
  opened.defer(() => closeWork({ conversations, channels, scheduled, review }, closing.graceMs, report));
  opened.defer(() => closing.signal.abort());
  const replays = new ReplayRuns({
    ...{ ids, closing: closing.signal.signal, report },
    others: cluster && { id: () => cluster.id, leader: cluster.leader("replay"), ask: cluster.askReplay },
  });
  const api: ApiContext = {
    ...{
      conduct,
      contracts,
      agents,
      models,
      conversations,
      apiSessions,
      approvals,
      workspaces,
      results,
      access,
      revocations,
      review,
      servers,
      webhooks,
    },
    channels,
    machine: { store: cluster === undefined ? "sqlite" : "postgres", sandbox },
    ...{ scheduled, clock, ids, home, report, routes: ROUTES, version, cluster, isDemo },
    stores: { ...stores, conversations: kept },
    shownResults: new ShownResults({ results, redact: async () => redactTextWith(await stores.keys.journal()) }),
    replays,
    health: openHealth(
      [
        storeCheck(stores.replies, clock),
        governanceCheck(contracts),
        ...(cluster === undefined ? [] : [drainCheck(cluster.isDraining)]),
      ],
      clock,
    ),
    metrics: openMetrics(
      conduct,
      conversations.turns.ownUpdates,
      () => conversations.live,
      async () => cluster?.figures(conversations.turns.running) ?? [],
    ),
    isSecure: publicUrl?.startsWith("https:") === true,
  };
  const limits = openLimits(clock, { streams: options.streams });
  const app = serveRoutes(api, {
    hosts: () => [...hostsOf(host, listening.port), ...(publicUrl === undefined ? [] : [new URL(publicUrl).host])],
    origins: [...(options.origins ?? []), ...(publicUrl === undefined ? [] : [new URL(publicUrl).origin])],
    heartbeatMs: options.heartbeatMs,
    limits,
  });
  serveConsole(app, options.console ?? consolePlaces(report));
  for (const name of ["telegram", "slack"] as const)
    app.post(`/${name}/webhook`, async (context) => {
      const answer = await channels[name]?.webhook(context.req.raw, addressOf(context));
      return answer ?? new Response(null, { status: 404 });
    });
  return {
    http,
    listening,
    app,
    access,
    conversations,
    apiSessions,
    replays,
    approvals,
    channels,
    scheduled,
    review,
    ...{ agents, workspaces, servers, contracts, clock, closing, cluster, revocations, home, limits, linkTo, webhooks },
  };
}

/** Settles the unfinished work of an earlier process, and syncs the schedules with conduct.yaml. */
async function recoverWork(
  { conversations, approvals, agents, scheduled, clock, cluster }: Parts,
  options: GatewayOptions,
) {
  const { stores, report } = options;
  const recovered = await conversations.recovery.recover();
  // On a shared store the work of other gateways is taken over only when they are dead; see `lookForWork`.
  if (cluster === undefined) await scheduled.recover();
  await adoptUnanswered({ ...stores, journal: stores.events, approvals, now: clock.now() });
  const world = {
    now: clock.now(),
    isAgent: (name: string) => agents.find(name) !== undefined,
    zoneOf: async (id: string) => (await stores.users.read(id))?.zone,
  };
  for (const problem of await keepConfigured(stores.schedules, options.schedules, world)) report(problem);
  return recovered;
}

/** Starts turns, schedules and channels. */
async function beginWork(
  parts: Parts,
  { stores, report }: GatewayOptions,
  opened: AsyncDisposableStack,
): Promise<void> {
  const { conversations, apiSessions, channels, scheduled, review, workspaces, servers, contracts, clock } = parts;
  conversations.release();
  await parts.cluster?.begin({ ...parts, stores });
  channels.connect();
  parts.webhooks?.start();
  // Runs in the background.
  void workspaces.clear();
  await scheduled.look();
  review.start();
  const watch = watchGovernance(contracts, report);
  opened.defer(() => watch.stop());
  await watch.look();
  const sweep = setInterval(() => {
    for (const sweeping of [conversations.sweep(), apiSessions.sweep(), servers.sweep()])
      sweeping.catch((error: unknown) => report(errorText(error)));
    stores.replies.expire(clock.now() - REPLIES_MS).catch((error: unknown) => report(errorText(error)));
  }, SWEEP_MS);
  sweep.unref();
  opened.defer(() => clearInterval(sweep));
}

/** Channels stop accepting messages. Their pending work ends with the conversations; the rest is abandoned. */
async function closeWork(
  { conversations, channels, scheduled, review }: Pick<Parts, "conversations" | "channels" | "scheduled" | "review">,
  graceMs: number | undefined,
  report: (line: string) => void,
): Promise<void> {
  const rest = Promise.all([channels.close(), scheduled.close(), review.close()]).catch((error: unknown) =>
    report(errorText(error)),
  );
  await conversations.close(graceMs);
  await Promise.race([rest, sleep(REST_MS, undefined, { ref: false })]);
}

function contractsOf({ contracts }: Conduct): ContractService {
  if (contracts === undefined) throw new Error("a gateway needs a governance store");
  return contracts;
}

async function ensureOperator(users: GatewayStores["users"], at: number): Promise<void> {
  if ((await users.read(OPERATOR)) !== undefined) return;
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const operator: User = { id: OPERATOR, name: "Operator", role: "operator", zone, at };
  await users.add(operator);
}
