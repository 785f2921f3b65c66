import type { StopDecision } from "../../../behavior/completion/decide-stop.ts";
import { replaceMoments, type SessionMoments } from "../../../engine/session/session-moments.ts";
import type { IncomingMessage } from "../../../engine/session/session-options.ts";
import type { HostedEnd } from "./hosted.ts";

type From = Omit<IncomingMessage, "text">;

/** How Conduct saw the turn end. */
type SeenEnd = Pick<HostedEnd, "status" | "why">;

/** The session as the SDK's hooks use it: each message gets its sender, and how the turn ended is remembered. */
export class ClaudeSession {
  readonly session: SessionMoments;
  /** Of the turn's own message, until the runtime has read it. */
  #first: From | undefined;
  #later: From = {};
  /** Steered and not read yet, the oldest first. */
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

  /** A further message is on its way to the runtime. */
  expect(message: IncomingMessage): void {
    this.#steered = [...this.#steered, message];
  }

  /** `undefined` where Conduct was not asked: the turn broke off before. */
  get end(): SeenEnd | undefined {
    return this.#end;
  }

  /** A steered message is recognised by its text, because the runtime has ids of its own. Any other is the turn's sender's. */
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
