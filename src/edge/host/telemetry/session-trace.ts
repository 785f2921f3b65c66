import type { ConductEvent } from "../../../base/words/event.ts";
import { modelAttributes } from "./model-provider.ts";
import type { Attributes, OtlpSpan, TracePlace } from "./otlp-encoding.ts";
import {
  decisionAttributes,
  decisionContent,
  type EventOf,
  NO_CONTRACT,
  OpenTurn,
  spanIdOf,
  type Tell,
} from "./turn-span.ts";

/** Limit of open calls per session. Beyond it the oldest is exported as unfinished. */
const MAX_CALLS = 256;

type OpenCall = Pick<OtlpSpan, "traceId" | "spanId" | "parentSpanId" | "name" | "start" | "attributes">;

/** Turns the events of one session into spans. Tracks the open turn, the open calls and the session's user. */
export class SessionTrace {
  readonly #tell: Tell;
  readonly #calls = new Map<string, OpenCall>();
  #turn: OpenTurn | undefined;
  /** The previous turn, for late events. */
  #before: OpenTurn | undefined;
  /** What is known of the session: user, channel, model, adapter and the hash of its contract. */
  #known: { readonly [name in "user" | "channel" | "model" | "adapter" | "contract"]?: string } = {};
  #at = 0;
  #ended = false;
  /** The turn was already over at the last `settle`. */
  #aged = false;

  constructor(tell: Tell) {
    this.#tell = tell;
  }

