import type { Usage } from "../../base/words/budget.ts";
import type { ConductEvent } from "../../base/words/event.ts";
import { policyStatesSlice } from "../../behavior/policy/policy-state.ts";
import { RulesPolicy } from "../../behavior/policy/rules/rules-policy.ts";
import { LOST_RULES_STATE } from "../../behavior/policy/rules/rules-state.ts";
import { spendingSlice } from "../../behavior/session/budget.ts";
import { type SessionIdentity, turnSlice } from "../../behavior/session/session-identity.ts";
import { Slices } from "../../behavior/session/snapshot/snapshot.ts";
import type { CompiledAgent } from "../agent/compiled-agent.ts";
import { STANDING_POLICY } from "../governance/standing-rules.ts";

/** What the events still show about a session whose state was damaged. */
export type LostState = {
  readonly why: string;
  /** Shown to the person with the next message; absent if the host shows its own note. */
  readonly note?: string;
  readonly turns: number;
  readonly startedAt: number | undefined;
  readonly usage: Usage;
};

/** Rebuilds turns and usage from the session's events. Deleted events are not counted. */
export function lostStateOf(why: string, events: Iterable<ConductEvent>): LostState {
  let turns = 0;
  let startedAt: number | undefined;
  const usage = { inputTokens: 0, outputTokens: 0, calls: 0, cost: 0 };
  for (const event of events) {
    startedAt = Math.min(startedAt ?? event.at, event.at);
    turns = Math.max(turns, event.turn);
    if (event.type === "call" && event.decision.kind === "allow") usage.calls += 1;
    if (event.type !== "notice" || event.notice.kind !== "usage") continue;
    usage.inputTokens += event.notice.inputTokens ?? 0;
    usage.outputTokens += event.notice.outputTokens ?? 0;
    usage.cost += event.notice.cost ?? 0;
  }
  return { why, turns, startedAt, usage };
}

/**
 * The new state after a loss: default modes, no evidence, no approvals, but usage continues. Past calls are unknown,
 * so rules with `atMost`, `not` or `since` treat their limits as used up.
 */
export function slicesAfterLoss({ agent }: CompiledAgent, { turns, usage }: LostState): Slices {
  const policies = [...agent.sections.flatMap((section) => section.policies ?? []), ...agent.policies];
  const names = policies.filter((policy) => policy instanceof RulesPolicy).map(({ name }) => name);
  let states = policyStatesSlice.initial;
  for (const name of [...names, STANDING_POLICY]) states = states.set(name, LOST_RULES_STATE);
  return Slices.empty
    .with(policyStatesSlice, states)
    .with(spendingSlice, { ...spendingSlice.initial, usage })
    .with(turnSlice, { ...turnSlice.initial, number: turns });
}

/** Deadlines count from the original start. The host passes channel and user again. */
export function identityAfterLoss(lost: LostState | undefined): Pick<SessionIdentity, "startedAt"> | undefined {
  return lost?.startedAt === undefined ? undefined : { startedAt: lost.startedAt };
}

/** Shown once to the person who uses the session. */
export const LOST_NOTE =
  "The stored state of this conversation was damaged and has been set aside. It starts again with default modes and without " +
  "earlier evidence or approvals; limits on the number of calls count as used up. If that is a problem, start a new conversation.";
