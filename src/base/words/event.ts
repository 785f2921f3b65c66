import type { Exhausted, Usage } from "./budget.ts";
import type { Outcome, ToolCall } from "./call.ts";
import type { ClassifyBecause, SessionClassification } from "./classification.ts";
import type { Decision, Objection, Observing, PersonAnswer } from "./decision.ts";
import type { Facts } from "./facts.ts";
import type { Feedback } from "./feedback.ts";
import type { Sender } from "./hosting/channel.ts";
import type { Instructions } from "./hosting/instructions.ts";
import type { JsonObject } from "./json.ts";
import type { Modes } from "./modes.ts";
import type { PromptCut, ToldSection, TraceEntry } from "./prompt.ts";
import type { Requirement, Truncation } from "./result.ts";

/** The five moments of a turn. */
export type Moment = "message" | "prompt" | "call" | "result" | "stop";

export type StopStatus = "complete" | "incomplete" | "bypassed" | "refused" | "ended-by-policy";

/** Reports from a runtime besides the five moments. */
export type Notice =
  | {
      readonly kind: "started";
      readonly model?: string;
      readonly window?: number;
      readonly adapter?: string;
      /** False if no thinking level can be sent to the model. */
      readonly reasons?: boolean;
    }
  | { readonly kind: "step-closed"; readonly step?: string }
  | {
      readonly kind: "usage";
      readonly inputTokens?: number;
      readonly outputTokens?: number;
      readonly cost?: number;
      readonly reservation?: string;
    }
  | { readonly kind: "reply"; readonly text: string }
  /** The transcript was compacted. Figures (tokens per request, removed items) are set if the host did it itself. */
  | {
      readonly kind: "compacted";
      readonly before?: number;
      readonly after?: number;
      readonly messages?: number;
      readonly calls?: { readonly [tool: string]: number };
    }
  /** The adapter itself failed. It failed closed, and the operator sees the fault. */
  | { readonly kind: "fault"; readonly fault: Fault }
  /** The runtime has exited; it may resume the session later. */
  | { readonly kind: "left" }
  | { readonly kind: "ended"; readonly reason?: string };

/** An error in Conduct or its input; the turn continued safely. */
export type Fault = {
  readonly where: string;
  readonly code: string;
  readonly message: string;
  /** The resulting decision, if a call could not be parsed. */
  readonly decision?: string;
};

/** A point in a session's history: after this event of this run. */
export type SessionPoint = { readonly run: string; readonly seq: number };

/** When a moment that had to wait closed the open step, before its own event. */
export type StepClosed = { readonly seq: number; readonly at: number };

/** The runtime's other data about a call, so that a replay can parse it again. */
export type CallMade = {
  /** Arguments before rules rewrote them, and the facts about these. */
  readonly args?: JsonObject;
  readonly facts?: Facts;
  readonly cwd?: string;
  /** `cwd` is not the workspace. */
  readonly elsewhere?: true;
  /** The runtime itself named the files. */
  readonly paths?: true;
  readonly actions?: readonly string[];
  readonly proves?: readonly string[];
  /** Mark of the files that the call would destroy; an approval is about these. */
  readonly loss?: string;
};

/** Reasons against a call before any policy was asked. */
export type CallBounds = { readonly ended?: true; readonly exhausted?: Exhausted };

