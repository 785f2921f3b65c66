import type { Exhausted, Usage } from "./budget.ts";
import type { Outcome, ToolCall } from "./call.ts";
import type { ClassifyBecause, SessionClassification } from "./classification.ts";
import type { Decision, Objection, Observing } from "./decision.ts";
import type { Facts } from "./facts.ts";
import type { Feedback } from "./feedback.ts";
import type { Sender } from "./hosting/channel.ts";
import type { Instructions } from "./hosting/instructions.ts";
import type { JsonObject } from "./json.ts";
import type { Modes } from "./modes.ts";
import type { PromptCut, ToldSection, TraceEntry } from "./prompt.ts";
import type { Requirement, Truncation } from "./result.ts";

export type Moment = "message" | "prompt" | "call" | "result" | "stop";

/** How a stop ended, or that it did not. */
export type StopStatus = "complete" | "incomplete" | "bypassed" | "refused" | "ended-by-policy";

/** What a runtime tells besides the five moments. */
export type Notice =
  | { readonly kind: "started"; readonly model?: string; readonly window?: number; readonly adapter?: string }
  | { readonly kind: "step-closed"; readonly step?: string }
  | {
      readonly kind: "usage";
      readonly inputTokens?: number;
      readonly outputTokens?: number;
      readonly cost?: number;
      readonly reservation?: string;
    }
  | { readonly kind: "reply"; readonly text: string }
  /** The transcript was cut. The figures are there where the host cut it itself: tokens of a request, and what went. */
  | {
      readonly kind: "compacted";
      readonly before?: number;
      readonly after?: number;
      readonly messages?: number;
      readonly calls?: { readonly [tool: string]: number };
    }
  /** Something failed in the adapter itself; it failed closed, and the operator sees it. */
  | { readonly kind: "fault"; readonly fault: Fault }
  | { readonly kind: "ended"; readonly reason?: string };

/** Something went wrong inside Conduct or in what it was given; the turn went on safely. */
export type Fault = {
  readonly where: string;
  readonly code: string;
  readonly message: string;
  /** The decision that it came to, where a call could not be read. */
  readonly decision?: string;
};

/** A point in a session's life: after this event of this run. */
export type SessionPoint = { readonly run: string; readonly seq: number };

/** When a moment that had to wait closed the open step: before its own event. */
export type StepClosed = { readonly seq: number; readonly at: number };

/** What the runtime said of a call besides the call itself, so that a replay can read it anew. */
export type CallMade = {
  /** The arguments before rules rewrote them, and what was known of these. */
  readonly args?: JsonObject;
  readonly facts?: Facts;
  readonly cwd?: string;
  /** `cwd` is not the workspace. */
  readonly elsewhere?: true;
  /** The runtime itself named the files. */
  readonly paths?: true;
  readonly actions?: readonly string[];
  readonly proves?: readonly string[];
};

/** What spoke against a call before any policy was asked. */
export type CallBounds = { readonly ended?: true; readonly exhausted?: Exhausted };

export type EventBody =
  | {
      readonly type: "message";
      readonly text: string;
      readonly modes: Modes;
      /** As the transport names it; two transports may give the same. */
      readonly messageId?: string;
      readonly sender?: Sender;
      /** What Conduct answered itself, without the model. */
      readonly reply?: string;
      /** What the person is told beside the answer. */
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
      /** Contributors that were selected and are not in it, and why. */
      readonly left?: readonly TraceEntry[];
      /** What the operator's contract was; an empty one too. `degraded`: the last known one, the store could not be read. */
      readonly contract?: {
        readonly version: number;
        readonly hash: string;
        readonly directives: number;
        readonly degraded?: true;
      };
      readonly closed?: StepClosed;
    }
  /** A line of a message that is a directive, or nearly one, and what became of it. */
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
      /** What the newest look at the conversation gave. */
      readonly classification: SessionClassification;
      /** What holds for the prompt. */
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
      /** What would have been denied, were the rule or the session not in shadow. */
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
      /** Tells equal results from different ones; under the journal's key where it is kept. */
      readonly resultHash?: string;
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
      /** Whose it is and where it is held; told when it is opened or resumed. */
      readonly user?: string;
      readonly channel?: string;
      /** The modes that it was opened with, where any is on. */
      readonly modes?: Modes;
      /** The point whose state it went back to, or on from. */
      readonly from?: SessionPoint;
    }
  /** A trusted tool demands something before the next call. `escalateToOwner`: the operator should look at it. */
  | ({ readonly type: "requirement"; readonly call: string; readonly tool: string } & Requirement)
  | {
      readonly type: "approval";
      readonly approval: string;
      readonly answer: "yes" | "no";
      readonly by: string;
      readonly reason?: string;
    }
  | { readonly type: "fault"; readonly fault: Fault };

/** The one event type: live it is the bus, kept it is the journal. */
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
  /** Nothing is enforced: what the event tells was decided, and the agent noticed nothing of it. */
  readonly observing?: Observing;
  /** Hash of the contract that the turn is under. */
  readonly contract_hash?: string;
} & EventBody;
