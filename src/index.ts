/**
 * Define an agent, open Conduct, and call the five moments.
 * @module agent-conduct
 */

export { OptionsError } from "./base/kernel/check-options.ts";
export type { ApprovalAnswer, ApprovalQuestion, Approver } from "./base/ports/approver.ts";
export type { Clock } from "./base/ports/clock.ts";
export type { Commands } from "./base/ports/commands.ts";
export type { Filesystem } from "./base/ports/filesystem.ts";
export type { Ids } from "./base/ports/ids.ts";
export type { ModelAnswer, ModelQuestion, Models } from "./base/ports/models.ts";
export type { InstructionsStore, InstructionsWrite } from "./base/ports/stores/instructions.ts";
export type { MemoryQuery, MemoryStore } from "./base/ports/stores/memory.ts";
export type { Results } from "./base/ports/stores/results.ts";
export type { TokenCounter } from "./base/ports/token-counter.ts";
export type { WorkspacePrompts } from "./base/ports/workspace-prompts.ts";
export type { Budget, Usage } from "./base/words/budget.ts";
export type { CallInput, CallRecord, Outcome, PathAccess, ToolCall } from "./base/words/call.ts";
export type { SessionClassification, SessionComplexity, SessionTopic } from "./base/words/classification.ts";
export type { Advice, Decision, Denial, DenyCode, Missing } from "./base/words/decision.ts";
export type { ConductEvent, Fault, Moment, Notice } from "./base/words/event.ts";
export type { Facts, PathFact } from "./base/words/facts.ts";
export type {
  ActionSpec,
  Agent,
  AgentIdentity,
  AgentSection,
  Limits,
  PromptSettings,
  SessionLabels,
  ToolSpec,
} from "./base/words/hosting/agent.ts";
export type { ChannelProfile, Sender } from "./base/words/hosting/channel.ts";
export type { InstructionItem, Instructions, MemoryNote, UserAgent } from "./base/words/hosting/instructions.ts";
export type { ConductPlugin, PluginApi, PluginTool } from "./base/words/hosting/plugin.ts";
export type { Json, JsonObject } from "./base/words/json.ts";
export type { Modes, Permissions } from "./base/words/modes.ts";
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
export type { Evidence, SessionView, State } from "./base/words/session-view.ts";
export { parseSnapshot, type Snapshot, serialiseSnapshot } from "./behavior/session/snapshot/snapshot.ts";
export type { Ask } from "./edge/adapters/shared/ask-session.ts";
export type { GuardOptions } from "./edge/adapters/shared/framework/agent-moments.ts";
export {
  type GuardedTools,
  type GuardToolsOptions,
  guardTools,
  type ToolFunction,
} from "./edge/adapters/shared/framework/guard-tools.ts";
export type { MappedCall, ToolMap } from "./edge/adapters/shared/pi/tool-map.ts";
export { modelOverrides, type PiModelsOptions, piModels, type WrittenModel } from "./edge/host/node/pi-models.ts";
export { type TerminalApproverOptions, terminalApprover } from "./edge/host/node/terminal-approver.ts";
export { type AgentsFile as LoadedConfig, loadAgentsFile as loadConfigFile } from "./edge/host/opening/load-config.ts";
export { type OpenConductOptions, openConduct, openConductFromEnv } from "./edge/host/opening/open-conduct.ts";
export { TrustError, type TrustStore, trustStore } from "./edge/host/trust/trust.ts";
export { conductHome } from "./edge/host/workspace/conduct-home.ts";
export { folderResults } from "./edge/stores/files/folder-results.ts";
export { memoryStores } from "./edge/stores/home-stores.ts";
export { memoryResults } from "./edge/stores/memory-results.ts";
export { AgentError, type AgentInput, defineAgent } from "./engine/agent/define-agent.ts";
export type { MessageResult } from "./engine/moments/message.ts";
export { Conduct, type ConductPorts } from "./engine/session/conduct.ts";
export { type Delivered, Session } from "./engine/session/session.ts";
export type { SessionHost, SessionMoments, SessionOrigin } from "./engine/session/session-moments.ts";
export {
  type IncomingMessage,
  type PromptRequest,
  SessionError,
  type SessionOptions,
  type StopRequest,
} from "./engine/session/session-options.ts";
export type { ConductTool } from "./engine/tools/conduct-tool.ts";
