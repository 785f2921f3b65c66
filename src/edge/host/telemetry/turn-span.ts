import { sha256 } from "../../../base/kernel/canonical-json.ts";
import { redactSecrets } from "../../../base/kernel/redact-secrets.ts";
import { cutGraphemes } from "../../../base/kernel/text.ts";
import type { Decision } from "../../../base/words/decision.ts";
import type { ConductEvent } from "../../../base/words/event.ts";
import { type Attributes, MAX_VALUE, type OtlpSpan, type SpanEvent, type TracePlace } from "./otlp-encoding.ts";

export type EventOf<T extends ConductEvent["type"]> = Extract<ConductEvent, { type: T }>;

/** Placeholder before a session's first prompt. */
export const NO_CONTRACT = "unknown";

/** Prepares attributes for export. `content` is text written by people, models and tools. */
export type Tell = (attributes: Attributes, content?: () => Attributes) => Attributes;

const MAX_NAME = 256;
/** Longer than the exported text, because a redaction mark may be shorter than the secret. */
const SEARCHED = 2 * MAX_VALUE;

/** The only place that decides whether content is exported. Secrets in it are always redacted. */
export function tellWith(content: "told" | "kept"): Tell {
  return (attributes, written) => {
    const short = mapTexts(attributes, (text) => cutGraphemes(text, MAX_NAME));
    if (content === "kept" || written === undefined) return short;
    const clean = (text: string) => cutGraphemes(redactSecrets(text.slice(0, SEARCHED)), MAX_VALUE);
    return { ...short, ...mapTexts(written(), clean) };
  };
}

function mapTexts(attributes: Attributes, change: (text: string) => string): Attributes {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => {
      if (typeof value === "string") return [name, change(value)];
      return [name, typeof value === "object" ? value.map(change) : value];
    }),
  );
}

/** Trace id of a turn. Derived from the event, so each can be found from the other. */
export function traceIdOf(session: string, turn: number): string {
  return sha256(JSON.stringify(["conduct.trace", session, turn])).slice(0, 32);
}

/** Id of the span that this event started. A restored session repeats a turn, and each run has its own span. */
export function spanIdOf(of: "turn" | "call", { session, run, seq }: ConductEvent): string {
  return sha256(JSON.stringify(["conduct.span", of, session, run, seq])).slice(0, 16);
}

/** The decision on a call and its rule; identical on the call's span and on its log record. */
export function decisionAttributes({ call, decision, shadows = [] }: EventOf<"call">): Attributes {
  const common = {
    "gen_ai.tool.name": call.tool,
    "gen_ai.tool.call.id": call.id,
    // A tool of a server reaches out of the agent; all others run in its runtime.
    "gen_ai.tool.type": call.native.server === undefined ? "function" : "extension",
    "conduct.call.actions": unlessEmpty(call.actions),
    "conduct.decision.kind": decision.kind,
    "conduct.decision.id": decision.id,
    "conduct.decision.shadows": unlessEmpty(shadows.map(({ rule }) => rule)),
  };
  switch (decision.kind) {
    case "allow":
      return {
        ...common,
        "conduct.decision.because": decision.because,
        "conduct.decision.lifted": decision.lifted,
        "conduct.decision.rule": decision.advice[0]?.rule,
      };
    case "ask":
      return { ...common, "conduct.decision.rule": decision.rule, "conduct.approval.id": decision.approval };
    case "deny":
      return {
        ...common,
        "conduct.decision.rule": decision.rule,
        "conduct.decision.code": decision.code,
        "conduct.decision.attempts_left": decision.attemptsLeft,
        "conduct.decision.end_turn": decision.endTurn,
        "conduct.decision.others": unlessEmpty(decision.others.map(({ rule }) => rule)),
      };
  }
}

function unlessEmpty(list: readonly string[]): readonly string[] | undefined {
  return list.length === 0 ? undefined : list;
}

/** The rule's own text, which may quote the call. */
export function decisionContent(decision: Decision): Attributes {
  return {
    "conduct.decision.reason": decision.kind === "deny" ? decision.reason : undefined,
    "conduct.approval.question": decision.kind === "ask" ? decision.question : undefined,
  };
}

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
