/** Conduct: what an agent is told, what it may do, how it is guided, when it is done. */

// Words and ports
export type { ApprovalAnswer, ApprovalQuestion, Approver } from "./base/ports/approver.ts";
export type { Clock } from "./base/ports/clock.ts";
export type { Commands } from "./base/ports/commands.ts";
export type { Filesystem } from "./base/ports/filesystem.ts";
export type { Ids } from "./base/ports/ids.ts";
export type { Results } from "./base/ports/results.ts";
export type { TokenCounter } from "./base/ports/token-counter.ts";
export type { ActionSpec, Agent, AgentSection, Limits, ToolSpec } from "./base/words/agent.ts";
export type { Budget, Usage } from "./base/words/budget.ts";
export type { CallInput, CallRecord, Outcome, PathAccess, ToolCall } from "./base/words/call.ts";
export type { CompletionChecker, CompletionContext, CompletionResult } from "./base/words/completion.ts";
export type { Advice, Decision, Denial, DenyCode, Missing } from "./base/words/decision.ts";
export type { ConductEvent, Fault, Moment, Notice } from "./base/words/event.ts";
export type { Facts, PathFact } from "./base/words/facts.ts";
export type {
  Feedback,
  FeedbackContext,
  FeedbackDraft,
  FeedbackProvider,
  FeedbackProviderConfig,
  FeedbackTrigger,
  FileCreatedTrigger,
  Observation,
} from "./base/words/feedback.ts";
export type { Json, JsonObject } from "./base/words/json.ts";
export type { Modes, Permissions } from "./base/words/modes.ts";
export type { PolicyContext, PolicyDecision, RuleFinding, ToolPolicy } from "./base/words/policy.ts";
export type { Part, Requirement, ToolResult, Truncation } from "./base/words/result.ts";
export type { CallLeaf, Condition, Effect, Rule, RuleSet } from "./base/words/rule.ts";
export type { Evidence, SessionView } from "./base/words/session-view.ts";
export type { State } from "./base/words/slice.ts";
// Completion
export { CommandChecker } from "./behavior/completion/command-checker.ts";
export { incomplete, ok } from "./behavior/completion/completion-result.ts";
export { CompositeChecker } from "./behavior/completion/composite-checker.ts";
export type { StopDecision } from "./behavior/completion/decide-stop.ts";
export { EvidenceChecker } from "./behavior/completion/evidence-checker.ts";
export { FileOutputChecker } from "./behavior/completion/file-output-checker.ts";
// Feedback
export { collectFeedback } from "./behavior/feedback/collect-feedback.ts";
export { DeadlineFeedback } from "./behavior/feedback/deadline-feedback.ts";
export { renderFeedback } from "./behavior/feedback/render-feedback.ts";
export { RepeatedFailureFeedback } from "./behavior/feedback/repeated-failure-feedback.ts";
export { StaticFeedbackProvider } from "./behavior/feedback/static-feedback-provider.ts";
export { TokenBudgetFeedback } from "./behavior/feedback/token-budget-feedback.ts";
// Policies
export { allow, ask, deny } from "./behavior/policy/policy-decision.ts";
export { ReadBeforeWritePolicy } from "./behavior/policy/read-before-write-policy.ts";
export { renderDenial, renderQuestion } from "./behavior/policy/render-denial.ts";
export { renderPrerequisites } from "./behavior/policy/render-prerequisites.ts";
export { RulesPolicy } from "./behavior/policy/rules/rules-policy.ts";
export { SequentialDependencyPolicy } from "./behavior/policy/sequential-dependency-policy.ts";
// Results
export { loadTokenizer } from "./behavior/results/tokens.ts";
export { ToolResultTruncator } from "./behavior/results/truncator.ts";
// Sessions
export { parseSnapshot, type Snapshot, serialiseSnapshot } from "./behavior/session/snapshot.ts";
export { type LoadedRules, loadRules } from "./edge/host/load-rules.ts";
// Opening it
export { conductHome, type OpenConductOptions, openConduct } from "./edge/host/open-conduct.ts";
export { type TerminalApproverOptions, terminalApprover } from "./edge/host/terminal-approver.ts";
export { folderResults } from "./edge/stores/results-folder.ts";
export { memoryResults } from "./edge/stores/results-memory.ts";
export { AgentError, type AgentInput, defineAgent } from "./engine/agent/define-agent.ts";
export { parseRules } from "./engine/agent/rules/parse-rules.ts";
export { Conduct, type ConductPorts } from "./engine/moments/conduct.ts";
export { type Delivered, Session } from "./engine/moments/session.ts";
export {
  type IncomingMessage,
  SessionError,
  type SessionOptions,
  type StopRequest,
} from "./engine/moments/session-options.ts";
export type { ConductTool } from "./engine/tools/conduct-tool.ts";
