import type { ConductEvent } from "../../../base/words/event.ts";
import type { Attributes, OtlpSpan, TracePlace } from "./otlp.ts";
import { closeCall, type OpenCall, openCall } from "./telemetry-call.ts";
import { ATTR, NO_CONTRACT } from "./telemetry-names.ts";
import type { Tell } from "./telemetry-tell.ts";
import { OpenTurn } from "./telemetry-turn.ts";

/** Calls of one session that may be under way at once; the oldest is told unfinished when there are more. */
const MAX_CALLS = 256;

/** What has to be known of a session to make spans of its events: its open turn and calls, and whose it is. */
export class SessionTrace {
  readonly #tell: Tell;
  readonly #calls = new Map<string, OpenCall>();
  #turn: OpenTurn | undefined;
  /** The turn before, for what comes late. */
  #before: OpenTurn | undefined;
  #user: string | undefined;
  #channel: string | undefined;
  #model: string | undefined;
  #adapter: string | undefined;
  #contract: string | undefined;
  #at = 0;
  #ended = false;
  /** It was over at the last look already: nothing more is waited for. */
  #aged = false;

  constructor(tell: Tell) {
    this.#tell = tell;
  }

  /** Where what belongs to this session's work now has its place. */
  get place(): TracePlace | undefined {
    return (this.#turn ?? this.#before)?.place;
  }

  placeOf(event: ConductEvent): TracePlace | undefined {
    return [this.#turn, this.#before].find((turn) => turn?.has(event))?.place;
  }

  /** Something is over and waits to be told. */
  get waiting(): boolean {
    return this.#ended || this.#turn?.stopped === true;
  }

  /** Takes in an event, and gives the spans that it ends. */
  take(event: ConductEvent, above: TracePlace | undefined): readonly OtlpSpan[] {
    this.#learn(event);
    this.#at = event.at;
    this.#aged = false;
    const spans: OtlpSpan[] = [];
    // A stop that is told twice is of the turn that has been told.
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
      // A result without a call is that of a denied one, which has been told.
      if (open !== undefined) spans.push(closeCall(open, event.at, event));
    }
    if (event.type === "notice" && event.notice.kind === "ended") this.#ended = true;
    return spans;
  }

  /** What every record of this session says. */
  common(event: ConductEvent): Attributes {
    return this.#tell({
      [ATTR.contractHash]: event.contract_hash ?? this.#contract ?? ownHash(event) ?? NO_CONTRACT,
      [ATTR.session]: event.session,
      [ATTR.parent]: event.parent,
      [ATTR.agent]: event.agent,
      [ATTR.user]: this.#user,
      [ATTR.channel]: this.#channel,
      [ATTR.model]: this.#model,
      [ATTR.adapter]: this.#adapter,
      [ATTR.run]: event.run,
      [ATTR.turn]: event.turn,
    });
  }

  /** Told at intervals: what is over since the last time is not waited for any more. `over`: nothing is left of it. */
  settle(how: "aged" | "stopped"): { readonly spans: readonly OtlpSpan[]; readonly over: boolean } {
    if (!this.waiting) return { spans: [], over: false };
    if (how === "aged" && !this.#aged) {
      this.#aged = true;
      return { spans: [], over: false };
    }
    return { spans: this.#ended ? this.finish() : this.#endTurn(), over: this.#ended };
  }

  /** Nothing more will come. */
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

  #takeCall(event: Extract<ConductEvent, { type: "call" }>): readonly OtlpSpan[] {
    const turn = this.place;
    if (turn === undefined) return [];
    const { id } = event.call;
    const open = openCall(event, turn, this.common(event), this.#tell, this.#calls.get(id));
    this.#calls.delete(id);
    if (event.decision.kind === "deny") return [closeCall(open, event.at, "denied")];
    this.#calls.set(id, open);
    const [oldest] = this.#calls;
    if (this.#calls.size <= MAX_CALLS || oldest === undefined) return [];
    this.#calls.delete(oldest[0]);
    return [closeCall(oldest[1], event.at, "unfinished")];
  }

  #learn(event: ConductEvent): void {
    this.#contract = event.contract_hash ?? this.#contract;
    if (event.type === "session") {
      this.#user = event.user ?? this.#user;
      this.#channel = event.channel ?? this.#channel;
    }
    // Who speaks in a session of nobody's is whose it is, as far as is known.
    if (event.type === "message") this.#user ??= event.sender?.user;
    if (event.type === "notice" && event.notice.kind === "started") {
      this.#model = event.notice.model ?? this.#model;
      this.#adapter = event.notice.adapter ?? this.#adapter;
    }
  }
}

/** What only happens at work; a session that is opened, or a fault, begins no turn. */
function beginsTurn(event: ConductEvent): boolean {
  const { type } = event;
  if (type === "message") return event.reply === undefined;
  return type === "prompt" || type === "call" || type === "stop";
}

/** A message for Conduct alone is of no turn. */
function isAnswered(event: ConductEvent): boolean {
  return event.type === "message" && event.reply !== undefined;
}

/** Before the first prompt the contract is known only by what changed or told it. */
function ownHash(event: ConductEvent): string | undefined {
  if (event.type === "directive") return event.hash;
  return event.type === "prompt" ? event.contract?.hash : undefined;
}
