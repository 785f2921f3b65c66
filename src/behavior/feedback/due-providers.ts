import type { FeedbackProvider, FeedbackProviderConfig, FeedbackTrigger } from "../../base/words/feedback.ts";
import { type AgentFeedback, agentFeedback, type FeedbackState } from "./feedback-state.ts";

/** Which watched files exist, by filename as the trigger names it; one that is not listed does not exist. */
export type FilesSeen = { readonly [filename: string]: boolean | undefined };

/** A provider whose trigger is met. `file` is set when the file condition is among what met it. */
export type DueProvider = { readonly provider: FeedbackProvider; readonly file?: string };

type TriggerInput = {
  readonly configs: readonly FeedbackProviderConfig[];
  readonly state: FeedbackState;
  readonly agent: string;
  readonly now: number;
  readonly files: FilesSeen;
};

/** The providers whose trigger is met now, in declaration order. Constant time for each, whatever happened before. */
export function dueProviders({ configs, state, agent, now, files }: TriggerInput): readonly DueProvider[] {
  const mine = agentFeedback(state, agent);
  const due: DueProvider[] = [];
  for (const { provider, trigger } of configs) {
    const file = trigger.onFileCreated?.filename;
    if (file !== undefined && fileIsDue(state, files, file, provider.name)) due.push({ provider, file });
    else if (cadenceIsDue(trigger, mine, provider.name, now)) due.push({ provider });
  }
  return due;
}

/** The files whose existence `collectFeedback` needs to know: those whose trigger has not fired in this session. */
export function watchedFiles(configs: readonly FeedbackProviderConfig[], state: FeedbackState): readonly string[] {
  const watched = new Set<string>();
  for (const { trigger } of configs) {
    const file = trigger.onFileCreated?.filename;
    if (file !== undefined && !state.firedFiles.has(file)) watched.add(file);
  }
  return [...watched];
}

/**
 * A file fires once a session, for all that were due for it then. It is marked when one of them spoke, never while it is
 * absent; those that were held back stay owed, and it stays unmarked when all of them were.
 */
export function settleFiles(
  state: FeedbackState,
  due: readonly DueProvider[],
  spoke: ReadonlySet<string>,
): FeedbackState {
  let { firedFiles } = state;
  for (const file of new Set(due.map((item) => item.file))) {
    if (file === undefined) continue;
    const names = due.filter((item) => item.file === file).map((item) => item.provider.name);
    if (!names.some((name) => spoke.has(name))) continue;
    const owed = state.firedFiles.get(file) ?? names;
    firedFiles = firedFiles.set(
      file,
      owed.filter((name) => !spoke.has(name)),
    );
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
