import { readFile } from "node:fs/promises";
import { z } from "zod";
import { parseDuration } from "../../../../base/kernel/duration.ts";
import type { GovernanceDraft } from "../../../../base/ports/stores/governance.ts";
import { endPause, LONGEST_PAUSE_MS, readPause, writePause } from "../../../../edge/host/daemon/paused.ts";
import { packageFile } from "../../../../edge/host/node/package-files.ts";
import { journalDraft } from "../../../../edge/host/opening/open-governance.ts";
import { describeSandbox } from "../../../../edge/host/sandbox/sandbox.ts";
import { RETENTION_MS } from "../../../../edge/stores/keep-journal.ts";
import { governanceHealth } from "../../../../engine/governance/governance-health.ts";
import { readSwitches } from "../../../daemon/hook-guard/switches.ts";
import type { NamedHealth } from "../../health/health.ts";
import type { ApiContext } from "../api-context.ts";
import { openApi } from "../openapi.ts";
import { Problem } from "../problem.ts";
import { Reply, route } from "../route.ts";
import { list, OPERATOR, READ, typed } from "../schemas.ts";

const DAY_MS = 24 * 3_600_000;

const status = z.enum(["ok", "degraded"]);
const version = z.string();
const governanceStatus = z.enum(["ok", "damaged"]);

