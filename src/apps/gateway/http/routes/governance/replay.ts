import { z } from "zod";
import { parseDuration } from "../../../../../base/kernel/duration.ts";
import type { EventJournal } from "../../../../../base/ports/stores/event-journal.ts";
import type { Agent } from "../../../../../base/words/hosting/agent.ts";
import type { RuleSet } from "../../../../../base/words/rule.ts";
import { parseRules } from "../../../../../engine/agent/rules/parse-rules.ts";
import { replayContract } from "../../../../learning/replay/replay-contract.ts";
import { type ReplayProgress, replaySessions } from "../../../../learning/replay/replay-sessions.ts";
import { Problem } from "../../problem.ts";
import { events, route } from "../../route.ts";
import { OPERATOR, typed } from "../../schemas.ts";
import { reliableState } from "./contract.ts";
import type { ReplayRun } from "./replay-runs.ts";

const WEEK = "7d";

export const replayRoutes = [
  route("POST /api/replay", {
    summary:
      "Start a replay of recorded sessions against other rules (decisions that would change, with the cause) or another contract (turns whose prompt would change). Writes nothing. One replay runs at a time; its stream reports the progress",
    roles: OPERATOR,
    body: z.object({
      /** YAML of a rule file. It replaces the agents' own rules, or adds to them with `add`. */
      rules: z.string().max(200_000).optional(),
      add: z.boolean().default(false),
      for: z.string().max(200).optional(),
      contract: z.number().int().min(0).optional(),
      /** A duration such as `24h` or `7d`, or a time. */
      since: z.string().max(40).default(WEEK),
      agent: z.string().max(200).optional(),
      session: z.string().max(300).optional(),
    }),
    status: 202,
    response: typed("ReplayRun"),
    answer: async ({ body }, { user }, { stores: { events: journal }, contracts, conduct, clock, replays }) => {
      const { rules, add, contract, agent, session } = body;
      const since = sinceOf(body.since, clock.now());
      const query = session === undefined ? { since, agent } : { sessions: [session], agent };
      const asked = { since: new Date(since).toISOString(), by: user.name };
      if ((rules === undefined) === (contract === undefined))
        throw new Problem(400, "BAD_REQUEST", "A replay needs rules or a contract.", "Send `rules` or `contract`.");
      if (contract !== undefined) {
        const history = (await contracts.events({ limit: Number.POSITIVE_INFINITY })).toReversed();
        return replays.start({ ...asked, kind: "contract" }, async (signal, onProgress) => ({
          kind: "contract",
          report: await replayContract(journal, { ...query, version: contract, history, signal, onProgress }),
        }));
      }
      const { agents } = conduct;
      const of = await agentOf(body.for, agents, journal);
      const change = { how: add ? "add" : "replace", ruleSet: rulesOf(rules ?? ""), agent: of } as const;
      const standing = [...(await reliableState(contracts)).rules].map(([, rule]) => rule);
      return replays.start({ ...asked, kind: "rules" }, async (signal, onProgress) => ({
        kind: "rules",
        report: await replaySessions(journal, { ...query, agents, change, standing, signal, onProgress }),
      }));
    },
  }),
  route("GET /api/replay/{id}", {
    summary: "Show the progress of a replay, and its report once it is done; the last few are available",
    roles: OPERATOR,
    response: typed("ReplayRun"),
    answer: ({ params }, _caller, { replays }) => replays.find(params.id),
  }),
  route("GET /api/replay/{id}/stream", {
    summary: "Stream the progress of a replay, then its result, then end",
    roles: OPERATOR,
    response: events<{ progress: ReplayProgress & { readonly id: string }; end: ReplayRun }>(),
    answer: async ({ params }, _caller, { replays }) => {
      await replays.find(params.id);
      return {
        follow: (send, end) =>
          replays.follow(params.id, (one) => {
            const { id, done, of } = one;
            if (one.state === "running") return send({ name: "progress", data: { id, done, of } });
            send({ name: "end", data: one });
            end();
          }),
      };
    },
  }),
  route("DELETE /api/replay/{id}", {
    summary: "Cancel a replay",
    roles: OPERATOR,
    response: z.object({ calledOff: z.literal(true) }),
    answer: async ({ params }, _caller, { replays }) => {
      await replays.callOff(params.id);
      return { calledOff: true } as const;
    },
  }),
];

function rulesOf(text: string): RuleSet {
  const parsed = parseRules(text, "rules.yaml");
  if (!("faults" in parsed)) return parsed.ruleSet;
  const { faults } = parsed;
  throw new Problem(422, "RULES_INVALID", "The rules have faults.", "Correct these lines.", { faults });
}

/** Rejects a name that no agent has or had. A typo would otherwise match nothing. */
async function agentOf(name: string | undefined, defined: readonly Agent[], journal: EventJournal) {
  if (name === undefined || defined.some((agent) => agent.name === name)) return name;
  if ((await journal.sessions({ agent: name, limit: 1 })).sessions.length > 0) return name;
  const fix = `Use one of: ${defined.map((agent) => agent.name).join(", ")}.`;
  throw new Problem(422, "UNKNOWN_AGENT", `There is no agent '${name.slice(0, 60)}'.`, fix);
}

function sinceOf(text: string, now: number): number {
  const ms = parseDuration(text);
  if (ms !== undefined) return now - ms;
  const at = Date.parse(text);
  if (Number.isFinite(at)) return at;
  const fix = "Use 24h, 7d, or a time such as 2026-11-15T08:00Z.";
  throw new Problem(400, "INVALID_TIME", `'${text}' is not a time.`, fix);
}
