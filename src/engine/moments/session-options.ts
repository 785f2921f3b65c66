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
import type { Commands } from "../../base/ports/commands.ts";
import type { Filesystem } from "../../base/ports/filesystem.ts";
import type { Budget } from "../../base/words/budget.ts";
import type { SessionClassification } from "../../base/words/classification.ts";
import type { Sender } from "../../base/words/hosting/channel.ts";
import type { Modes } from "../../base/words/modes.ts";
import type { PromptMode } from "../../base/words/prompt.ts";
import type { LostState } from "./lost-state.ts";

export type Enforcement = "enforce" | "shadow";

/** How a session is opened. */
export type SessionOptions = {
  readonly agent: string;
  readonly id?: string;
  readonly user?: string;
  readonly channel?: string;
  /** The user's time zone, such as Europe/London. */
  readonly zone?: string;
  /** Values for contributors tagged `custom`. */
  readonly custom?: readonly string[];
  /** What it is about, where that is known already. */
  readonly classification?: SessionClassification;
  /** Who sends messages that do not say it themselves. */
  readonly sender?: Sender;
  /** Milliseconds since the epoch; the agent's own limit counts from the start of the session. The earlier one holds. */
  readonly deadline?: number;
  /** Tightens the agent's limits, one by one; it cannot loosen them. */
  readonly budget?: Budget;
  readonly modes?: Partial<Modes>;
  /** The model's window in tokens; an adapter that learns it later says so with a `started` notice. */
  readonly window?: number;
  /** Name of the runtime, for checkers. */
  readonly adapter?: string;
  readonly filesystem?: Filesystem;
  readonly commands?: Commands;
  /**
   * Under `shadow` everything is decided and recorded, and nothing reaches the agent: calls pass, results and messages stay as
   * they are, a stop is a stop. Default: `enforce`.
   */
  readonly enforcement?: Enforcement;
  /** What `serialise()` gave, to go on after a restart. */
  readonly snapshot?: string;
  /** Its state was damaged and set aside: what is known of it all the same. */
  readonly lost?: LostState;
};

/** `sender` and `quotedLines` come from the transport, never from the text. */
export type IncomingMessage = {
  readonly text: string;
  readonly id?: string;
  readonly sender?: Sender;
  /** Lines, counted from 1, that the transport marks as a quotation or as code: no directive is taken from them. */
  readonly quotedLines?: readonly number[];
};

/** What the runtime knows of the model request that the prompt is for. */
export type PromptRequest = {
  /** The tools that the model has, as it sees them. */
  readonly tools?: readonly string[];
  /** How the model sees a tool of the common vocabulary or one of Conduct's; other names stay as they are. */
  readonly toolName?: (tool: string) => string;
  /** Overrides the agent's own. */
  readonly mode?: PromptMode;
};
/** `bound`: how often the runtime itself lets a stop be refused; the agent's own limit holds where it is less. */
export type StopRequest = { readonly reason?: string; readonly output?: unknown; readonly bound?: number };

/** Why something that was asked of a session cannot be done. */
export class SessionError extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.name = "SessionError";
    this.code = code;
  }
}

const amount = optional(number);

/** The keys of `conduct.session(options)`. */
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
  enforcement: optional(oneOf("enforce", "shadow")),
  snapshot: optional(text),
  lost: optional(object),
};
