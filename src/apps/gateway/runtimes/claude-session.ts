import { errorText } from "../../../base/kernel/error-text.ts";
import type { CallInput } from "../../../base/words/call.ts";
import type { Decision } from "../../../base/words/decision.ts";
import type { Session } from "../../../engine/session/session.ts";
import type { IncomingMessage } from "../../../engine/session/session-options.ts";
import { fromOf, type HostedEnd, type HostedMessage, type HostedOptions, type HostedTurn } from "./hosted.ts";

type From = Omit<IncomingMessage, "text">;

/** How Conduct saw the turn end. */
type SeenEnd = Pick<HostedEnd, "status" | "why">;

/**
 * The session as the SDK's hooks get it: each message has its sender, questions go to the gateway's people, and how the turn
 * ended is remembered. Everything else is the session itself.
 */
export class ClaudeSession {
  readonly session: Session;
  readonly #hosted: HostedOptions;
  /** Of the turn's own message, until it is heard. */
  #first: From | undefined;
  #later: From = {};
  /** Steered and not heard yet, the oldest first. */
  #steered: readonly HostedMessage[] = [];
  #signal: AbortSignal | undefined;
  #end: SeenEnd | undefined;

  constructor(hosted: HostedOptions) {
    this.#hosted = hosted;
    const { session } = hosted;
    const ours: Partial<Session> = {
      onMessage: (message) => session.onMessage({ ...this.#takeFrom(message.text), ...message }),
      decide: (call) => this.#decide(call),
      onStop: async (request) => {
        const decision = await session.onStop(request);
        if (decision.done) this.#end = { status: decision.status, ...(decision.why ? { why: decision.why } : {}) };
        return decision;
      },
    };
    this.session = new Proxy(session, {
      get(target, name) {
        if (Object.hasOwn(ours, name)) return Reflect.get(ours, name);
        const value: unknown = Reflect.get(target, name, target);
        // Its private fields are on the target, not on the proxy.
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  }

  begin({ signal, ...message }: HostedTurn): void {
    this.#first = fromOf(message);
    this.#later = message.sender === undefined ? {} : { sender: message.sender };
    this.#steered = [];
    this.#signal = signal;
    this.#end = undefined;
  }

  /** A further message is on its way to the runtime. */
  expect(message: HostedMessage): void {
    this.#steered = [...this.#steered, message];
  }

  /** Undefined where Conduct was not asked: the turn broke off before. */
  get end(): SeenEnd | undefined {
    return this.#end;
  }

  /** A steered one is known by its words: the runtime has ids of its own. Others after the first are of the turn's sender, and other messages. */
  #takeFrom(text: string): From {
    const from = this.#first;
    this.#first = undefined;
    if (from !== undefined) return from;
    const steered = this.#steered.find((one) => one.text === text);
    if (steered === undefined) return this.#later;
    this.#steered = this.#steered.filter((one) => one !== steered);
    return fromOf(steered);
  }

  async #decide(call: CallInput): Promise<Decision> {
    const { session, agent, approvals } = this.#hosted;
    const decision = await session.onCall(call);
    if (decision.kind === "deny" && decision.endTurn) this.#end = { status: "ended-by-policy", why: decision.reason };
    if (decision.kind !== "ask") return decision;
    const { approval, rule, question, expiresAt } = decision;
    const asked = { approval, rule, question, expiresAt, tool: call.tool, session: session.id, agent: agent.name };
    const word = await approvals.ask({ ...asked, user: session.view.user ?? "" }, this.#signal);
    if (word === undefined) return decision;
    try {
      session.resolve(approval, word.answer, word.by);
    } catch (error) {
      // Answered elsewhere in the meantime, or expired: what holds is what the session says now.
      session.notice({ kind: "fault", fault: { where: "claude", code: "approval", message: errorText(error) } });
    }
    return session.onCall(call);
  }
}
