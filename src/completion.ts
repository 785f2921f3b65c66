/**
 * Completion checkers: decide whether the work is done before the agent stops.
 * @module completion
 */

export type { CompletionChecker, CompletionContext, CompletionResult } from "./base/words/hosting/completion.ts";
export {
  CommandChecker,
  CompositeChecker,
  EvidenceChecker,
  FileOutputChecker,
} from "./behavior/completion/completion-checkers.ts";
export type { StopDecision } from "./behavior/completion/decide-stop.ts";
export { incomplete, ok } from "./behavior/completion/decide-stop.ts";
