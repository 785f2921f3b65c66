import type { EventJournal } from "../../../base/ports/stores/event-journal.ts";
import type { GovernanceJournal } from "../../../base/ports/stores/governance.ts";
import type { ConductEvent } from "../../../base/words/event.ts";
import type { ToolResult } from "../../../base/words/result.ts";
import type { Rule } from "../../../base/words/rule.ts";
import { EvidenceChecker } from "../../../behavior/completion/completion-checkers.ts";
import { RulesPolicy } from "../../../behavior/policy/rules/rules-policy.ts";
import { characterCounter } from "../../../behavior/results/token-counter.ts";
import { memoryStores } from "../../../edge/stores/home-stores.ts";
import type { AgentInput } from "../../../engine/agent/define-agent.ts";
import { ContractService } from "../../../engine/governance/contract-service.ts";
import { redactWith } from "../../../engine/journal/redact-event.ts";
import type { Session } from "../../../engine/session/session.ts";
import { testConduct } from "../../../engine/session/test/test-conduct.ts";
import { reviewSteps } from "./review-steps.ts";
import { directly, type ReviewRecord, type ReviewWorld, runReview } from "./steps.ts";

export const DAY = 86_400_000;
/** A Monday. */
const START = Date.UTC(2026, 10, 2, 9);

const RULES: readonly Rule[] = [
  {
    id: "deploy-needs-test",
    on: ["deploy"],
    effect: "deny",
    require: { kind: "call", call: "test", same: [], fresh: false, counts: "succeeded" },
  },
  { id: "ask-to-mail", on: ["mail"], effect: "ask", say: "Send this mail?" },
];

/** `deploy` needs `test`, `mail` asks a person, and no stop without `lint`. */
export const AGENT: Partial<AgentInput> = {
  policies: [new RulesPolicy({ rules: RULES, actions: {} })],
  completion: new EvidenceChecker({ actions: ["lint"] }),
};

/** The real engine with a journal, a contract and the review of both, on a test clock. */
export function testReview(
  more: Partial<ReviewWorld> = {},
  stores: { readonly events: EventJournal; readonly governance: GovernanceJournal } = {
    events: memoryStores().events,
    governance: memoryStores().governance,
  },
  agent: Partial<AgentInput> = AGENT,
) {
  const { events, governance } = stores;
  const world = testConduct(agent, { governance });
  world.time.now = START;
  const clock = { now: () => world.time.now, monotonic: () => world.time.monotonic };
  let made = 0;
  const ids = { next: (prefix: string) => `${prefix}_${(++made).toString(36)}` };
  const contracts = new ContractService({ journal: governance, clock, ids, counter: async () => characterCounter });
  const waiting: ConductEvent[] = [];
  world.conduct.subscribe((event) => waiting.push(event));
  const redact = redactWith(new Uint8Array(32));
  const delivered: ReviewRecord[] = [];
  const review: ReviewWorld = {
    ...{ events, governance, contracts, clock },
    measure: async () => [],
    deliver: async (record) => void delivered.push(record),
    ...more,
  };
  const steps = reviewSteps(review);
  return {
    ...world,
    ...{ events, governance, contracts, delivered, steps, review },
    /** Saves the events since the last call. */
    async keep() {
      await events.append(waiting.splice(0).map(redact));
    },
    async run() {
      await this.keep();
      return runReview(steps, world.time.now, directly);
    },
    async candidates() {
      return [...(await contracts.state()).candidates].map(([, candidate]) => candidate);
    },
  };
}

let calls = 0;

export async function play(
  session: Session,
  tool: string,
  args: { readonly [name: string]: string } = {},
  result: ToolResult = { outcome: "ok", parts: [{ kind: "text", text: "fine" }] },
) {
  calls += 1;
  const call = { id: `call${calls}`, tool, args };
  const decision = await session.onCall(call);
  if (decision.kind === "allow") await session.onResult(call, result);
  return decision;
}
