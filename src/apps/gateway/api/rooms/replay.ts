import { z } from "zod";
import { parseDuration } from "../../../../base/kernel/duration.ts";
import type { Clock } from "../../../../base/ports/clock.ts";
import type { EventJournal } from "../../../../base/ports/event-journal.ts";
import type { Agent } from "../../../../base/words/agent.ts";
import type { ContractEvent } from "../../../../base/words/contract.ts";
import { parseRules } from "../../../../engine/agent/rules/parse-rules.ts";
import type { ContractService } from "../../../../engine/governance/contract-service.ts";
import { replayContract } from "../../../learning/replay/replay-contract.ts";
import { replaySessions } from "../../../learning/replay/replay-sessions.ts";
import { Problem, type RouteHandlers, type RouteTable } from "../route.ts";
import { anything } from "../shapes.ts";

/** Longer than this nobody waits for an answer. */
const LIMIT_MS = 120_000;
const WEEK = "7d";

export const replayRoutes = {
  "POST /api/replay": {
    summary:
      "Recorded sessions against other rules (decisions that would change, with the cause) or another contract (turns that would be told otherwise). Nothing is written. One at a time",
    tag: "replay",
    roles: ["operator"],
    body: z.object({
      /** YAML, as in a rule file: in place of the agents' own rules, or beside them with `add`. */
      rules: z.string().max(200_000).optional(),
      add: z.boolean().default(false),
      contract: z.number().int().min(0).optional(),
      /** `24h`, `7d`, or a time. */
      since: z.string().max(40).default(WEEK),
      agent: z.string().max(200).optional(),
      session: z.string().max(300).optional(),
    }),
    response: z.object({ kind: z.enum(["rules", "contract"]), since: z.string(), report: anything }),
  },
} satisfies RouteTable;

export type ReplayDesk = {
  readonly journal: EventJournal;
  readonly contracts: ContractService;
  /** As they are defined now. */
  readonly agents: () => readonly Agent[];
  readonly clock: Clock;
};

export function replayHandlers({ journal, contracts, agents, clock }: ReplayDesk): RouteHandlers<typeof replayRoutes> {
  let running = false;

  async function alone<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (running) {
      throw new Problem(409, "REPLAY_RUNNING", "Another replay is under way.", { fix: "Wait until it is over." });
    }
    running = true;
    try {
      return await work(AbortSignal.timeout(LIMIT_MS));
    } catch (error) {
      if (!(error instanceof DOMException) || error.name !== "TimeoutError") throw error;
      const fix = "Choose a shorter time or one agent, or use conduct replay, which has all cores.";
      throw new Problem(503, "REPLAY_TOO_LONG", `It took longer than ${LIMIT_MS / 1_000} seconds.`, { fix });
    } finally {
      running = false;
    }
  }

  return {
    async "POST /api/replay"({ body }) {
      const { rules, add, contract, agent, session } = body;
      const since = sinceOf(body.since, clock.now());
      const query = {
        ...(session === undefined ? { since } : { sessions: [session] }),
        ...(agent === undefined ? {} : { agent }),
      };
      const told = { since: new Date(since).toISOString() };
      if ((rules === undefined) === (contract === undefined)) {
        const fix = "Give `rules` or `contract`.";
        throw new Problem(400, "BAD_REQUEST", "A replay is against rules or against a contract.", { fix });
      }
      if (contract !== undefined) {
        const history = await wholeHistory(contracts);
        const report = await alone((signal) =>
          replayContract(journal, { ...query, version: contract, history, signal }),
        );
        return { kind: "contract", ...told, report: { ...report } };
      }
      const parsed = parseRules(rules ?? "", "rules.yaml");
      if ("faults" in parsed) {
        const { faults } = parsed;
        const fix = "Correct these lines.";
        throw new Problem(422, "RULES_INVALID", "The rules have faults.", { fix, detail: { faults } });
      }
      const change = { how: add ? "add" : "replace", ruleSet: parsed.ruleSet } as const;
      // A standing rule that is given again is the one that is changed.
      const given = new Set(parsed.ruleSet.rules.map(({ id }) => id));
      const standing = [...(await contracts.state()).rules].map(([, rule]) => rule).filter(({ id }) => !given.has(id));
      const report = await alone((signal) =>
        replaySessions(journal, { ...query, agents: agents(), change, standing, signal }),
      );
      return { kind: "rules", ...told, report: { ...report } };
    },
  };
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