export type EventBody =
  | {
      readonly type: "message";
      readonly text: string;
      readonly modes: Modes;
      /** The transport's id; two transports may use the same. */
      readonly messageId?: string;
      readonly sender?: Sender;
      /** Conduct's own answer, without the model. */
      readonly reply?: string;
      /** Notes for the person, shown with the answer. */
      readonly notes?: readonly string[];
    }
  | {
      readonly type: "prompt";
      readonly hash: string;
      readonly prefixHash: string;
      readonly tokens: number;
      readonly prefixTokens: number;
      readonly sections: readonly ToldSection[];
      readonly cuts: readonly PromptCut[];
      /** Contributors that were selected but left out, with the reason. */
      readonly left?: readonly TraceEntry[];
      /**
       * The operator's contract, even if empty. `degraded`: the last known one, because the store could not be read.
       */
      readonly contract?: {
        readonly version: number;
        readonly hash: string;
        readonly directives: number;
        readonly degraded?: true;
      };
      readonly closed?: StepClosed;
    }
  /** A message line that is a directive, or nearly one, and its outcome. */
  | {
      readonly type: "directive";
      readonly outcome: "added" | "repeated" | "absorbed" | "refused" | "near-miss" | "not-operator";
      readonly line: number;
      readonly text: string;
      readonly directive?: string;
      readonly code?: string;
      readonly why?: string;
      readonly version?: number;
      readonly hash?: string;
    }
  | {
      readonly type: "classification";
      /** The result of the newest classification. */
      readonly classification: SessionClassification;
      /** The classification used in the prompt. */
      readonly held: SessionClassification;
      readonly model: string;
      readonly because: ClassifyBecause;
      readonly usage: Partial<Usage>;
    }
  /** For the person, never for the model. */
  | { readonly type: "verbose"; readonly text: string }
  | {
      readonly type: "instructions";
      readonly change: Instructions["change"];
      readonly version: number;
      readonly added: readonly string[];
      readonly removed: readonly string[];
    }
  | { readonly type: "memory"; readonly note: string }
  | {
      readonly type: "call";
      readonly call: ToolCall;
      readonly decision: Decision;
      /** Objections that would have denied the call outside shadow. */
      readonly shadows?: readonly Objection[];
      readonly made?: CallMade;
      readonly bounds?: CallBounds;
    }
  | {
      readonly type: "result";
      readonly call: string;
      readonly tool: string;
      readonly outcome: Outcome;
      readonly exitCode?: number;
      readonly truncation: readonly Truncation[];
      readonly feedback: readonly Feedback[];
      /** For comparing results; keyed with the journal's key when stored. */
      readonly resultHash?: string;
      /** The output says that no test ran. */
      readonly noTests?: true;
    }
  | {
      readonly type: "stop";
      readonly status: StopStatus;
      readonly feedback?: string;
      readonly refusals: number;
      readonly bound: number;
      readonly why?: string;
      readonly closed?: StepClosed;
    }
  | { readonly type: "notice"; readonly notice: Notice; readonly usage?: Usage }
  | {
      readonly type: "session";
      readonly change: "opened" | "resumed" | "restored" | "reset" | "agent" | "modes" | "custom";
      readonly detail?: string;
      /** The session's user and channel; set when it is opened or resumed. */
      readonly user?: string;
      readonly channel?: string;
      /** Initial modes, if any is on. */
      readonly modes?: Modes;
      /** The point that was restored or continued from. */
      readonly from?: SessionPoint;
    }
  /** A trusted tool requires something before the next call. `escalateToOwner`: the operator should review it. */
  | ({ readonly type: "requirement"; readonly call: string; readonly tool: string } & Requirement)
  | {
      readonly type: "approval";
      readonly approval: string;
      readonly answer: PersonAnswer;
      readonly by: string;
      readonly reason?: string;
    }
  | { readonly type: "fault"; readonly fault: Fault };

/** The one event type, for the live bus and the journal. */
export type ConductEvent = {
  readonly v: 1;
  readonly id: string;
  readonly seq: number;
  readonly at: number;
  readonly session: string;
  readonly parent?: string;
  readonly agent: string;
  readonly run: string;
  readonly turn: number;
  readonly step?: string;
  readonly facts?: Facts;
  /** Nothing was enforced: the decision was recorded, but the agent did not notice it. */
  readonly observing?: Observing;
  /** Hash of the contract in force for the turn. */
  readonly contract_hash?: string;
} & EventBody;
