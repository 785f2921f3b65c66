/**
 * Every name that telemetry uses, and no other file has one: `gen_ai.*` and the like where OpenTelemetry has a name (they are
 * not stable there yet), `conduct.*` where it has none.
 */

export const TURN = { operation: "invoke_agent", name: (agent: string) => `invoke_agent ${agent}` } as const;
export const CALL = { operation: "execute_tool", name: (tool: string) => `execute_tool ${tool}` } as const;

/** Moments of a turn, as events of its span. */
export const MOMENT = { message: "conduct.message", prompt: "conduct.prompt", stop: "conduct.stop" } as const;

/** Log records. */
export const LOG = {
  decision: "conduct.decision",
  capture: "conduct.capture",
  injection: "conduct.injection",
  promotion: "conduct.promotion",
  contractChange: "conduct.contract_change",
  approval: "conduct.approval",
  requirement: "conduct.requirement",
  classification: "conduct.classification",
  instructions: "conduct.instructions",
  memory: "conduct.memory",
  /** A message that Conduct answered itself: no turn began. */
  answered: "conduct.answered",
  usage: "conduct.usage",
  notice: "conduct.notice",
  session: "conduct.session",
  fault: "conduct.fault",
  dropped: "conduct.telemetry.dropped",
} as const;

/** Attributes that say what happened. */
export const ATTR = {
  contractHash: "behavior_contract_hash",
  operation: "gen_ai.operation.name",
  session: "gen_ai.conversation.id",
  agent: "gen_ai.agent.name",
  model: "gen_ai.request.model",
  tool: "gen_ai.tool.name",
  callId: "gen_ai.tool.call.id",
  inputTokens: "gen_ai.usage.input_tokens",
  outputTokens: "gen_ai.usage.output_tokens",
  user: "user.id",
  errorType: "error.type",
  exitCode: "process.exit.code",
  cost: "conduct.usage.cost",
  sessionInputTokens: "conduct.session.input_tokens",
  sessionOutputTokens: "conduct.session.output_tokens",
  sessionCost: "conduct.session.cost",
  sessionCalls: "conduct.session.calls",
  event: "conduct.event.id",
  parent: "conduct.session.parent",
  run: "conduct.run",
  turn: "conduct.turn",
  step: "conduct.step",
  channel: "conduct.channel",
  adapter: "conduct.adapter",
  role: "conduct.sender.role",
  calls: "conduct.turn.calls",
  denials: "conduct.turn.denials",
  unfinished: "conduct.unfinished",
  decision: "conduct.decision.kind",
  decisionId: "conduct.decision.id",
  rule: "conduct.decision.rule",
  code: "conduct.decision.code",
  because: "conduct.decision.because",
  lifted: "conduct.decision.lifted",
  others: "conduct.decision.others",
  shadows: "conduct.decision.shadows",
  endTurn: "conduct.decision.end_turn",
  attemptsLeft: "conduct.decision.attempts_left",
  approval: "conduct.approval.id",
  answer: "conduct.approval.answer",
  answeredBy: "conduct.approval.by",
  outcome: "conduct.call.outcome",
  actions: "conduct.call.actions",
  truncations: "conduct.call.truncations",
  feedback: "conduct.call.feedback",
  promptHash: "conduct.prompt.hash",
  promptPrefixHash: "conduct.prompt.prefix_hash",
  promptTokens: "conduct.prompt.tokens",
  promptPrefixTokens: "conduct.prompt.prefix_tokens",
  promptSections: "conduct.prompt.sections",
  promptCuts: "conduct.prompt.cuts",
  version: "conduct.contract.version",
  directives: "conduct.contract.directives",
  degraded: "conduct.contract.degraded",
  /** The contract after a change; the turn under way keeps the one it began with. */
  newHash: "conduct.contract.new_hash",
  change: "conduct.contract.change",
  seq: "conduct.contract.seq",
  by: "conduct.contract.by",
  directive: "conduct.directive.id",
  directiveType: "conduct.directive.type",
  scope: "conduct.directive.scope",
  candidate: "conduct.candidate.id",
  captureOutcome: "conduct.capture.outcome",
  captureLine: "conduct.capture.line",
  captureCode: "conduct.capture.code",
  stopStatus: "conduct.stop.status",
  refusals: "conduct.stop.refusals",
  topic: "conduct.classification.topic",
  complexity: "conduct.classification.complexity",
  classifier: "conduct.classification.model",
  classifiedBecause: "conduct.classification.because",
  instructionsChange: "conduct.instructions.change",
  instructionsVersion: "conduct.instructions.version",
  added: "conduct.instructions.added",
  removed: "conduct.instructions.removed",
  note: "conduct.memory.note",
  required: "conduct.requirement.before_next",
  escalate: "conduct.requirement.escalate",
  notice: "conduct.notice.kind",
  compactedBefore: "conduct.compaction.tokens_before",
  compactedAfter: "conduct.compaction.tokens_after",
  compactedMessages: "conduct.compaction.messages",
  compactedCalls: "conduct.compaction.calls",
  sessionChange: "conduct.session.change",
  faultWhere: "conduct.fault.where",
  faultCode: "conduct.fault.code",
  droppedSpans: "conduct.telemetry.dropped.spans",
  droppedLogs: "conduct.telemetry.dropped.logs",
  droppedEvents: "conduct.telemetry.dropped.events",
} as const;

/** Attributes that hold what people, models and tools wrote: told only with `CONDUCT_TELEMETRY_CONTENT=1`. */
export const CONTENT = {
  input: "gen_ai.input.messages",
  output: "gen_ai.output.messages",
  args: "gen_ai.tool.call.arguments",
  reason: "conduct.decision.reason",
  question: "conduct.approval.question",
  directive: "conduct.directive.text",
  why: "conduct.capture.why",
  answerReason: "conduct.approval.reason",
  stopWhy: "conduct.stop.why",
  label: "conduct.classification.label",
  detail: "conduct.session.detail",
  fault: "conduct.fault.message",
  changeReason: "conduct.contract.reason",
} as const;

/** In place of a contract's hash before the first prompt of a session, when none is known yet. */
export const NO_CONTRACT = "unknown";
export const RESOURCE = { "telemetry.sdk.name": "agent-conduct", "telemetry.sdk.language": "nodejs" } as const;
/** The version is that of these names. */
export const SCOPE = { name: "agent-conduct", version: "1" } as const;
