import type { StopDecision } from "../../../behavior/completion/decide-stop.ts";
import { replaceMoments, type SessionMoments } from "../../../engine/session/session-moments.ts";
import type { IncomingMessage } from "../../../engine/session/session-options.ts";
import type { HostedEnd } from "./hosted.ts";

type From = Omit<IncomingMessage, "text">;

type SeenEnd = Pick<HostedEnd, "status" | "why">;

/** Session for the SDK's hooks. Adds the sender to each message, and remembers how the turn ended. */
export class ClaudeSession {
  readonly session: SessionMoments;
  /** Sender of the turn's own message, until the runtime has read it. */
  #first: From | undefined;
  #later: From = {};
  /** Steering messages not read yet, the oldest first. */
  #steered: readonly IncomingMessage[] = [];
  #end: SeenEnd | undefined;

  constructor(session: SessionMoments) {
    this.session = replaceMoments(session, {
      onMessage: (message) => session.onMessage({ ...this.#takeFrom(message.text), ...message }),
      decide: async (call, wait) => {
        const decision = await session.decide(call, wait);
        if (decision.kind === "deny" && decision.endTurn)
          this.#end = { status: "ended-by-policy", why: decision.reason };
        return decision;
      },
      onStop: async (request): Promise<StopDecision> => {
        const decision = await session.onStop(request);
        if (decision.done) this.#end = { status: decision.status, why: decision.why };
        return decision;
      },
    });
  }

  begin({ text: _, ...from }: IncomingMessage): void {
    this.#first = from;
    this.#later = { sender: from.sender };
    this.#steered = [];
    this.#end = undefined;
  }

  /** Call this before sending a steering message to the runtime. */
  expect(message: IncomingMessage): void {
    this.#steered = [...this.#steered, message];
  }

  /** `undefined` if the turn broke off before Conduct's hook ran. */
  get end(): SeenEnd | undefined {
    return this.#end;
  }

  /**
   * Steered messages are recognised by their text, because the runtime uses its own ids. Any other message is from the
   * turn's sender.
   */
  #takeFrom(text: string): From {
    const from = this.#first;
    this.#first = undefined;
    if (from !== undefined) return from;
    const steered = this.#steered.find((one) => one.text === text);
    if (steered === undefined) return this.#later;
    this.#steered = this.#steered.filter((one) => one !== steered);
    const { text: _, ...rest } = steered;
    return rest;
  }
}
