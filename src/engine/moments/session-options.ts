import type { Commands } from "../../base/ports/commands.ts";
import type { Filesystem } from "../../base/ports/filesystem.ts";
import type { Budget } from "../../base/words/budget.ts";
import type { Modes } from "../../base/words/modes.ts";

/** How a session is opened. */
export type SessionOptions = {
  readonly agent: string;
  readonly id?: string;
  readonly user?: string;
  readonly channel?: string;
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
  /** What `serialise()` gave, to go on after a restart. */
  readonly snapshot?: string;
};

export type IncomingMessage = { readonly text: string };
export type StopRequest = { readonly reason?: string; readonly output?: unknown };

/** Why something that was asked of a session cannot be done. */
export class SessionError extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.name = "SessionError";
    this.code = code;
  }
}
