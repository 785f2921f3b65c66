/** Conduct: what an agent is told, what it may do, how it is guided, when it is done. */

export { OptionsError } from "./base/kernel/check-options.ts";
// Words and ports
export type { ApprovalAnswer, ApprovalQuestion, Approver } from "./base/ports/approver.ts";
export type { Clock } from "./base/ports/clock.ts";
export type { Commands } from "./base/ports/commands.ts";
export type { Filesystem } from "./base/ports/filesystem.ts";
export type { Ids } from "./base/ports/ids.ts";
export type { InstructionsStore, InstructionsWrite } from "./base/ports/instructions.ts";
export type { MemoryQuery, MemoryStore } from "./base/ports/memory.ts";
export type { ModelAnswer, ModelQuestion, Models } from "./base/ports/models.ts";
export type { Results } from "./base/ports/results.ts";
export type { TokenCounter } from "./base/ports/token-counter.ts";
export type { WorkspacePrompts } from "./base/ports/workspace-prompts.ts";
export type {
  ActionSpec,
  Agent,
  AgentIdentity,
  AgentSection,
  Limits,
  PromptSettings,
  SessionLabels,
  ToolSpec,
} from "./base/words/agent.ts";
export type { Budget, Usage } from "./base/words/budget.ts";
export type { CallInput, CallRecord, Outcome, PathAccess, ToolCall } from "./base/words/call.ts";
export type { ChannelProfile, Sender } from "./base/words/channel.ts";
export type { SessionClassification, SessionComplexity, SessionTopic } from "./base/words/classification.ts";
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
export type { InstructionItem, Instructions, MemoryNote, UserAgent } from "./base/words/instructions.ts";
export type { Json, JsonObject } from "./base/words/json.ts";
export type { Modes, Permissions } from "./base/words/modes.ts";
export type { ConductPlugin, PluginApi } from "./base/words/plugin.ts";
export type { PolicyContext, PolicyDecision, RuleFinding, ToolPolicy } from "./base/words/policy.ts";
export type {
  BuiltPrompt,
  BuiltSection,
  ContributorContext,
  ContributorTag,
  PromptContributor,
  PromptMode,
  PromptSection,
  PromptZone,
  TraceEntry,
} from "./base/words/prompt.ts";
export type { Part, Requirement, ToolResult, Truncation } from "./base/words/result.ts";
export type { CallLeaf, Condition, Effect, Rule, RuleSet } from "./base/words/rule.ts";
export type { Evidence, SessionView } from "./base/words/session-view.ts";
export type { State } from "./base/words/slice.ts";
// Sessions
export { classifyLocally } from "./behavior/classification/classify-locally.ts";
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
// Prompt
export { type BuildOptions, buildAgentPrompt } from "./behavior/prompt/build-agent-prompt.ts";
export { type ContributorClash, PromptContributorRegistry } from "./behavior/prompt/contributor-registry.ts";
export { ContributorError } from "./behavior/prompt/read-contributor.ts";
export { SectionMeasures } from "./behavior/prompt/section-measures.ts";
// Results
export { loadTokenizer } from "./behavior/results/tokens.ts";
export { ToolResultTruncator } from "./behavior/results/truncator.ts";
export { parseSnapshot, type Snapshot, serialiseSnapshot } from "./behavior/session/snapshot.ts";
// Opening it
export { conductHome } from "./edge/host/conduct-home.ts";
export { type LoadedConfig, loadConfigFile } from "./edge/host/load-config.ts";
export { type LoadedRules, loadRules } from "./edge/host/load-rules.ts";
export { type OpenConductOptions, openConduct } from "./edge/host/open-conduct.ts";
export { type PiModelsOptions, piModels } from "./edge/host/pi-models.ts";
export { type TerminalApproverOptions, terminalApprover } from "./edge/host/terminal-approver.ts";
export { TrustError, type TrustStore, trustStore } from "./edge/host/trust.ts";
export { folderResults } from "./edge/stores/files/folder-results.ts";
export { memoryStores } from "./edge/stores/home-stores.ts";
export { memoryResults } from "./edge/stores/memory-results.ts";
export { AgentError, type AgentInput, defineAgent } from "./engine/agent/define-agent.ts";
export { parseRules } from "./engine/agent/rules/parse-rules.ts";
export { Conduct, type ConductPorts } from "./engine/moments/conduct.ts";
export type { Heard } from "./engine/moments/message.ts";
export { type Delivered, Session } from "./engine/moments/session.ts";
export {
  type IncomingMessage,
  type PromptRequest,
  SessionError,
  type SessionOptions,
  type StopRequest,
} from "./engine/moments/session-options.ts";
export type { ConductTool } from "./engine/tools/conduct-tool.ts";
