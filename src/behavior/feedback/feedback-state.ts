import { defineSlice } from "../../base/kernel/define-slice.ts";
import { PersistentMap } from "../../base/kernel/persistent-map.ts";
import type { Feedback, FeedbackProviderConfig } from "../../base/words/feedback.ts";

/** What is remembered of one provider. `lastAt` follows the clock when it goes back; `last.timestamp` does not. */
export type ProviderFeedback = { readonly last: Feedback; readonly lastCallIndex: number; readonly lastAt: number };

/** What is remembered of one agent: counts and the latest feedback, never a history. */
export type AgentFeedback = {
  readonly calls: number;
  readonly last?: Feedback;
  readonly providers: PersistentMap<ProviderFeedback>;
};

/**
 * Grows with the declared agents, providers and files, not with the calls.
 * `firedFiles` belongs to the session, not to an agent: by filename, the providers that were due for it and have not spoken yet.
 */
export type FeedbackState = {
  readonly agents: PersistentMap<AgentFeedback>;
  readonly firedFiles: PersistentMap<readonly string[]>;
};

export const feedbackSlice = defineSlice<FeedbackState>({
  name: "feedback",
  kind: "STATE",
  initial: { agents: PersistentMap.empty(), firedFiles: PersistentMap.empty() },
});

const NOTHING_YET: AgentFeedback = { calls: 0, providers: PersistentMap.empty() };

/** What is remembered of the agent, or a blank page. */
export function agentFeedback(state: FeedbackState, agent: string): AgentFeedback {
  return state.agents.get(agent) ?? NOTHING_YET;
}

/** Once for every call of the agent, denied ones included, before its feedback is collected. */
export function countCall(state: FeedbackState, agent: string): FeedbackState {
  const mine = agentFeedback(state, agent);
  return withAgent(state, agent, { ...mine, calls: mine.calls + 1 });
}

/** Remembers feedback that was delivered: from now on its provider's cadence counts from here. */
export function rememberFeedback(state: FeedbackState, agent: string, feedback: Feedback): FeedbackState {
  const mine = agentFeedback(state, agent);
  const entry = { last: feedback, lastCallIndex: feedback.callIndex, lastAt: feedback.timestamp };
  const providers = mine.providers.set(feedback.providerName, entry);
  return withAgent(state, agent, { ...mine, last: feedback, providers });
}

/** When the clock went back, intervals start again at `now`: a provider is then late by one interval, never silent for good. */
export function followClock(
  state: FeedbackState,
  agent: string,
  configs: readonly FeedbackProviderConfig[],
  now: number,
): FeedbackState {
  const mine = agentFeedback(state, agent);
  let { providers } = mine;
  for (const { provider, trigger } of configs) {
    if (trigger.everyNSeconds === undefined) continue;
    const entry = providers.get(provider.name);
    if (entry !== undefined && entry.lastAt > now) providers = providers.set(provider.name, { ...entry, lastAt: now });
  }
  return providers === mine.providers ? state : withAgent(state, agent, { ...mine, providers });
}

function withAgent(state: FeedbackState, agent: string, mine: AgentFeedback): FeedbackState {
  return { ...state, agents: state.agents.set(agent, mine) };
}
