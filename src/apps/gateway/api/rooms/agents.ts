import { z } from "zod";
import type { JsonObject } from "../../../../base/words/json.ts";
import { type Agents, isLegacy } from "../../agents/agents.ts";
import type { GatewayModels } from "../../agents/models.ts";
import { diffLines } from "../diff-lines.ts";
import { notFound, Problem, type RouteHandlers, type RouteTable } from "../route.ts";
import { anything } from "../shapes.ts";

const OPERATOR = ["operator"] as const;
const ALL = ["operator", "user", "viewer"] as const;
const reason = z.string().trim().min(1, { error: "say why, in a few words" }).max(500);

const shown = z.object({
  name: z.string(),
  version: z.number(),
  identity: anything.optional(),
  model: z.string(),
  tools: z.array(z.string()),
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
    response: z.object({ agents: z.array(shown) }),
  },
  "GET /api/agents/{name}": {
    summary: "One agent as it is in force; its whole definition for operators",
    tag: "agents",
    roles: ALL,
    response: shown.extend({ definition: anything.optional(), soul: z.string().optional() }),
  },
  "PUT /api/agents/{name}": {
    summary: "Write a definition, in force from the next turn of every session; `after` is the version it changes",
    tag: "agents",
    roles: OPERATOR,
    body: z.object({ definition: anything, after: z.number().int().min(0), reason }),
    response: written,
  },
  "GET /api/agents/{name}/versions": {
    summary: "Every version, the newest first",
    tag: "agents",
    roles: OPERATOR,
    response: z.object({ versions: z.array(version) }),
  },
  "GET /api/agents/{name}/diff": {
    summary: "What changed between two versions",
    tag: "agents",
    roles: OPERATOR,
    query: z.object({ from: z.coerce.number().int().min(1), to: z.coerce.number().int().min(1) }),
    response: z.object({ from: version, to: version, lines: z.array(line) }),
  },
  "POST /api/agents/{name}/rollback": {
    summary: "Write an earlier version again, as a new one",
    tag: "agents",
    roles: OPERATOR,
    body: z.object({ to: z.number().int().min(1), after: z.number().int().min(1), reason }),
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
    const { agent, version: kept } = find(name);
    return {
      name,
      version: kept?.version ?? 0,
      model: await models.nameOf(agent),
      tools: agent.tools.map((tool) => tool.name),
      ...(agent.identity === undefined ? {} : { identity: { ...agent.identity } }),
    };
  };
  const versionOf = async (name: string, at: number) => {
    const found = await agents.version(name, at);
    if (found === undefined) throw notFound(`version ${at} of agent '${name}'`);
    return found;
  };
  const put = async (name: string, after: number, definition: JsonObject, by: string, why: string) => {
    const done = await agents.put(name, after, definition, by, why);
    if (done.kind === "faults")
      throw new Problem(422, "AGENT_INVALID", `The definition has ${done.faults.length} fault(s).`, {
        detail: { faults: done.faults },
      });
    if (done.kind === "moved")
      throw new Problem(409, "MOVED", `Version ${done.newest} is the newest now, not ${after}.`, {
        fix: "Look at what was changed, and write after that version.",
        detail: { newest: done.newest },
      });
    const legacy = isLegacy(definition) ? { note: "'system_prompt' is an older name: it was taken as the soul." } : {};
    return { ...done.version, ...legacy };
  };

  return {
    "GET /api/agents": async () => ({ agents: await Promise.all(agents.all.map(({ agent }) => show(agent.name))) }),
    async "GET /api/agents/{name}"({ params }, caller) {
      const { agent, definition } = find(params.name);
      const whole =
        caller.user.role === "operator"
          ? { definition, ...(agent.soul === undefined ? {} : { soul: agent.soul }) }
          : {};
      return { ...(await show(params.name)), ...whole };
    },
    "PUT /api/agents/{name}": async ({ params, body }, { user }) =>
      put(params.name, body.after, body.definition as JsonObject, user.id, body.reason),
    async "GET /api/agents/{name}/versions"({ params }) {
      find(params.name);
      return { versions: [...(await agents.versions(params.name))] };
    },
    async "GET /api/agents/{name}/diff"({ params, query }) {
      const [from, to] = await Promise.all([versionOf(params.name, query.from), versionOf(params.name, query.to)]);
      const text = ({ definition }: { readonly definition: JsonObject }) => JSON.stringify(definition, null, 2);
      return { from, to, lines: [...diffLines(text(from), text(to))] };
    },
    async "POST /api/agents/{name}/rollback"({ params, body }, { user }) {
      const { definition } = await versionOf(params.name, body.to);
      return put(params.name, body.after, definition, user.id, `${body.reason} (version ${body.to} again)`);
    },
  };
}
