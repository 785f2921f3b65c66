import { defineSlice } from "../../base/kernel/define-slice.ts";
import { PersistentMap } from "../../base/kernel/persistent-map.ts";
import type { Feedback, FeedbackProviderConfig } from "../../base/words/feedback.ts";

/** `lastAt` follows a clock that is set back; `last.timestamp` does not. */
export type ProviderFeedback = { readonly last: Feedback; readonly lastCallIndex: number; readonly lastAt: number };

/** Counts and the latest feedback of one agent. */
export type AgentFeedback = {
  readonly calls: number;
  readonly last?: Feedback;
  readonly providers: PersistentMap<ProviderFeedback>;
};

/** Bounded by the declared agents, providers and files. `firedFiles`: by filename, the due providers that gave no feedback yet. */
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

export function agentFeedback(state: FeedbackState, agent: string): AgentFeedback {
  return state.agents.get(agent) ?? NOTHING_YET;
}

/** Call this for every call, also a denied one, before feedback is collected. */
export function countCall(state: FeedbackState, agent: string): FeedbackState {
  const mine = agentFeedback(state, agent);
  return withAgent(state, agent, { ...mine, calls: mine.calls + 1 });
}

/** Records delivered feedback; the provider's interval starts again. */
export function rememberFeedback(state: FeedbackState, agent: string, feedback: Feedback): FeedbackState {
  const mine = agentFeedback(state, agent);
  const entry = { last: feedback, lastCallIndex: feedback.callIndex, lastAt: feedback.timestamp };
  const providers = mine.providers.set(feedback.providerName, entry);
  return withAgent(state, agent, { ...mine, last: feedback, providers });
}

/** If the clock was set back, intervals start again at `now`, so that no provider stays silent. */
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
