import { defineSlice } from "../../base/kernel/define-slice.ts";
import { PersistentMap } from "../../base/kernel/persistent-map.ts";
import type { Feedback, FeedbackProvider, FeedbackProviderConfig, FeedbackTrigger } from "../../base/words/feedback.ts";
import type { SessionView } from "../../base/words/session-view.ts";

/** `lastAt` follows a clock that is set back; `last.timestamp` does not. */
type ProviderFeedback = { readonly last: Feedback; readonly lastCallIndex: number; readonly lastAt: number };

/** Counts and the latest feedback of one agent. */
type AgentFeedback = {
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
export function followClock({ state, agent, configs, session: { now } }: CollectInput): FeedbackState {
  const mine = agentFeedback(state, agent);
  let { providers } = mine;
  for (const { provider } of groupsOf(configs).timed) {
    const entry = providers.get(provider.name);
    if (entry !== undefined && entry.lastAt > now) providers = providers.set(provider.name, { ...entry, lastAt: now });
  }
  return providers === mine.providers ? state : withAgent(state, agent, { ...mine, providers });
}

function withAgent(state: FeedbackState, agent: string, mine: AgentFeedback): FeedbackState {
  return { ...state, agents: state.agents.set(agent, mine) };
}

/** Which watched files exist, by the trigger's filename. */
export type FilesSeen = { readonly [filename: string]: boolean | undefined };

/** A triggered provider. `file` is set if a file triggered it. */
type DueProvider = { readonly provider: FeedbackProvider; readonly file?: string };

/** `files`: whether each of `watchedFiles` exists. The call must be counted before. */
export type CollectInput = {
  readonly configs: readonly FeedbackProviderConfig[];
  readonly state: FeedbackState;
  readonly session: SessionView;
  readonly agent: string;
  readonly files: FilesSeen;
};

/** The triggered providers, in declared order. */
export function dueProviders(
  state: FeedbackState,
  { configs, agent, session, files }: Omit<CollectInput, "state">,
): readonly DueProvider[] {
  const mine = agentFeedback(state, agent);
  const due: DueProvider[] = [];
  for (let at = 0; at < configs.length; at++) {
    const { provider, trigger } = configs[at] as FeedbackProviderConfig;
    const file = trigger.onFileCreated?.filename;
    if (file !== undefined && fileIsDue(state, files, file, provider.name)) due.push({ provider, file });
    else if (cadenceIsDue(trigger, mine, provider.name, session.now)) due.push({ provider });
  }
  return due;
}

/** Files to look up for `collectFeedback`: those whose trigger has not fired in this session. */
export function watchedFiles(configs: readonly FeedbackProviderConfig[], state: FeedbackState): readonly string[] {
  const { files } = groupsOf(configs);
  return state.firedFiles.size === 0 ? files : files.filter((file) => !state.firedFiles.has(file));
}

/** The providers with a time, and the files that any of them watches, worked out once for each agent. */
type Groups = { readonly timed: readonly FeedbackProviderConfig[]; readonly files: readonly string[] };
const groups = new WeakMap<readonly FeedbackProviderConfig[], Groups>();

function groupsOf(configs: readonly FeedbackProviderConfig[]): Groups {
  const known = groups.get(configs);
  if (known !== undefined) return known;
  const timed = configs.filter(({ trigger }) => trigger.everyNSeconds !== undefined);
  const files = [...new Set(configs.flatMap(({ trigger }) => trigger.onFileCreated?.filename ?? []))];
  const found = { timed, files };
  groups.set(configs, found);
  return found;
}

/**
 * A file fires once a session, for all providers that are due then. It is marked when one of them gave feedback; the others
 * stay due.
 */
export function settleFiles(
  state: FeedbackState,
  due: readonly DueProvider[],
  spoke: ReadonlySet<string>,
): FeedbackState {
  let { firedFiles } = state;
  if (spoke.size === 0) return state;
  for (const file of new Set(due.map((item) => item.file))) {
    if (file === undefined) continue;
    const names = due.filter((item) => item.file === file).map((item) => item.provider.name);
    if (!names.some((name) => spoke.has(name))) continue;
    const owed = state.firedFiles.get(file) ?? names;
    const left = owed.filter((name) => !spoke.has(name));
    firedFiles = firedFiles.set(file, left);
  }
  return firedFiles === state.firedFiles ? state : { ...state, firedFiles };
}

function fileIsDue(state: FeedbackState, files: FilesSeen, file: string, provider: string): boolean {
  const owed = state.firedFiles.get(file);
  return owed === undefined ? Object.hasOwn(files, file) && files[file] === true : owed.includes(provider);
}

function cadenceIsDue(trigger: FeedbackTrigger, mine: AgentFeedback, provider: string, now: number): boolean {
  const { everyNCalls, everyNSeconds } = trigger;
  if (everyNCalls === undefined && everyNSeconds === undefined) return false;
  const entry = mine.providers.get(provider);
  if (everyNCalls !== undefined && mine.calls - (entry?.lastCallIndex ?? 0) >= everyNCalls) return true;
  return everyNSeconds !== undefined && (entry === undefined || now - entry.lastAt >= everyNSeconds * 1_000);
}

/** All faults of an agent's providers, one sentence each. */
export function feedbackFaults(configs: readonly FeedbackProviderConfig[]): string[] {
  const names = configs.map(({ provider }) => provider.name);
  const twice = new Set(names.filter((name, at) => names.indexOf(name) !== at));
  return [
    ...(names.some((name) => name.trim() === "") ? ["a feedback provider has no name"] : []),
    ...[...twice].map(
      (name) => `feedback provider '${name}' is declared more than once: give each instance its own name`,
    ),
    ...configs.flatMap(({ provider, trigger }) => triggerFaults(provider.name, trigger)),
  ];
}

function triggerFaults(name: string, { everyNCalls, everyNSeconds, onFileCreated }: FeedbackTrigger): string[] {
  const faults: string[] = [];
  if (everyNCalls !== undefined && !(Number.isSafeInteger(everyNCalls) && everyNCalls > 0)) {
    faults.push(`feedback provider '${name}': everyNCalls must be a whole number above 0, not ${everyNCalls}`);
  }
  if (everyNSeconds !== undefined && !(Number.isFinite(everyNSeconds) && everyNSeconds > 0)) {
    faults.push(`feedback provider '${name}': everyNSeconds must be a number above 0, not ${everyNSeconds}`);
  }
  if (onFileCreated !== undefined && (onFileCreated.filename === "" || onFileCreated.filename.includes("\0"))) {
    faults.push(`feedback provider '${name}': onFileCreated needs the name of a file`);
  }
  return faults;
}
