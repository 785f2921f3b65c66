import { hashJson } from "../../base/kernel/canonical-json.ts";
import type { Exhausted, Usage } from "../../base/words/budget.ts";
import type { Observing } from "../../base/words/decision.ts";
import type { EventBody, Fault, SessionPoint } from "../../base/words/event.ts";
import type { Facts } from "../../base/words/facts.ts";
import type { Sender } from "../../base/words/hosting/channel.ts";
import type { ToldInstructions } from "../../base/words/hosting/instructions.ts";
import type { JsonObject } from "../../base/words/json.ts";
import type { SessionView } from "../../base/words/session-view.ts";
import type { Slices } from "../../behavior/session/snapshot/slices.ts";
import { turnSlice } from "../../behavior/session/turn.ts";
import type { CompiledAgent } from "../agent/compiled-agent.ts";
import type { ContractInForce } from "../moments/contract-of-turn.ts";
import { LiveView } from "../moments/live-view.ts";
import type { SessionClock } from "../moments/session-clock.ts";
import type { Enforcement } from "../moments/session-options.ts";
import type { SessionPorts } from "../moments/session-ports.ts";
import type { ReadInstructions } from "../moments/told-user.ts";
import { liveOverLimit } from "./spending.ts";

/** Verbose texts that may wait to be shown. */
const DEBUG_KEPT = 50;

export type EventMore = { readonly facts?: Facts | undefined; readonly step?: string | undefined };

/** The parts of a session that a replay answers from its recording. */
export type SessionWorld = {
  observing(context: SessionContext): Observing | undefined;
  isEnded(context: SessionContext): boolean;
  overLimit(context: SessionContext, wanted: Partial<Usage>): Exhausted | undefined;
  /** Equal for equal arguments in one folder. */
  hashCall(args: JsonObject, cwd: string | null): string;
  emit(context: SessionContext, body: EventBody, more: EventMore): void;
};

export type SessionInit = {
  readonly id: string;
  readonly parent?: SessionContext | undefined;
  readonly agent: CompiledAgent;
  /** Finds an agent by name; throws when there is none. */
  readonly agentOf: (name: string) => CompiledAgent;
  readonly ports: SessionPorts;
  readonly clock: SessionClock;
  readonly slices: Slices;
  readonly window?: number | undefined;
  readonly adapter?: string | undefined;
  /** Sender of messages that name none. */
  readonly sender?: Sender | undefined;
  readonly enforcement?: Enforcement | undefined;
};

/** Everything the moments of one session share. The moments are functions over it; nothing here decides. */
export type SessionContext = {
  readonly id: string;
  readonly parent: SessionContext | undefined;
  readonly ports: SessionPorts;
  readonly clock: SessionClock;
  readonly agentOf: (name: string) => CompiledAgent;
  readonly sender: Sender | undefined;
  readonly enforcement: Enforcement;
  readonly world: SessionWorld;
  readonly run: string;
  seq: number;
  compiled: CompiledAgent;
  slices: Slices;
  window: number | undefined;
  adapter: string | undefined;
  model: string | undefined;
  /** The contract of this turn; read when first needed. */
  contract: ContractInForce | undefined;
  contractHash: string | undefined;
  classifying: { readonly run: Promise<void>; readonly abort: AbortController } | undefined;
  /** Whether it was already reported that sessions cannot be classified. */
  classificationSkipped: boolean;
  /** The last instructions read, and for which agent. */
  lastInstructions: { readonly agent: string; readonly read: ReadInstructions } | undefined;
  /** What each prompt contained, so that two prompts at once do not mix up what the model has seen. */
  readonly instructionReads: WeakMap<ToldInstructions, ReadInstructions>;
  /** Prompt faults that were reported already. */
  readonly reportedFaults: Set<string>;
  readonly debug: string[];
  /** Notes for the person that come with the next message. */
  readonly owedNotes: string[];
};

/** The world of a session that really runs. */
export const LIVE_WORLD: SessionWorld = {
  observing({ ports, enforcement }) {
    if (ports.paused?.() === true) return "paused";
    return enforcement === "shadow" ? "shadow" : undefined;
  },
  isEnded: (context) =>
    context.slices.get(turnSlice).ended || (context.parent !== undefined && isEnded(context.parent)),
  overLimit: liveOverLimit,
  hashCall: (args, cwd) => hashJson([args, cwd]),
  emit: publish,
};

export function createContext(init: SessionInit, world: SessionWorld = LIVE_WORLD): SessionContext {
  const { id, parent, agent, agentOf, ports, clock, slices, window, adapter, sender, enforcement = "enforce" } = init;
  return {
    ...{ id, parent, ports, clock, agentOf, sender, enforcement, world, slices, window, adapter },
    run: ports.ids.next("run"),
    seq: 0,
    compiled: agent,
    model: agent.agent.model,
    contract: undefined,
    contractHash: undefined,
    classifying: undefined,
    classificationSkipped: false,
    lastInstructions: undefined,
    instructionReads: new WeakMap(),
    reportedFaults: new Set(),
    debug: [],
    owedNotes: [],
  };
}

/** Name of the agent at work. */
export function agentName({ compiled }: SessionContext): string {
  return compiled.agent.name;
}

/** The session as it is now; later changes do not show in it. */
export function viewOf(context: SessionContext, slices: Slices = context.slices): SessionView {
  return new LiveView(context.id, slices, context.compiled.agent, context.clock.now());
}

/** Why nothing is enforced now; `undefined` when everything is. */
export function observingOf(context: SessionContext): Observing | undefined {
  return context.world.observing(context);
}

/** Whether this session or one above it is over. An ended session allows nothing. */
export function isEnded(context: SessionContext): boolean {
  return context.world.isEnded(context);
}

/** The position of the last event. */
export function pointOf({ run, seq }: SessionContext): SessionPoint {
  return { run, seq };
}

export function emit(context: SessionContext, body: EventBody, more: EventMore = {}): void {
  context.world.emit(context, body, more);
}

export function reportFault(context: SessionContext, fault: Fault): void {
  emit(context, { type: "fault", fault });
}

/** Adds a text for the person in verbose mode; never for the model. */
export function addDebug(context: SessionContext, text: string): void {
  context.debug.push(text);
  // They must not pile up in a runtime that never shows them.
  if (context.debug.length > DEBUG_KEPT) context.debug.shift();
  emit(context, { type: "verbose", text });
}

/** Verbose texts since the last time. */
export function takeDebug({ debug }: SessionContext): string | undefined {
  return debug.length === 0 ? undefined : debug.splice(0).join("\n\n");
}

function publish(context: SessionContext, body: EventBody, { facts, step }: EventMore): void {
  context.seq += 1;
  const observing = observingOf(context);
  context.ports.bus.emit({
    v: 1,
    id: context.ports.ids.next("e"),
    seq: context.seq,
    at: context.clock.now(),
    session: context.id,
    ...(context.parent === undefined ? {} : { parent: context.parent.id }),
    agent: agentName(context),
    run: context.run,
    turn: context.slices.get(turnSlice).number,
    ...(step === undefined ? {} : { step }),
    ...(facts === undefined ? {} : { facts }),
    ...(observing === undefined ? {} : { observing }),
    ...(context.contractHash === undefined ? {} : { contract_hash: context.contractHash }),
    ...body,
  });
}
