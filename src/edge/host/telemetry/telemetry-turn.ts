import { redactSecrets } from "../../../base/kernel/redact-secrets.ts";
import { cutGraphemes } from "../../../base/kernel/text.ts";
import type { ConductEvent } from "../../../base/words/event.ts";
import type { Attributes, OtlpSpan, SpanEvent, TracePlace } from "./otlp.ts";
import { spanIdOf, traceIdOf } from "./telemetry-ids.ts";
import { ATTR, CONTENT, MOMENT, TURN } from "./telemetry-names.ts";
import type { Tell } from "./telemetry-tell.ts";

/** As OpenTelemetry limits them. */
const MAX_EVENTS = 128;
/** What is told of a message, and what of it is kept and searched for secrets until then. */
const MAX_TEXT = 4_000;
const KEPT_TEXT = 16_000;

/** One turn on its way to be a span. */
export class OpenTurn {
  readonly place: TracePlace;
  readonly #parentSpanId: string | undefined;
  readonly #start: number;
  readonly #number: number;
  readonly #run: string;
  readonly #tell: Tell;
  #end: number;
  #agent: string;
  #common: Attributes = {};
  #moments: SpanEvent[] = [];
  #droppedMoments = 0;
  #input: string | undefined;
  #output: string | undefined;
  #spent: { inputTokens: number; outputTokens: number; cost: number } | undefined;
  #calls = 0;
  #denials = 0;
  #stop: Extract<ConductEvent, { type: "stop" }> | undefined;

  /** A turn of a session below another is within the turn of that one: `above`. */
  constructor(first: ConductEvent, above: TracePlace | undefined, tell: Tell) {
    const { session, run, seq, turn, at, agent } = first;
    const traceId = above?.traceId ?? traceIdOf(session, turn);
    this.place = { traceId, spanId: spanIdOf("turn", session, run, seq) };
    this.#parentSpanId = above?.spanId;
    this.#start = at;
    this.#end = at;
    this.#number = turn;
    this.#run = run;
    this.#agent = agent;
    this.#tell = tell;
  }

  /** Is this event of the turn? */
  has({ turn, run }: ConductEvent): boolean {
    return turn === this.#number && run === this.#run;
  }

  /** The agent is done, or was made to stop; what still comes in is taken for a moment. */
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
        this.#moment(event, MOMENT.message, { [ATTR.role]: event.sender?.role });
        break;
      case "prompt":
        this.#stop = undefined;
        this.#moment(event, MOMENT.prompt, promptAttributes(event));
        break;
      case "call":
        this.#stop = event.decision.kind === "deny" ? this.#stop : undefined;
        this.#calls += 1;
        if (event.decision.kind === "deny") this.#denials += 1;
        break;
      case "stop":
        this.#stop = event;
        this.#moment(event, MOMENT.stop, { [ATTR.stopStatus]: event.status, [ATTR.refusals]: event.refusals }, () => ({
          [CONTENT.stopWhy]: event.why ?? event.feedback,
        }));
        break;
      case "notice":
        this.#takeNotice(event);
        break;
    }
  }

  #takeNotice({ notice }: Extract<ConductEvent, { type: "notice" }>): void {
    if (notice.kind === "reply") this.#output = notice.text.slice(0, KEPT_TEXT);
    if (notice.kind !== "usage") return;
    const { inputTokens = 0, outputTokens = 0, cost = 0 } = this.#spent ?? {};
    this.#spent = {
      inputTokens: inputTokens + (notice.inputTokens ?? 0),
      outputTokens: outputTokens + (notice.outputTokens ?? 0),
      cost: cost + (notice.cost ?? 0),
    };
  }

  #moment({ at }: ConductEvent, name: string, attributes: Attributes, content?: () => Attributes): void {
    if (this.#moments.length >= MAX_EVENTS) {
      this.#droppedMoments += 1;
      return;
    }
    const hash = { [ATTR.contractHash]: this.#common[ATTR.contractHash] };
    this.#moments.push({ at, name, attributes: this.#tell({ ...hash, ...attributes }, content) });
  }

  finish(): OtlpSpan {
    const status = this.#stop?.status;
    const wrong = status === "ended-by-policy" || status === "incomplete" ? status : undefined;
    const own = {
      [ATTR.operation]: TURN.operation,
      [ATTR.inputTokens]: this.#spent?.inputTokens,
      [ATTR.outputTokens]: this.#spent?.outputTokens,
      [ATTR.cost]: this.#spent?.cost,
      [ATTR.calls]: this.#calls,
      [ATTR.denials]: this.#denials,
      [ATTR.stopStatus]: status,
      [ATTR.refusals]: this.#stop?.refusals,
      [ATTR.errorType]: wrong,
      [ATTR.unfinished]: this.stopped ? undefined : true,
    };
    return {
      ...this.place,
      ...(this.#parentSpanId === undefined ? {} : { parentSpanId: this.#parentSpanId }),
      name: TURN.name(this.#agent),
      start: this.#start,
      end: this.#end,
      attributes: {
        ...this.#common,
        ...this.#tell(own, () => ({
          [CONTENT.input]: asMessages("user", this.#input),
          [CONTENT.output]: asMessages("assistant", this.#output),
        })),
      },
      events: this.#moments,
      droppedEvents: this.#droppedMoments,
      ...(wrong === undefined ? {} : { error: wrong }),
    };
  }
}

function promptAttributes(event: Extract<ConductEvent, { type: "prompt" }>): Attributes {
  return {
    [ATTR.promptHash]: event.hash,
    [ATTR.promptPrefixHash]: event.prefixHash,
    [ATTR.promptTokens]: event.tokens,
    [ATTR.promptPrefixTokens]: event.prefixTokens,
    [ATTR.promptSections]: event.sections.map(({ contributor }) => contributor),
    [ATTR.promptCuts]: event.cuts.length,
    [ATTR.version]: event.contract?.version,
    [ATTR.directives]: event.contract?.directives,
  };
}

/** In the form that OpenTelemetry gives messages. */
function asMessages(role: "user" | "assistant", text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const content = cutGraphemes(redactSecrets(text), MAX_TEXT);
  return JSON.stringify([{ role, parts: [{ type: "text", content }] }]);
}
