import { z } from "zod";
import type { JsonObject } from "../../../../base/words/json.ts";
import { diffLines } from "../../../shared/diff-lines.ts";
import { type Agents, isLegacy } from "../../agents/agents.ts";
import type { GatewayModels } from "../../agents/models.ts";
import { notFound, Problem } from "../problem.ts";
import type { RouteHandlers, RouteTable } from "../route.ts";
import { ALL, integer, list, OPERATOR, typed } from "../schemas.ts";

const reason = z.string().trim().min(1, { error: "say why, in a few words" }).max(500);
/** JSON, because the definition is validated as a whole and all of its faults are reported. */
const definition = z.record(z.string(), z.json()) as z.ZodType<JsonObject, { readonly [key: string]: unknown }>;
const after = z.number().int();
const shown = z.object({
  name: z.string(),
  version: z.number(),
  identity: typed("AgentIdentity").optional(),
  model: z.string(),
  tools: list(z.string()),
});
const version = z.object({
  name: z.string(),
  version: z.number(),
  at: z.number(),
  by: z.string(),
  reason: z.string(),
});
const written = version.extend({ note: z.string().optional() });
const line = z.object({ kind: z.enum(["same", "gone", "new"]), text: z.string() });

export const agentRoutes = {
  "GET /api/agents": {
    summary: "The agents there are",
    tag: "agents",
    roles: ALL,
    response: z.object({ agents: list(shown) }),
  },
  "GET /api/agents/{name}": {
    summary: "One agent as it is in force; its whole definition for operators",
    tag: "agents",
    roles: ALL,
    response: shown.extend({ definition: typed("JsonObject").optional(), soul: z.string().optional() }),
  },
  "PUT /api/agents/{name}": {
    summary: "Write a definition, in force from the next turn of every session; `after` is the version it changes",
    tag: "agents",
    roles: OPERATOR,
    body: z.object({ definition, after: after.min(0), reason }),
    response: written,
  },
  "GET /api/agents/{name}/versions": {
    summary: "Every version, the newest first",
    tag: "agents",
    roles: OPERATOR,
    response: z.object({ versions: list(version) }),
  },
  "GET /api/agents/{name}/diff": {
    summary: "What changed between two versions",
    tag: "agents",
    roles: OPERATOR,
    query: z.object({ from: integer(1), to: integer(1) }),
    response: z.object({ from: version, to: version, lines: list(line) }),
  },
  "POST /api/agents/{name}/rollback": {
    summary: "Write an earlier version again, as a new one",
    tag: "agents",
    roles: OPERATOR,
    body: z.object({ to: z.number().int().min(1), after: after.min(1), reason }),
    response: written,
  },
} satisfies RouteTable;

export function agentHandlers(agents: Agents, models: GatewayModels): RouteHandlers<typeof agentRoutes> {
  const find = (name: string) => {
    const found = agents.find(name);
    if (found === undefined) throw notFound(`agent '${name}'`);
    return found;
  };
  const show = async (name: string) => {
    const { agent, version: stored } = find(name);
    return {
      name,
      version: stored?.version ?? 0,
      model: await models.nameOf(agent),
      tools: agent.tools.map((tool) => tool.name),
      identity: agent.identity,
    };
  };
  const versionOf = async (name: string, at: number) => {
    const found = await agents.version(name, at);
    if (found === undefined) throw notFound(`version ${at} of agent '${name}'`);
    return found;
  };
  const put = async (name: string, base: number, definition: JsonObject, by: string, why: string) => {
    const done = await agents.put(name, base, definition, by, why);
    if (done.kind === "faults")
      throw new Problem(422, "AGENT_INVALID", `The definition has ${done.faults.length} fault(s).`, {
        detail: { faults: done.faults },
      });
    if (done.kind === "moved")
      throw new Problem(409, "MOVED", `Version ${done.newest} is the newest now, not ${base}.`, {
        fix: "Look at what was changed, and write after that version.",
        detail: { newest: done.newest },
      });
    const note = isLegacy(definition) ? "'system_prompt' is an older name: it was taken as the soul." : undefined;
    return { ...done.version, note };
  };

  return {
    "GET /api/agents": async () => ({ agents: await Promise.all(agents.all.map(({ agent }) => show(agent.name))) }),
    async "GET /api/agents/{name}"({ params }, { user }) {
      const { agent, definition } = find(params.name);
      const shown = await show(params.name);
      return user.role === "operator" ? { ...shown, definition, soul: agent.soul } : shown;
    },
    "PUT /api/agents/{name}": ({ params, body }, { user }) =>
      put(params.name, body.after, body.definition, user.id, body.reason),
    async "GET /api/agents/{name}/versions"({ params }) {
      find(params.name);
      return { versions: await agents.versions(params.name) };
    },
    async "GET /api/agents/{name}/diff"({ params, query }) {
      const [from, to] = await Promise.all([versionOf(params.name, query.from), versionOf(params.name, query.to)]);
      const text = ({ definition }: { readonly definition: JsonObject }) => JSON.stringify(definition, null, 2);
      return { from, to, lines: diffLines(text(from), text(to)) };
    },
    async "POST /api/agents/{name}/rollback"({ params, body }, { user }) {
      const { definition } = await versionOf(params.name, body.to);
      return put(params.name, body.after, definition, user.id, `${body.reason} (version ${body.to} again)`);
    },
  };
}
