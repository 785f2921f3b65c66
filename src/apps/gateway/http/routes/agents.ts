import { z } from "zod";
import type { JsonObject } from "../../../../base/words/json.ts";
import { diffLines } from "../../../shared/diff-lines.ts";
import { type Agents, isLegacy } from "../../agents/agents.ts";
import type { ApiContext } from "../api-context.ts";
import { found, Problem } from "../problem.ts";
import { route } from "../route.ts";
import { ALL, integer, list, OPERATOR, typed } from "../schemas.ts";

export const reason = z.string().trim().min(1, { error: "give a short reason" }).max(500);
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
export const written = version.extend({ note: z.string().optional() });
const line = z.object({ kind: z.enum(["same", "gone", "new"]), text: z.string() });

export const agentRoutes = [
  route("GET /api/agents", {
    summary: "List the agents",
    roles: ALL,
    response: z.object({ agents: list(shown) }),
    answer: async (_input, _caller, api) => ({
      agents: await Promise.all(api.agents.all.map(({ agent }) => show(agent.name, api))),
    }),
  }),
  route("GET /api/agents/{name}", {
    summary: "Show an agent as it is in force; operators also get its whole definition",
    roles: ALL,
    response: shown.extend({ definition: typed("JsonObject").optional(), soul: z.string().optional() }),
    answer: async ({ params }, { user }, api) => {
      const { agent, definition } = find(params.name, api);
      const shown = await show(params.name, api);
      return user.role === "operator" ? { ...shown, definition, soul: agent.soul } : shown;
    },
  }),
  route("PUT /api/agents/{name}", {
    summary: "Write a definition, in force from the next turn of every session; `after` is the version it changes",
    roles: OPERATOR,
    body: z.object({ definition, after: after.min(0), reason }),
    response: written,
    answer: ({ params, body }, { user }, api) =>
      putAgent(api, params.name, body.after, body.definition, user.id, body.reason),
  }),
  route("GET /api/agents/{name}/versions", {
    summary: "List all versions, newest first",
    roles: OPERATOR,
    response: z.object({ versions: list(version) }),
    answer: async ({ params }, _caller, api) => {
      find(params.name, api);
      return { versions: await api.agents.versions(params.name) };
    },
  }),
  route("GET /api/agents/{name}/diff", {
    summary: "Compare two versions",
    roles: OPERATOR,
    query: z.object({ from: integer(1), to: integer(1) }),
    response: z.object({ from: version, to: version, lines: list(line) }),
    answer: async ({ params: { name }, query }, _caller, { agents }) => {
      const [from, to] = await Promise.all([versionOf(agents, name, query.from), versionOf(agents, name, query.to)]);
      const text = ({ definition }: { readonly definition: JsonObject }) => JSON.stringify(definition, null, 2);
      return { from, to, lines: diffLines(text(from), text(to)) };
    },
  }),
  route("POST /api/agents/{name}/rollback", {
    summary: "Write an earlier version again, as a new one",
    roles: OPERATOR,
    body: z.object({ to: z.number().int().min(1), after: after.min(1), reason }),
    response: written,
    answer: async ({ params: { name }, body }, { user }, api) => {
      const { definition } = await versionOf(api.agents, name, body.to);
      return putAgent(api, name, body.after, definition, user.id, `${body.reason} (version ${body.to} again)`);
    },
  }),
];

function find(name: string, { agents }: ApiContext) {
  return found(agents.find(name), `agent '${name}'`);
}

async function show(name: string, api: ApiContext) {
  const { agent, version: stored } = find(name, api);
  return {
    name,
    version: stored?.version ?? 0,
    model: await api.models.nameOf(agent),
    tools: agent.tools.map((tool) => tool.name),
    identity: agent.identity,
  };
}

async function versionOf(agents: Agents, name: string, at: number) {
  return found(await agents.version(name, at), `version ${at} of agent '${name}'`);
}

export async function putAgent(
  api: ApiContext,
  name: string,
  base: number,
  definition: JsonObject,
  by: string,
  why: string,
) {
  const { agents, cluster } = api;
  const done = await agents.put(name, base, definition, by, why);
  if (done.kind === "faults") {
    const { faults } = done;
    throw new Problem(422, "AGENT_INVALID", `The definition has ${faults.length} fault(s).`, undefined, { faults });
  }
  if (done.kind === "moved") {
    const { newest } = done;
    const fix = "Review that version, and send your change with `after` set to it.";
    throw new Problem(409, "MOVED", `Version ${newest} is the newest now, not ${base}.`, fix, { newest });
  }
  cluster?.changeAgent(name);
  const note = isLegacy(definition) ? "'system_prompt' is an older name for 'soul', and was read as that." : undefined;
  return { ...done.version, note };
}
