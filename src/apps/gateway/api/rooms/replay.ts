import { z } from "zod";
import { parseDuration } from "../../../../base/kernel/duration.ts";
import type { Clock } from "../../../../base/ports/clock.ts";
import type { EventJournal } from "../../../../base/ports/stores/event-journal.ts";
import type { ContractEvent } from "../../../../base/words/contract.ts";
import type { Agent } from "../../../../base/words/hosting/agent.ts";
import type { RuleSet } from "../../../../base/words/rule.ts";
import { parseRules } from "../../../../engine/agent/rules/parse-rules.ts";
import type { ContractService } from "../../../../engine/governance/contract-service.ts";
import { replayContract } from "../../../learning/replay/replay-contract.ts";
import { replaySessions } from "../../../learning/replay/replay-sessions.ts";
import type { ReplayRun, ReplayRuns } from "../../review/replay-runs.ts";
import { Problem, type RouteHandlers, type RouteTable } from "../route.ts";
import { anything } from "../shapes.ts";
import { reliableState } from "./reliable-state.ts";

const WEEK = "7d";

/** How far it is; `of` is 0 until it is known. `report` when it is done, `code`, `detail` and `fix` when it failed. */
const run = z.object({
  id: z.string(),
  kind: z.enum(["rules", "contract"]),
  since: z.string(),
  by: z.string(),
  state: z.enum(["running", "done", "failed", "called-off"]),
  done: z.number(),
  of: z.number(),
  report: anything.optional(),
  code: z.string().optional(),
  detail: z.string().optional(),
  fix: z.string().optional(),
});

export const replayRoutes = {
  "POST /api/replay": {
    summary:
      "Begin to replay recorded sessions against other rules (decisions that would change, with the cause) or another contract (turns that would be told otherwise). Nothing is written. One at a time; how far it is comes by its stream",
    tag: "replay",
    roles: ["operator"],
    body: z.object({
      /** YAML, as in a rule file: in place of the agents' own rules, or beside them with `add`. */
      rules: z.string().max(200_000).optional(),
      add: z.boolean().default(false),
      /** The rules are for this agent; the others keep theirs. */
      for: z.string().max(200).optional(),
      contract: z.number().int().min(0).optional(),
      /** `24h`, `7d`, or a time. */
      since: z.string().max(40).default(WEEK),
      /** Sessions of this agent only. */
      agent: z.string().max(200).optional(),
      session: z.string().max(300).optional(),
    }),
    status: 202,
    response: run,
  },
  "GET /api/replay/{id}": {
    summary: "How far a replay is, and its report when it is done; the last few are kept",
    tag: "replay",
    roles: ["operator"],
    response: run,
  },
  "GET /api/replay/{id}/stream": {
    summary: "Live: progress with done and of; then end with all of it, and the stream ends",
    tag: "replay",
    roles: ["operator"],
    response: "events",
  },
  "DELETE /api/replay/{id}": {
    summary: "Call a replay off",
    tag: "replay",
    roles: ["operator"],
    response: z.object({ calledOff: z.literal(true) }),
  },
} satisfies RouteTable;

export type ReplayDesk = {
  readonly journal: EventJournal;
  readonly contracts: ContractService;
  /** As they are defined now. */
  readonly agents: () => readonly Agent[];
  readonly clock: Clock;
  readonly runs: ReplayRuns;
};

export function replayHandlers(desk: ReplayDesk): RouteHandlers<typeof replayRoutes> {
  const { journal, contracts, agents, clock, runs } = desk;
  return {
    async "POST /api/replay"({ body }, { user }) {
      const { rules, add, contract, agent, session } = body;
      const since = sinceOf(body.since, clock.now());
      const query = {
        ...(session === undefined ? { since } : { sessions: [session] }),
        ...(agent === undefined ? {} : { agent }),
      };
      const asked = { since: new Date(since).toISOString(), by: user.name };
      if ((rules === undefined) === (contract === undefined)) {
        const fix = "Give `rules` or `contract`.";
        throw new Problem(400, "BAD_REQUEST", "A replay is against rules or against a contract.", { fix });
      }
      if (contract !== undefined) {
        const history = await wholeHistory(contracts);
        return runs.start({ ...asked, kind: "contract" }, (signal, onProgress) =>
          replayContract(journal, { ...query, version: contract, history, signal, onProgress }),
        );
      }
      const defined = agents();
      const whose = await agentOf(body.for, defined, journal);
      const change = { how: add ? "add" : "replace", ruleSet: rulesOf(rules ?? ""), ...whose } as const;
      const standing = [...(await reliableState(contracts)).rules].map(([, rule]) => rule);
      return runs.start({ ...asked, kind: "rules" }, (signal, onProgress) =>
        replaySessions(journal, { ...query, agents: defined, change, standing, signal, onProgress }),
      );
    },
    "GET /api/replay/{id}": ({ params }) => shown(runs.find(params.id)),
    "GET /api/replay/{id}/stream"({ params }) {
      runs.find(params.id);
      return {
        follow: (send, end) =>
          runs.follow(params.id, (one) => {
            const { id, done, of } = one;
            if (one.state === "running") return send({ name: "progress", data: { id, done, of } });
            send({ name: "end", data: shown(one) });
            end();
          }),
      };
    },
    "DELETE /api/replay/{id}"({ params }) {
      runs.callOff(params.id);
      return { calledOff: true };
    },
  };
}

function shown(run: ReplayRun) {
  return run.state === "done" ? { ...run, report: { ...run.report } } : run;
}

function rulesOf(text: string): RuleSet {
  const parsed = parseRules(text, "rules.yaml");
  if (!("faults" in parsed)) return parsed.ruleSet;
  const { faults } = parsed;
  throw new Problem(422, "RULES_INVALID", "The rules have faults.", {
    fix: "Correct these lines.",
    detail: { faults },
  });
}

/** A name that nobody has, here or in the record, is a slip of the pen: it would change nothing. */
async function agentOf(name: string | undefined, defined: readonly Agent[], journal: EventJournal) {
  if (name === undefined) return {};
  if (defined.some((agent) => agent.name === name)) return { agent: name };
  if ((await journal.sessions({ agent: name, limit: 1 })).sessions.length > 0) return { agent: name };
  const fix = `There are: ${defined.map((agent) => agent.name).join(", ")}.`;
  throw new Problem(422, "UNKNOWN_AGENT", `There is no agent '${name.slice(0, 60)}' for the rules to be for.`, { fix });
}

async function wholeHistory(contracts: ContractService): Promise<readonly ContractEvent[]> {
  return [...(await contracts.events({ limit: Number.POSITIVE_INFINITY }))].reverse();
}

function sinceOf(text: string, now: number): number {
  const ms = parseDuration(text);
  if (ms !== undefined) return now - ms;
  const at = Date.parse(text);
  if (Number.isFinite(at)) return at;
  throw new Problem(400, "INVALID_TIME", `'${text}' is no time.`, {
    fix: "Give 24h, 7d or a time as 2026-11-15T08:00Z.",
  });
}