export const systemRoutes = [
  route("GET /api/health", {
    summary: "Show the gateway's status, always with 200; use /api/health/ready for load balancers",
    roles: "public",
    probe: true,
    response: z.object({
      ...{ status, version },
      store: z.enum(["ok", "down"]),
      governance: governanceStatus,
      // Some agents lack tools, but everybody can be served.
      mcp: z.enum(["ok", "unavailable"]),
      demo: z.literal(true).optional().describe("everything in the store is sample data"),
    }),
    answer: async (_input, _caller, { health, version, servers, agents, isDemo }) => {
      const checks = await health();
      const known = servers.status(agents.all.map(({ agent }) => agent.name));
      const isOk = (wanted: string) => checks.every(({ name, kind }) => name !== wanted || kind === "ok");
      return {
        status: statusOf(checks),
        version,
        store: isOk("store") ? "ok" : "down",
        governance: isOk("governance") ? "ok" : "damaged",
        mcp: known.every((one) => "tools" in one) ? "ok" : "unavailable",
        demo: isDemo || undefined,
      } as const;
    },
  }),
  route("GET /api/health/live", {
    summary: "Answer 200 while the process runs, even if the store is down",
    roles: "public",
    probe: true,
    response: z.object({ status: z.literal("ok"), version }),
    answer: (_input, _caller, { version }) => ({ status: "ok", version }) as const,
  }),
  route("GET /api/health/ready", {
    summary: "Answer 200 when the gateway can serve people, else 503 with the reasons; within 2 seconds",
    roles: "public",
    probe: true,
    reply: true,
    response: z.object({
      status,
      version,
      checks: list(z.object({ name: z.string(), status, code: z.string().optional(), message: z.string().optional() })),
    }),
    answer: async (_input, _caller, { health, version }) => {
      const checks = await health();
      const status = statusOf(checks);
      const shown = checks.map(({ kind, ...check }) => ({ ...check, status: kind }));
      return new Reply({ status, version, checks: shown }, { status: status === "ok" ? 200 : 503 });
    },
  }),
  route("GET /api/system", {
    summary: "Show the state of the store, the sandbox, the channels and the receivers of events",
    roles: READ,
    response: z.object({
      version,
      checks: list(z.object({ name: z.string(), status, message: z.string().optional() })),
      store: z.object({
        kind: z.enum(["sqlite", "postgres"]),
        sessions: z.number(),
        isAtLeast: z.literal(true).optional().describe("the count is a minimum"),
        events: z.number().describe("the number of the newest event; expired ones count too"),
        retentionDays: z.number().describe("events are deleted after this time; the governance journal is kept"),
      }),
      sandbox: z.object({ kind: z.string(), about: z.string() }),
      channels: list(z.object({ name: z.string(), state: z.string(), detail: z.string().optional() })),
      receivers: list(z.object({ name: z.string(), to: z.string(), waiting: z.number(), failed: z.number() })),
      servers: list(
        z.object({ agent: z.string(), server: z.string(), tools: z.number().optional(), why: z.string().optional() }),
      ),
    }),
    answer: async (_input, _caller, api) => {
      const { health, version, stores, machine, channels, webhooks, servers, agents } = api;
      const count = async (webhook: string, state: "waiting" | "failed") =>
        (await stores.deliveries.list({ limit: 200, webhook, state })).length;
      const receivers = (webhooks?.list ?? []).map(async ({ name, url }) => ({
        ...{ name, to: url, waiting: await count(name, "waiting"), failed: await count(name, "failed") },
      }));
      const { total, atLeast } = await stores.events.sessions({ limit: 1 });
      return {
        version,
        checks: (await health()).map(({ kind, name, ...check }) => ({ name, status: kind, ...check })),
        store: {
          ...{ kind: machine.store, sessions: total, isAtLeast: atLeast, events: await stores.events.head() },
          retentionDays: RETENTION_MS / DAY_MS,
        },
        sandbox: { kind: machine.sandbox.kind, about: describeSandbox(machine.sandbox) },
        channels: channels.states().map((one) => ({
          ...{ name: one.name, state: one.kind },
          detail: one.kind === "connected" ? `as @${one.username}` : one.kind === "failing" ? one.why : undefined,
        })),
        receivers: await Promise.all(receivers),
        servers: [...servers.status(agents.all.map(({ agent }) => agent.name))],
      };
    },
  }),
  route("GET /api/governance", {
    summary: "Show whether the governance journal verifies, and how to repair it if not",
    roles: READ,
    response: z.object({ status: governanceStatus, reason: z.string().optional() }),
    answer: async (_input, _caller, { contracts }) => {
      const journal = await governanceHealth(contracts);
      return { status: journal.ok ? "ok" : "damaged", reason: journal.ok ? undefined : journal.reason } as const;
    },
  }),
  route("GET /api/openapi.json", {
    summary: "Show this description",
    roles: "public",
    response: z.looseObject({ openapi: z.string(), paths: z.record(z.string(), z.looseObject({})) }),
    answer: async (_input, _caller, { routes, version }) =>
      openApi(routes, version, JSON.parse(await readFile(packageFile("docs/schema/api-types.schema.json"), "utf8"))),
  }),
  route("GET /api/coverage", {
    summary: "Show what is enforced in which runtime, as verified by `npm run compat`",
    roles: READ,
    response: z.object({ generated: z.string(), columns: list(typed("Column")) }),
    answer: async () => JSON.parse(await readFile(packageFile("docs/coverage.json"), "utf8")),
  }),
  route("GET /api/metrics", {
    summary: "Show metrics in the Prometheus format",
    roles: READ,
    response: "text",
    answer: (_input, _caller, { metrics }) => metrics(),
  }),
  route("GET /api/replicas", {
    summary: "List the gateways that share this store, and the conversations that each of them owns",
    roles: READ,
    response: z.object({
      self: z.string().optional(),
      replicas: list(
        z.object({
          ...{ id: z.string(), host: z.string(), pid: z.number(), version, since: z.number() },
          ...{ url: z.string().optional(), draining: z.boolean(), running: z.number(), silentMs: z.number() },
          owns: list(z.string()),
          redis: z.boolean().optional().describe("whether live events reach it over Redis"),
        }),
      ),
    }),
    answer: async (_input, _caller, { cluster }) => ({
      self: cluster?.id,
      replicas: [...((await cluster?.list()) ?? [])],
    }),
  }),
  route("GET /api/switches", {
    summary: "Show whether Conduct is in force on this machine: a pause, runtimes without hooks, and recent alarms",
    roles: READ,
    response: typed("Switches"),
    answer: (_input, _caller, { home, clock, stores }) =>
      readSwitches(home, clock.now(), clock.now() - DAY_MS, stores.governance),
  }),
  // A pause needs proof that a person asked for it. Here, the login is that proof.
  route("POST /api/switches/pause", {
    summary: "Pause enforcement for a while, here and in this account's runtimes; everything is still recorded",
    roles: OPERATOR,
    body: z.object({ time: z.string().max(20) }),
    response: typed("Pause"),
    status: 201,
    answer: async ({ body }, caller, api) => {
      const ms = parseDuration(body.time);
      if (ms === undefined || ms <= 0 || ms > LONGEST_PAUSE_MS) {
        const fix = "Send a time such as 10m or 2h.";
        throw new Problem(400, "BAD_TIME", `'${body.time}' is not valid for a pause, which lasts at most 24h.`, fix);
      }
      const at = api.clock.now();
      const proof = caller.via === "cookie" ? "signed in to the console" : "an operator's token";
      const pause = { at, until: at + ms, by: `user:${caller.user.id}`, proof };
      writePause(api.home, pause);
      api.cluster?.pause(pause);
      await record(api, { at, by: pause.by, kind: "conduct.paused", body: { until: pause.until, proof } });
      return pause;
    },
  }),
  route("DELETE /api/switches/pause", {
    summary: "End a pause, so that everything is enforced again",
    roles: OPERATOR,
    response: z.object({ paused: z.literal(false) }),
    answer: async (_input, { user }, api) => {
      const now = api.clock.now();
      const before = readPause(api.home, now);
      endPause(api.home);
      api.cluster?.pause(null);
      if (before !== undefined)
        await record(api, {
          at: now,
          by: `user:${user.id}`,
          kind: "conduct.resumed",
          body: { until: before.until },
        });
      return { paused: false } as const;
    },
  }),
];

function statusOf(checks: readonly NamedHealth[]): "ok" | "degraded" {
  return checks.every(({ kind }) => kind === "ok") ? "ok" : "degraded";
}

async function record({ stores, report }: ApiContext, draft: GovernanceDraft): Promise<void> {
  const open = async () => ({ journal: stores.governance, close: async () => undefined });
  const lost = await journalDraft({ open }, draft);
  if (lost !== undefined) report(`${draft.kind} is not in the journal: ${lost}`);
}
