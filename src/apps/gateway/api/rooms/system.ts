import { readFile } from "node:fs/promises";
import { z } from "zod";
import type { GovernanceHealth } from "../../../../engine/governance/governance-health.ts";
import type { NamedHealth } from "../../health/health.ts";
import { json } from "../idempotency.ts";
import { openApi } from "../openapi.ts";
import type { RouteHandlers, RouteTable } from "../route.ts";
import { anything } from "../shapes.ts";

const COVERAGE = new URL("../../../../../docs/coverage.json", import.meta.url);

const status = z.enum(["ok", "degraded"]);
const ready = z.object({
  status,
  version: z.string(),
  checks: z.array(z.object({ name: z.string(), status, code: z.string().optional(), message: z.string().optional() })),
});

export const systemRoutes = {
  "GET /api/health": {
    summary: "Status as text, always 200; use /api/health/ready for load balancers",
    tag: "system",
    roles: "public",
    probe: true,
    response: z.object({
      status,
      version: z.string(),
      store: z.enum(["ok", "down"]),
      governance: z.enum(["ok", "damaged"]),
    }),
  },
  "GET /api/health/live": {
    summary: "200 while the process answers, whatever the store does",
    tag: "system",
    roles: "public",
    probe: true,
    response: z.object({ status: z.literal("ok"), version: z.string() }),
  },
  "GET /api/health/ready": {
    summary: "200 when people can be served, else 503 with the reasons; answers within 2 seconds",
    tag: "system",
    roles: "public",
    probe: true,
    response: ready,
  },
  "GET /api/governance": {
    summary: "Whether the governance journal can be relied on, and what an operator has to do if not",
    tag: "system",
    roles: ["operator", "viewer"],
    response: z.object({ status: z.enum(["ok", "damaged"]), reason: z.string().optional() }),
  },
  "GET /api/openapi.json": { summary: "This description", tag: "system", roles: "public", response: anything },
  "GET /api/coverage": {
    summary: "What is enforced in which runtime, as `npm run compat` has shown it",
    tag: "system",
    roles: ["operator", "viewer"],
    response: anything,
  },
  "GET /api/metrics": {
    summary: "Figures for Prometheus",
    tag: "system",
    roles: ["operator", "viewer"],
    response: "text",
  },
} satisfies RouteTable;

export type SystemRoomOptions = {
  readonly version: string;
  /** All of them, these included. */
  readonly routes: () => RouteTable;
  readonly health: () => Promise<readonly NamedHealth[]>;
  readonly governance: () => Promise<GovernanceHealth>;
  readonly metrics: () => string;
};

export function systemHandlers({
  version,
  routes,
  health,
  governance,
  metrics,
}: SystemRoomOptions): RouteHandlers<typeof systemRoutes> {
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
      const answer = {
        status: statusOf(checks),
        version,
        checks: checks.map(({ kind, ...check }) => ({ ...check, status: kind })),
      };
      return json(answer.status === "ok" ? 200 : 503, JSON.stringify(ready.parse(answer))) as never;
    },
    async "GET /api/governance"() {
      const journal = await governance();
      return journal.ok ? { status: "ok" } : { status: "damaged", reason: journal.reason };
    },
    "GET /api/openapi.json": async () => ({ ...openApi(routes(), version) }),
    "GET /api/coverage": async () => JSON.parse(await readFile(COVERAGE, "utf8")),
    "GET /api/metrics": async () => metrics(),
  };
}

function statusOf(checks: readonly NamedHealth[]): "ok" | "degraded" {
  return checks.every(({ kind }) => kind === "ok") ? "ok" : "degraded";
}
