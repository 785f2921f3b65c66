import { readFile } from "node:fs/promises";
import { z } from "zod";
import { openApi } from "../openapi.ts";
import type { RouteHandlers, RouteTable } from "../route.ts";
import { anything } from "../shapes.ts";

const COVERAGE = new URL("../../../../../docs/coverage.json", import.meta.url);

export const systemRoutes = {
  "GET /api/health": {
    summary: "Whether the gateway and its store can be used",
    tag: "system",
    roles: "public",
    response: z.object({ status: z.enum(["ok", "degraded"]), version: z.string(), store: z.enum(["ok", "down"]) }),
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
  readonly metrics: () => string;
};

export function systemHandlers({
  version,
  routes,
  storeWorks,
  metrics,
}: SystemRoomOptions): RouteHandlers<typeof systemRoutes> {
  return {
    async "GET /api/health"() {
      const works = await storeWorks();
      return { status: works ? "ok" : "degraded", version, store: works ? "ok" : "down" };
    },
    "GET /api/openapi.json": async () => ({ ...openApi(routes(), version) }),
    "GET /api/coverage": async () => JSON.parse(await readFile(COVERAGE, "utf8")),
    "GET /api/metrics": async () => metrics(),
  };
}
