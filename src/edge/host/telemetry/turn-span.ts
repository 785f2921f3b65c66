import { redactSecrets } from "../../../base/kernel/redact-secrets.ts";
import { cutGraphemes } from "../../../base/kernel/text.ts";
import type { ConductEvent } from "../../../base/words/event.ts";
import type { Attributes, OtlpSpan, SpanEvent, TracePlace } from "./otlp-encoding.ts";
import { type EventOf, spanIdOf, type Tell, traceIdOf } from "./trace-attributes.ts";

/** OpenTelemetry's limit for events of one span. */
const MAX_EVENTS = 128;
/** Characters exported of a message, and characters searched for secrets. */
const MAX_TEXT = 4_000;
const KEPT_TEXT = 16_000;

/** A turn in progress. Its messages, prompts and stops become events of its span. */
export class OpenTurn {
  readonly place: TracePlace;
  readonly #first: ConductEvent;
  readonly #parentSpanId: string | undefined;
  readonly #tell: Tell;
  #end: number;
  #agent: string;
  #common: Attributes = {};
  #events: SpanEvent[] = [];
  #droppedEvents = 0;
  #input: string | undefined;
  #output: string | undefined;
  #spent: { inputTokens: number; outputTokens: number; cost: number } | undefined;
  #calls = 0;
  #denials = 0;
  #stop: EventOf<"stop"> | undefined;

  /** `above` is the parent session's turn, if there is one. */
  constructor(first: ConductEvent, above: TracePlace | undefined, tell: Tell) {
    this.place = {
      traceId: above?.traceId ?? traceIdOf(first.session, first.turn),
      spanId: spanIdOf("turn", first),
    };
    this.#first = first;
    this.#parentSpanId = above?.spanId;
    this.#end = first.at;
    this.#agent = first.agent;
    this.#tell = tell;
  }

  has({ turn, run }: ConductEvent): boolean {
    return turn === this.#first.turn && run === this.#first.run;
  }

  /** Has the agent stopped? Late events are still accepted for a moment. */
  get stopped(): boolean {
    return this.#stop !== undefined && this.#stop.status !== "refused";
  }

  take(event: ConductEvent, common: Attributes): void {
    this.#end = Math.max(this.#end, event.at);
    this.#agent = event.agent;
    this.#common = common;
    switch (event.type) {
      case "message":
        this.#input = event.text.slice(0, KEPT_TEXT);
        this.#add(event, { "conduct.sender.role": event.sender?.role });
        break;
      case "prompt":
        this.#stop = undefined;
        this.#add(event, promptAttributes(event));
        break;
      case "call":
        this.#calls += 1;
        if (event.decision.kind === "deny") this.#denials += 1;
        else this.#stop = undefined;
        break;
      case "stop":
        this.#stop = event;
        this.#add(event, { "conduct.stop.status": event.status, "conduct.stop.refusals": event.refusals }, () => ({
          "conduct.stop.why": event.why ?? event.feedback,
        }));
        break;
      case "notice":
        this.#takeNotice(event);
        break;
    }
  }

  #takeNotice({ notice }: EventOf<"notice">): void {
    if (notice.kind === "reply") this.#output = notice.text.slice(0, KEPT_TEXT);
    if (notice.kind !== "usage") return;
    this.#spent ??= { inputTokens: 0, outputTokens: 0, cost: 0 };
    this.#spent.inputTokens += notice.inputTokens ?? 0;
    this.#spent.outputTokens += notice.outputTokens ?? 0;
    this.#spent.cost += notice.cost ?? 0;
  }

  #add({ at, type }: ConductEvent, attributes: Attributes, content?: () => Attributes): void {
    if (this.#events.length >= MAX_EVENTS) {
      this.#droppedEvents += 1;
      return;
    }
    const own = { behavior_contract_hash: this.#common.behavior_contract_hash, ...attributes };
    this.#events.push({ at, name: `conduct.${type}`, attributes: this.#tell(own, content) });
  }

  finish(): OtlpSpan {
    const status = this.#stop?.status;
    const error = status === "ended-by-policy" || status === "incomplete" ? status : undefined;
    const own = {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.usage.input_tokens": this.#spent?.inputTokens,
      "gen_ai.usage.output_tokens": this.#spent?.outputTokens,
      "conduct.usage.cost": this.#spent?.cost,
      "conduct.turn.calls": this.#calls,
      "conduct.turn.denials": this.#denials,
      "conduct.stop.status": status,
      "conduct.stop.refusals": this.#stop?.refusals,
      "error.type": error,
      "conduct.unfinished": this.stopped ? undefined : true,
    };
    const content = () => ({
      "gen_ai.input.messages": asMessages("user", this.#input),
      "gen_ai.output.messages": asMessages("assistant", this.#output),
    });
    return {
      ...this.place,
      parentSpanId: this.#parentSpanId,
      name: `invoke_agent ${this.#agent}`,
      start: this.#first.at,
      end: this.#end,
      attributes: { ...this.#common, ...this.#tell(own, content) },
      events: this.#events,
      droppedEvents: this.#droppedEvents,
      error,
    };
  }
}

function promptAttributes(event: EventOf<"prompt">): Attributes {
  return {
    "conduct.prompt.hash": event.hash,
    "conduct.prompt.prefix_hash": event.prefixHash,
    "conduct.prompt.tokens": event.tokens,
    "conduct.prompt.prefix_tokens": event.prefixTokens,
    "conduct.prompt.sections": event.sections.map(({ contributor }) => contributor),
    "conduct.prompt.cuts": event.cuts.length,
    "conduct.contract.version": event.contract?.version,
    "conduct.contract.directives": event.contract?.directives,
  };
}

/** OpenTelemetry's format for messages. */
function asMessages(role: "user" | "assistant", text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const content = cutGraphemes(redactSecrets(text), MAX_TEXT);
  return JSON.stringify([{ role, parts: [{ type: "text", content }] }]);
}