  /** The span that new work of this session belongs to. */
  get place(): TracePlace | undefined {
    return (this.#turn ?? this.#before)?.place;
  }

  placeOf(event: ConductEvent): TracePlace | undefined {
    return [this.#turn, this.#before].find((turn) => turn?.has(event))?.place;
  }

  /** Is anything finished but not exported yet? */
  get waiting(): boolean {
    return this.#ended || this.#turn?.stopped === true;
  }

  /** Returns the spans that the event ends. */
  take(event: ConductEvent, above: TracePlace | undefined): readonly OtlpSpan[] {
    this.#learn(event);
    this.#at = event.at;
    this.#aged = false;
    const spans: OtlpSpan[] = [];
    // A repeated stop belongs to the turn that was already exported.
    const again = event.type === "stop" && this.#before?.has(event) === true;
    if (this.#turn?.has(event) !== true && beginsTurn(event) && !again) {
      spans.push(...this.#endTurn());
      this.#turn = new OpenTurn(event, above, this.#tell);
    }
    if (this.#turn?.has(event) === true && !isAnswered(event)) this.#turn.take(event, this.common(event));
    if (event.type === "call") spans.push(...this.#takeCall(event));
    if (event.type === "result") {
      const open = this.#calls.get(event.call);
      this.#calls.delete(event.call);
      // A result without an open call belongs to a denied one, which was already exported.
      if (open !== undefined) spans.push(closeCall(open, event.at, event));
    }
    if (event.type === "notice" && event.notice.kind === "ended") this.#ended = true;
    return spans;
  }

  /** Attributes of every span and record of this session. */
  common(event: ConductEvent): Attributes {
    return this.#tell({
      behavior_contract_hash: event.contract_hash ?? this.#known.contract ?? ownHash(event) ?? NO_CONTRACT,
      "gen_ai.conversation.id": event.session,
      "conduct.session.parent": event.parent,
      "gen_ai.agent.name": event.agent,
      "user.id": this.#known.user,
      "conduct.channel": this.#known.channel,
      ...modelAttributes(this.#known.model),
      "conduct.adapter": this.#known.adapter,
      "conduct.run": event.run,
      "conduct.turn": event.turn,
    });
  }

  /** Called at intervals. With `aged`, a turn is exported only if it was over at the last call too. */
  settle(how: "aged" | "stopped"): { readonly spans: readonly OtlpSpan[]; readonly over: boolean } {
    if (!this.waiting) return { spans: [], over: false };
    if (how === "aged" && !this.#aged) {
      this.#aged = true;
      return { spans: [], over: false };
    }
    return { spans: this.#ended ? this.finish() : this.#endTurn(), over: this.#ended };
  }

  /** Exports everything that is still open. */
  finish(): readonly OtlpSpan[] {
    const calls = [...this.#calls.values()].map((open) => closeCall(open, this.#at, "unfinished"));
    this.#calls.clear();
    return [...calls, ...this.#endTurn()];
  }

  #endTurn(): readonly OtlpSpan[] {
    if (this.#turn === undefined) return [];
    this.#before = this.#turn;
    this.#turn = undefined;
    return [this.#before.finish()];
  }

  #takeCall(event: EventOf<"call">): readonly OtlpSpan[] {
    const turn = this.place;
    if (turn === undefined) return [];
    const { id } = event.call;
    const open = this.#openCall(event, turn);
    this.#calls.delete(id);
    if (event.decision.kind === "deny") return [closeCall(open, event.at, "denied")];
    this.#calls.set(id, open);
    const [oldest] = this.#calls;
    if (this.#calls.size <= MAX_CALLS || oldest === undefined) return [];
    this.#calls.delete(oldest[0]);
    return [closeCall(oldest[1], event.at, "unfinished")];
  }

  /** A call that a person was asked about is decided again. It stays one span, from the question on. */
  #openCall(event: EventOf<"call">, turn: TracePlace): OpenCall {
    const { call, decision } = event;
    const before = this.#calls.get(call.id);
    const own = this.#tell({ "gen_ai.operation.name": "execute_tool", ...decisionAttributes(event) }, () => ({
      "gen_ai.tool.call.arguments": JSON.stringify(
        (decision.kind === "deny" ? undefined : decision.input) ?? call.args,
      ),
      ...decisionContent(decision),
    }));
    return {
      traceId: before?.traceId ?? turn.traceId,
      spanId: before?.spanId ?? spanIdOf("call", event),
      parentSpanId: before?.parentSpanId ?? turn.spanId,
      name: `execute_tool ${call.tool}`,
      start: before?.start ?? event.at,
      attributes: { ...this.common(event), ...own },
    };
  }

  #learn(event: ConductEvent): void {
    const { contract_hash: contract = this.#known.contract } = event;
    const { user, channel, model, adapter } = this.#known;
    this.#known = { user, channel, model, adapter, contract };
    if (event.type === "session")
      this.#known = { ...this.#known, user: event.user ?? user, channel: event.channel ?? channel };
    // Without a known user, the sender counts as the user.
    if (event.type === "message") this.#known = { ...this.#known, user: user ?? event.sender?.user };
    if (event.type === "notice" && event.notice.kind === "started")
      this.#known = { ...this.#known, model: event.notice.model ?? model, adapter: event.notice.adapter ?? adapter };
  }
}

function beginsTurn(event: ConductEvent): boolean {
  const { type } = event;
  if (type === "message") return event.reply === undefined;
  return type === "prompt" || type === "call" || type === "stop";
}

/** Conduct answered the message itself, so it belongs to no turn. */
function isAnswered(event: ConductEvent): boolean {
  return event.type === "message" && event.reply !== undefined;
}

/** The contract hash in the event itself, for events before the first prompt. */
function ownHash(event: ConductEvent): string | undefined {
  if (event.type === "directive") return event.hash;
  return event.type === "prompt" ? event.contract?.hash : undefined;
}

/** Ends the span of a call. A denied call never ran. */
function closeCall(open: OpenCall, at: number, end: EventOf<"result"> | "denied" | "unfinished"): OtlpSpan {
  const result = typeof end === "string" ? undefined : end;
  const outcome = result?.outcome ?? (end === "denied" ? "denied" : "unknown");
  const error = outcome === "failed" || outcome === "denied" || outcome === "cancelled" ? outcome : undefined;
  const attributes = {
    ...open.attributes,
    "conduct.call.outcome": outcome,
    "error.type": error,
    "conduct.unfinished": end === "unfinished" ? true : undefined,
    "process.exit.code": result?.exitCode,
    "conduct.call.truncations": result?.truncation.length,
    "conduct.call.feedback": result?.feedback.length,
  };
  return { ...open, end: at, attributes, events: [], droppedEvents: 0, error };
}
