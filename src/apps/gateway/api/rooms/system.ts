import { readFile } from "node:fs/promises";
import { z } from "zod";
import type { GovernanceHealth } from "../../../../engine/governance/governance-health.ts";
import { openApi } from "../openapi.ts";
import type { RouteHandlers, RouteTable } from "../route.ts";
import { anything } from "../shapes.ts";

const COVERAGE = new URL("../../../../../docs/coverage.json", import.meta.url);

export const systemRoutes = {
  "GET /api/health": {
    summary: "Whether the gateway and its store can be used",
    tag: "system",
    roles: "public",
    response: z.object({
      status: z.enum(["ok", "degraded"]),
      version: z.string(),
      store: z.enum(["ok", "down"]),
      governance: z.enum(["ok", "damaged"]),
    }),
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
  readonly storeWorks: () => Promise<boolean>;
  readonly governance: () => Promise<GovernanceHealth>;
  readonly metrics: () => string;
};

export function systemHandlers({
  version,
  routes,
  storeWorks,
  governance,
  metrics,
}: SystemRoomOptions): RouteHandlers<typeof systemRoutes> {
  return {
    async "GET /api/health"() {
      const [works, journal] = await Promise.all([storeWorks(), governance()]);
      const status = works && journal.ok ? "ok" : "degraded";
      return { status, version, store: works ? "ok" : "down", governance: journal.ok ? "ok" : "damaged" };
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
