import type { AdherenceRow } from "../../../base/ports/stores/adherence.ts";
import type { Figures, SessionSummary } from "../../../base/ports/stores/event-journal.ts";
import type { SessionClassification } from "../../../base/words/classification.ts";
import type {
  ActiveBehaviorContract,
  BehaviorDirective,
  Candidate,
  ContractEvent,
  StandingRule,
} from "../../../base/words/contract.ts";
import type { ConductEvent } from "../../../base/words/event.ts";
import type { Feedback } from "../../../base/words/feedback.ts";
import type { AgentIdentity } from "../../../base/words/hosting/agent.ts";
import type { CoverageColumn } from "../../../base/words/hosting/capability.ts";
import type { Conversation, TurnRecord } from "../../../base/words/hosting/conversation.ts";
import type { PendingApproval } from "../../../base/words/hosting/question.ts";
import type { Schedule, ScheduleRun } from "../../../base/words/hosting/schedule.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import type { Modes } from "../../../base/words/modes.ts";
import type { BuiltPrompt } from "../../../base/words/prompt.ts";
import type { ContractUsage } from "../../../behavior/contract/active-contract.ts";
import type { ContractWarning } from "../../../behavior/contract/decide/change-request.ts";
import type { Pause } from "../../../edge/host/daemon/paused.ts";
import type { Preview } from "../../../edge/host/workspace/preview-prompt.ts";
import type { Switches } from "../../daemon/hook-guard/switches.ts";
import type { DigestItem } from "../../learning/digest/digest.ts";
import type { RuleCount } from "../../learning/harden/rule-counts.ts";
import type { ReviewRecord } from "../../learning/review/steps.ts";
import type { CaseFailure } from "../../policy/policy-expect.ts";
import type { PastPrompt } from "../../shared/past-prompt.ts";
import type { WhyFacts } from "../../shared/why-facts.ts";
import type { Bucket, FiguresOfDay } from "./routes/figures.ts";
import type { ReplayRun } from "./routes/governance/replay-runs.ts";
import type { RuleShown } from "./routes/governance/rule-list.ts";
import type { Latency, Measured } from "./routes/measures.ts";
import type { Step } from "./steps.ts";

/** An event with its position in the journal. */
export type JournalEvent = ConductEvent & { readonly position: number };

/** `version`: the version that the change made; absent if the directives stayed the same. */
export type ContractChangeShown = ContractEvent & { readonly version?: number };

export type ContractBlock = ActiveBehaviorContract & { readonly block: string };

/** `would`: a description of what promotion would change. `quotes`: the evidence, with session and event if known. */
export type CandidateShown = Candidate & { readonly would: string; readonly quotes: DigestItem["evidence"] };

export type StandingRuleShown = StandingRule & { readonly count: RuleCount };

/** `next`: the time of the next run; absent while the schedule is off. */
export type ScheduleShown = Schedule & { readonly next?: number };

export type SessionShown = SessionSummary & {
  /** Why the newest turn failed; absent if it did not. */
  readonly failed?: string;
  readonly recent?: readonly ConductEvent[];
  /** The first message to the agent. */
  readonly opener?: string;
};

export type PromptPreview = Omit<BuiltPrompt, "trace"> & Pick<Preview, "trace" | "faults">;

/** Why a decision was made: the facts at that time, and people's answers since. */
export type Why = Pick<WhyFacts, "session" | "late"> &
  WhyFacts["inForce"] & {
    readonly event: JournalEvent;
    readonly answers: readonly JournalEvent[];
    readonly needed: readonly (WhyFacts["needed"][number]["missing"] & Pick<WhyFacts["needed"][number], "seen">)[];
    readonly there: readonly { readonly name: string; readonly at: number }[];
  };

/**
 * Types that routes send unchanged, by the name that `typed` takes. `npm run api-schemas` writes their JSON schemas to
 * docs/schema/api-types.schema.json, the source of the OpenAPI description.
 */
export type ResponseTypes = {
  readonly AdherenceRow: AdherenceRow;
  readonly AgentIdentity: AgentIdentity;
  readonly BehaviorDirective: BehaviorDirective;
  readonly Bucket: Bucket;
  readonly CandidateShown: CandidateShown;
  readonly Candidate: Candidate;
  readonly Feedback: Feedback;
  readonly CaseFailure: CaseFailure;
  readonly Column: CoverageColumn;
  readonly ContractBlock: ContractBlock;
  readonly ContractChangeShown: ContractChangeShown;
  readonly ContractEvent: ContractEvent;
  readonly ContractUsage: ContractUsage;
  readonly ContractWarning: ContractWarning;
  readonly Conversation: Conversation;
  readonly DigestItem: DigestItem;
  readonly Figures: Figures;
  readonly FiguresOfDay: FiguresOfDay;
  readonly JournalEvent: JournalEvent;
  readonly JsonObject: JsonObject;
  readonly Latency: Latency;
  readonly Measured: Measured;
  readonly Modes: Modes;
  readonly PastPrompt: PastPrompt;
  readonly Pause: Pause;
  readonly PendingApproval: PendingApproval;
  readonly PromptPreview: PromptPreview;
  readonly ReplayRun: ReplayRun;
  readonly ReviewRecord: ReviewRecord;
  readonly ScheduleRun: ScheduleRun;
  readonly ScheduleShown: ScheduleShown;
  readonly SessionClassification: SessionClassification;
  readonly SessionShown: SessionShown;
  readonly SessionSummary: SessionSummary;
  readonly StandingRule: StandingRule;
  readonly RuleShown: RuleShown;
  readonly Step: Step;
  readonly StandingRuleShown: StandingRuleShown;
  readonly Switches: Switches;
  readonly TurnRecord: TurnRecord;
  readonly Why: Why;
};
