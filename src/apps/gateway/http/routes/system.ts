import { readFile } from "node:fs/promises";
import { z } from "zod";
import { parseDuration } from "../../../../base/kernel/duration.ts";
import type { Clock } from "../../../../base/ports/clock.ts";
import type { GovernanceDraft, GovernanceJournal } from "../../../../base/ports/stores/governance.ts";
import { endPause, LONGEST_PAUSE_MS, readPause, writePause } from "../../../../edge/host/daemon/paused.ts";
import { journalDraft } from "../../../../edge/host/opening/open-governance.ts";
import type { GovernanceHealth } from "../../../../engine/governance/governance-health.ts";
import { readSwitches } from "../../../daemon/hook-guard/switches.ts";
import type { NamedHealth } from "../../health/health.ts";
import { openApi } from "../openapi.ts";
import { Problem } from "../problem.ts";
import { type Caller, Reply, type RouteHandlers, type RouteTable } from "../route.ts";
import { list, OPERATOR, READ, typed } from "../schemas.ts";

const DAY_MS = 24 * 3_600_000;
const DOCS = new URL("../../../../../docs/", import.meta.url);

const status = z.enum(["ok", "degraded"]);
const version = z.string();
const governanceStatus = z.enum(["ok", "damaged"]);

export const systemRoutes = {
  "GET /api/health": {
    summary: "Status as text, always 200; use /api/health/ready for load balancers",
    tag: "system",
    roles: "public",
    probe: true,
    response: z.object({ status, version, store: z.enum(["ok", "down"]), governance: governanceStatus }),
  },
  "GET /api/health/live": {
    summary: "200 while the process answers, whatever the store does",
    tag: "system",
    roles: "public",
    probe: true,
    response: z.object({ status: z.literal("ok"), version }),
  },
  "GET /api/health/ready": {
    summary: "200 when people can be served, else 503 with the reasons; answers within 2 seconds",
    tag: "system",
    roles: "public",
    probe: true,
    reply: true,
    response: z.object({
      status,
      version,
      checks: list(z.object({ name: z.string(), status, code: z.string().optional(), message: z.string().optional() })),
    }),
  },
  "GET /api/governance": {
    summary: "Whether the governance journal can be relied on, and what an operator has to do if not",
    tag: "system",
    roles: READ,
    response: z.object({ status: governanceStatus, reason: z.string().optional() }),
  },
  "GET /api/openapi.json": {
    summary: "This description",
    tag: "system",
    roles: "public",
    response: z.looseObject({ openapi: z.string(), paths: z.record(z.string(), z.looseObject({})) }),
  },
  "GET /api/coverage": {
    summary: "What is enforced in which runtime, as `npm run compat` has shown it",
    tag: "system",
    roles: READ,
    response: z.object({ generated: z.string(), columns: list(typed("Column")) }),
  },
  "GET /api/metrics": { summary: "Figures for Prometheus", tag: "system", roles: READ, response: "text" },
} satisfies RouteTable;

export type SystemRoutesOptions = {
  readonly version: string;
  /** All routes, including these. */
  readonly routes: () => RouteTable;
  readonly health: () => Promise<readonly NamedHealth[]>;
  readonly governance: () => Promise<GovernanceHealth>;
  readonly metrics: () => string;
};

export function systemHandlers(options: SystemRoutesOptions): RouteHandlers<typeof systemRoutes> {
  const { version, routes, health, governance, metrics } = options;
  return {
    async "GET /api/health"() {
      const checks = await health();
      const isOk = (wanted: string) => checks.every(({ name, kind }) => name !== wanted || kind === "ok");
      return {
        status: statusOf(checks),
        version,
        store: isOk("store") ? "ok" : "down",
        governance: isOk("governance") ? "ok" : "damaged",
      };
    },
    "GET /api/health/live": () => ({ status: "ok", version }),
    async "GET /api/health/ready"() {
      const checks = await health();
      const status = statusOf(checks);
      const shown = checks.map(({ kind, ...check }) => ({ ...check, status: kind }));
      return new Reply({ status, version, checks: shown }, { status: status === "ok" ? 200 : 503 });
    },
    async "GET /api/governance"() {
      const journal = await governance();
      return journal.ok ? { status: "ok" } : { status: "damaged", reason: journal.reason };
    },
    "GET /api/openapi.json": async () =>
      openApi(routes(), version, JSON.parse(await readFile(new URL("schema/api-types.schema.json", DOCS), "utf8"))),
    "GET /api/coverage": async () => JSON.parse(await readFile(new URL("coverage.json", DOCS), "utf8")),
    "GET /api/metrics": () => metrics(),
  };
}

function statusOf(checks: readonly NamedHealth[]): "ok" | "degraded" {
  return checks.every(({ kind }) => kind === "ok") ? "ok" : "degraded";
}

export const switchRoutes = {
  "GET /api/switches": {
    summary: "Whether Conduct is in force on this machine: a pause, runtimes whose hooks are missing, what was noticed",
    tag: "system",
    roles: READ,
    response: typed("Switches"),
  },
  "POST /api/switches/pause": {
    summary: "Enforce nothing for a while, here and in the runtimes of this account; everything is still recorded",
    tag: "system",
    roles: OPERATOR,
    body: z.object({ time: z.string().max(20) }),
    response: typed("Pause"),
    status: 201,
  },
  "DELETE /api/switches/pause": {
    summary: "End a pause: enforce everything again",
    tag: "system",
    roles: OPERATOR,
    response: z.object({ paused: z.literal(false) }),
  },
} satisfies RouteTable;

export type SwitchRoutesOptions = {
  readonly home: string;
  readonly governance: GovernanceJournal;
  readonly clock: Clock;
  readonly report: (problem: string) => void;
};

/** A pause needs proof that a person asked for it. Here, the login is that proof. */
export function switchHandlers(options: SwitchRoutesOptions): RouteHandlers<typeof switchRoutes> {
  const { home, governance, clock, report } = options;
  const record = async (draft: GovernanceDraft) => {
    const open = async () => ({ journal: governance, close: async () => undefined });
    const lost = await journalDraft({ open }, draft);
    if (lost !== undefined) report(`${draft.kind} is not in the journal: ${lost}`);
  };
  const byOf = ({ user }: Caller) => `user:${user.id}`;
  return {
    "GET /api/switches": () => readSwitches(home, clock.now(), clock.now() - DAY_MS, governance),
    async "POST /api/switches/pause"({ body }, caller) {
      const ms = parseDuration(body.time);
      if (ms === undefined || ms <= 0 || ms > LONGEST_PAUSE_MS) {
        const fix = "Send a time such as 10m or 2h.";
        throw new Problem(400, "BAD_TIME", `'${body.time}' is no time for a pause, which lasts at most 24h.`, { fix });
      }
      const at = clock.now();
      const until = at + ms;
      const by = byOf(caller);
      const proof = caller.via === "cookie" ? "signed in to the console" : "an operator's token";
      writePause(home, { at, until, by, proof });
      await record({ at, by, kind: "conduct.paused", body: { until, proof } });
      return { at, until, by, proof };
    },
    async "DELETE /api/switches/pause"(_input, caller) {
      const before = readPause(home, clock.now());
      endPause(home);
      if (before !== undefined) {
        const body = { until: before.until };
        await record({ at: clock.now(), by: byOf(caller), kind: "conduct.resumed", body });
      }
      return { paused: false };
    },
  };
}
