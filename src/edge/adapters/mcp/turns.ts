import type { SessionMoments } from "../../../engine/session/session-moments.ts";

/** A turn is over after so long without a call, and after so long in any case: MCP tells a server of no turns. */
const QUIET_MS = 60_000;
const LONGEST_MS = 600_000;

/** Where a call stands: in a step of the turn under way, or after the end of a turn that was ended. */
export type Entered = { readonly kind: "open"; readonly step: string } | { readonly kind: "over" };

/**
 * Turns and steps, as far as a server can tell them by the clock. A burst of calls is a turn, so that denials and what
 * results may take begin anew. Calls that come before any result of their step has gone out are one step: none of them
 * can have been chosen for what another one gave.
 */
export class Turns {
  readonly #session: SessionMoments;
  readonly #now: () => number;
  readonly #name: string;
  #began: number;
  #last: number;
  #underWay = 0;
  #steps = 0;
  #open = false;
  #over = false;
  #ready: Promise<void> = Promise.resolve();

  constructor(session: SessionMoments, { now, name }: { readonly now: () => number; readonly name: string }) {
    this.#session = session;
    this.#now = now;
    this.#name = name;
    this.#began = now();
    this.#last = this.#began;
  }

  /** A call has come. Give it back with `leave` when its result is out. */
  async enter(): Promise<Entered> {
    const now = this.#now();
    const isNew = this.#underWay === 0 && (now - this.#last > QUIET_MS || now - this.#began > LONGEST_MS);
    this.#underWay += 1;
    this.#last = now;
    if (isNew) this.begin();
    if (!this.#open) this.#steps += 1;
    this.#open = true;
    const step = `${this.#name}-${this.#steps}`;
    await this.#ready;
    return this.#over ? { kind: "over" } : { kind: "open", step };
  }

  leave(): void {
    this.#underWay -= 1;
    this.#open = false;
    this.#last = this.#now();
  }

  /** The agent would not let go of something it was denied: nothing more runs until it has come to rest. */
  end(): void {
    this.#over = true;
  }

  /** A new turn begins. Nobody has said anything: what the model writes is never taken for a person's message. */
  begin(): Promise<void> {
    this.#began = this.#now();
    this.#over = false;
    const told = this.#ready.then(() => this.#session.onMessage({ text: "" }));
    // Where Conduct cannot be reached the call that follows is denied, with the reason.
    this.#ready = told.then(
      () => undefined,
      () => undefined,
    );
    return this.#ready;
  }
}
