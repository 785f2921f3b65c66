import {
  flag,
  having,
  name,
  names,
  number,
  object,
  oneOf,
  optional,
  type ShapesOf,
  shape,
  text,
} from "../../base/kernel/check-options.ts";
import type { Approver } from "../../base/ports/approver.ts";
import type { Clock } from "../../base/ports/clock.ts";
import type { Commands } from "../../base/ports/commands.ts";
import type { Filesystem } from "../../base/ports/filesystem.ts";
import type { Ids } from "../../base/ports/ids.ts";
import type { Models } from "../../base/ports/models.ts";
import type { DayUsageStore } from "../../base/ports/stores/day-usage.ts";
import type { SectionText } from "../../base/ports/stores/event-journal.ts";
import type { GovernanceJournal } from "../../base/ports/stores/governance.ts";
import type { HotContract } from "../../base/ports/stores/hot-contract.ts";
import type { InstructionsStore } from "../../base/ports/stores/instructions.ts";
import type { MemoryStore } from "../../base/ports/stores/memory.ts";
import type { Results } from "../../base/ports/stores/results.ts";
import type { UserZones } from "../../base/ports/stores/users.ts";
import type { TokenCounter } from "../../base/ports/token-counter.ts";
import type { WorkspacePrompts } from "../../base/ports/workspace-prompts.ts";
import type { Budget } from "../../base/words/budget.ts";
import type { SessionClassification } from "../../base/words/classification.ts";
import type { ChannelProfile, Sender } from "../../base/words/hosting/channel.ts";
import type { Modes } from "../../base/words/modes.ts";
import type { PromptMode } from "../../base/words/prompt.ts";
import type { ContractService } from "../governance/contract-service.ts";
import type { Bus } from "../journal/bus.ts";
import type { FeedbackPage, FeedbackQuery } from "../journal/feedback-history.ts";
import type { LostState } from "./lost-state.ts";

export type Enforcement = "enforce" | "shadow";

/** What is known about a session when it is opened. */
export type SessionOptions = {
  readonly agent: string;
  readonly id?: string;
  readonly user?: string;
  readonly channel?: string;
  /** The user's time zone, such as Europe/London. */
  readonly zone?: string;
  /** Values for contributors tagged `custom`. */
  readonly custom?: readonly string[];
  readonly classification?: SessionClassification;
  /** Default sender of messages. */
  readonly sender?: Sender;
  /** Milliseconds since the epoch. The agent's own limit counts from the session's start; the earlier one applies. */
  readonly deadline?: number;
  /** Tightens the agent's limits one by one; cannot loosen them. */
  readonly budget?: Budget;
  readonly modes?: Partial<Modes>;
  /** The model's context window in tokens; an adapter can report it later with a `started` notice. */
  readonly window?: number;
  /** Name of the runtime, for checkers. */
  readonly adapter?: string;
  readonly filesystem?: Filesystem;
  readonly commands?: Commands;
  /** Overrides the approver shared by all sessions. */
  readonly approver?: Approver;
  /**
   * `shadow` decides and records everything but changes nothing for the agent: calls pass, results and messages are
   * unchanged, stops are accepted. Default: `enforce`.
   */
  readonly enforcement?: Enforcement;
  /** The output of `serialise()`, to resume after a restart. */
  readonly snapshot?: string;
  /** Set if the state was damaged and set aside: what is still known about the session. */
  readonly lost?: LostState;
};

/** A person's message. `sender` and `quotedLines` come from the transport, never from the text. */
export type IncomingMessage = {
  readonly text: string;
  readonly id?: string;
  readonly sender?: Sender;
  /** Lines, counted from 1, that the transport marks as quotation or code: directives in them are ignored. */
  readonly quotedLines?: readonly number[];
};

/** What the runtime knows about the model request of this prompt. */
export type PromptRequest = {
  /** The model's tools, by the names the model sees. */
  readonly tools?: readonly string[];
  /** Maps a tool of the common vocabulary or of Conduct to the model's name for it; other names are unchanged. */
  readonly toolName?: (tool: string) => string;
  /** Overrides the agent's mode. */
  readonly mode?: PromptMode;
  /** Servers of the agent whose tools are missing now. */
  readonly missingServers?: readonly string[];
};

/** `bound`: how often the runtime allows a stop to be refused; the lower of this and the agent's limit applies. */
export type StopRequest = { readonly reason?: string; readonly output?: unknown; readonly bound?: number };

/** A request that a session cannot fulfil, with the reason. */
export class SessionError extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.name = "SessionError";
    this.code = code;
  }
}

const amount = optional(number);

export const sessionKeys: ShapesOf<SessionOptions> = {
  agent: name,
  id: optional(name),
  user: optional(text),
  channel: optional(text),
  zone: optional(text),
  custom: optional(names),
  classification: optional(object),
  sender: optional(shape({ id: optional(text), user: optional(text), role: oneOf("operator", "user", "viewer") })),
  deadline: amount,
  budget: optional(
    shape({ tokens: amount, inputTokens: amount, outputTokens: amount, calls: amount, cost: amount, time: amount }),
  ),
  modes: optional(
    shape({
      think: optional(flag),
      verbose: optional(flag),
      elevated: optional(flag),
      thinkLevel: optional(text),
      elevatedUntil: amount,
    }),
  ),
  window: amount,
  adapter: optional(text),
  filesystem: optional(having("look")),
  commands: optional(having("run")),
  approver: optional(having("ask")),
  enforcement: optional(oneOf("enforce", "shadow")),
  snapshot: optional(text),
  lost: optional(object),
};

/** Channels declared in addition to Conduct's own. */
export type DeclaredChannels = { readonly [name: string]: Partial<Omit<ChannelProfile, "name">> };

export type SharedPorts = {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly results: Results;
  /** Counts in the encoding of `model`, loaded on first use: the tokenizer's tables are large. */
  readonly counter: (model?: string) => Promise<TokenCounter>;
  readonly filesystem?: Filesystem;
  readonly commands?: Commands;
  /** Used when the runtime cannot ask a person itself. */
  readonly approver?: Approver;
  readonly models?: Models;
  /** The operators' decisions; without a journal there is no contract. */
  readonly governance?: GovernanceJournal;
  /** Detects a changed contract without a round trip. */
  readonly hot?: HotContract;
  readonly instructions?: InstructionsStore;
  readonly memory?: MemoryStore;
  /** Without it, limits of a day are not enforced. */
  readonly days?: DayUsageStore;
  /** Without it, a session keeps the zone that it was opened with. */
  readonly zones?: UserZones;
  readonly workspacePrompts?: WorkspacePrompts;
  /** Stores the sections of a prompt with its event. Called during the turn: must be cheap, must not block or throw. */
  readonly keepSections?: (session: string, at: number, sections: readonly SectionText[]) => void;
  /** Reads the recorded feedback; without it, no history can be read. */
  readonly feedback?: (query: FeedbackQuery) => Promise<FeedbackPage>;
  readonly channels?: DeclaredChannels;
  /** Whether the operator has paused Conduct. Called at every moment, so it must be cheap. */
  readonly paused?: () => boolean;
};

export type SessionPorts = SharedPorts & {
  readonly bus: Bus;
  readonly pluginsReady: Promise<void>;
  readonly contracts?: ContractService;
};
