import { hashJson } from "../../base/kernel/canonical-json.ts";
import type { Budget, Exhausted, ScopeUse, Usage } from "../../base/words/budget.ts";
import type { CallRecord } from "../../base/words/call.ts";
import type { SessionClassification } from "../../base/words/classification.ts";
import type { Observing } from "../../base/words/decision.ts";
import type { EventBody, Fault } from "../../base/words/event.ts";
import type { Facts } from "../../base/words/facts.ts";
import type { Agent } from "../../base/words/hosting/agent.ts";
import type { Sender } from "../../base/words/hosting/channel.ts";
import type { ToldInstructions } from "../../base/words/hosting/instructions.ts";
import type { JsonObject } from "../../base/words/json.ts";
import type { Modes } from "../../base/words/modes.ts";
import type { Evidence, SessionView } from "../../base/words/session-view.ts";
import { classificationSlice, conversationOf } from "../../behavior/classification/classification-state.ts";
import { DEFAULT_WINDOW, windowOr } from "../../behavior/results/truncate-result.ts";
import {
  addUsage,
  committed,
  eachAmount,
  exhausted,
  hasNoLimit,
  NOTHING,
  reserve,
  type ScopeSpending,
  type Spending,
  settle,
  spendingSlice,
} from "../../behavior/session/budget.ts";
import { callCount, callLogSlice, evidenceOf, evidenceSlice, recentCalls } from "../../behavior/session/calls.ts";
import { effectiveModes, modesSlice, withoutElevation } from "../../behavior/session/modes/modes.ts";
import { identitySlice, turnSlice } from "../../behavior/session/session-identity.ts";
import type { Slices } from "../../behavior/session/snapshot/snapshot.ts";
import type { CompiledAgent } from "../agent/compiled-agent.ts";
import type { ContractInForce } from "../moments/contract-of-turn.ts";
import type { ReadInstructions } from "../moments/user-tools.ts";
import { DayLedger } from "./day-ledger.ts";
import type { SessionClock } from "./session-clock.ts";
import type { Enforcement, SessionPorts } from "./session-options.ts";

/** A session at one point in time; slices are read lazily. */
export class LiveView implements SessionView {
  readonly id: string;
  declare readonly parent?: string;
  declare readonly user?: string;
  declare readonly zone?: string;
  readonly channel: string;
  readonly startedAt: number;
  readonly budget: Budget;
  readonly agent: string;
  readonly now: number;
  readonly #slices: Slices;
  readonly #of: Agent;
  readonly #today: Usage | undefined;
  /** The parent's view, for a subagent. */
  readonly #above: (() => SessionView) | undefined;

  constructor(id: string, slices: Slices, agent: Agent, now: number, above?: () => SessionView, today?: Usage) {
    const identity = slices.get(identitySlice);
    this.id = id;
    this.channel = identity.channel;
    this.startedAt = identity.startedAt;
    this.budget = identity.budget;
    this.parent = identity.parent;
    this.user = identity.user;
    this.zone = identity.zone;
    this.agent = agent.name;
    this.#of = agent;
    this.#today = today;
    this.#above = above;
    this.now = now;
    this.#slices = slices;
  }

  get turn(): number {
    return this.#slices.get(turnSlice).number;
  }
  get deadline(): number | undefined {
    const { deadline } = this.#slices.get(identitySlice);
    const ofTurn = turnDeadline(this.#slices, this.#of);
    return deadline === undefined || ofTurn === undefined ? (deadline ?? ofTurn) : Math.min(deadline, ofTurn);
  }
  get custom(): readonly string[] {
    return this.#slices.get(identitySlice).custom ?? this.#above?.().custom ?? this.#of.custom ?? [];
  }
  get modes(): Modes {
    const modes = effectiveModes(this.#slices.get(modesSlice), this.now, this.#of.elevation);
    const { sender } = this.#slices.get(turnSlice);
    // What an operator's message elevates does not apply to other people's turns in the same session.
    const isOthers = sender !== undefined && sender.role !== "operator" && modes.elevatedBy === undefined;
    return modes.elevated && isOthers ? withoutElevation(modes) : modes;
  }
  get messages(): readonly string[] {
    return conversationOf(this.#slices.get(classificationSlice));
  }
  get label(): string | undefined {
    return this.classification?.label;
  }
  get classification(): SessionClassification | undefined {
    return this.#slices.get(classificationSlice).latest ?? undefined;
  }
  get held(): SessionClassification | undefined {
    return this.#above === undefined ? (this.#slices.get(classificationSlice).held ?? undefined) : this.#above().held;
  }
  get usage(): Usage {
    return this.#slices.get(spendingSlice).usage;
  }
  get scopes(): readonly ScopeUse[] {
    return this.#scopes().map(({ scope, budget, used: usage }) => ({ scope, budget, usage }));
  }
  get exhausted(): Exhausted | undefined {
    return exhausted(this.#scopes());
  }
  get callCount(): number {
    return callCount(this.#slices.get(callLogSlice), this.agent);
  }
  recentCalls(n: number): readonly CallRecord[] {
    return recentCalls(this.#slices.get(callLogSlice), this.agent, n);
  }
  evidence(action: string): Evidence | undefined {
    return evidenceOf(this.#slices.get(evidenceSlice), action);
  }
  #scopes(): readonly ScopeSpending[] {
    return scopesOf(this.#slices, this.#of, this.now, this.#today);
  }
}

function turnDeadline(slices: Slices, { limits: { turn } }: Agent): number | undefined {
  if (turn?.deadline === undefined) return undefined;
  const { startedAt = slices.get(identitySlice).startedAt } = slices.get(turnSlice);
  return startedAt + turn.deadline;
}

/** The widest scope first: if the day is used up, a new session does not help. */
function scopesOf(slices: Slices, agent: Agent, now: number, today: Usage | undefined): readonly ScopeSpending[] {
  const { startedAt, budget, deadline } = slices.get(identitySlice);
  const spending = slices.get(spendingSlice);
  const { startedAt: turnAt = startedAt, spent = NOTHING } = slices.get(turnSlice);
  const { turn, day } = agent.limits;
  const used = committed(spending);
  const scopes: ScopeSpending[] = [{ scope: "session", budget, used, elapsed: now - startedAt, now, deadline }];
  if (day !== undefined && today !== undefined)
    scopes.unshift({ scope: "day", budget: day, used: today, elapsed: 0, now });
  if (turn !== undefined) {
    const end = turnDeadline(slices, agent);
    const inTurn = addUsage(used, spent, -1);
    scopes.push({ scope: "turn", budget: turn, used: inTurn, elapsed: now - turnAt, now, deadline: end });
  }
  return scopes;
}

/** Most sessions have no limit, and nothing to add up. */
function isUnlimited(slices: Slices, { limits: { turn, day } }: Agent): boolean {
  const { budget, deadline } = slices.get(identitySlice);
  return deadline === undefined && turn === undefined && day === undefined && hasNoLimit(budget);
}

const DEBUG_KEPT = 50;

type EventMore = { readonly facts?: Facts | undefined; readonly step?: string | undefined };

/** The parts of a session that a replay takes from its recording. */
type SessionWorld = {
  observing(context: SessionContext): Observing | undefined;
  isEnded(context: SessionContext): boolean;
  overLimit(context: SessionContext, wanted: Partial<Usage>): Exhausted | undefined;
  /** Equal arguments in the same folder give equal hashes. */
  hashCall(args: JsonObject, cwd: string | null): string;
  emit(context: SessionContext, body: EventBody, more: EventMore): void;
};

/** The state shared by all moments of one session. Moments are functions over it; no decisions are made here. */
export type SessionContext = {
  readonly id: string;
  readonly parent: SessionContext | undefined;
  readonly ports: SessionPorts;
  readonly clock: SessionClock;
  /** Throws if there is no such agent. */
  readonly agentOf: (name: string) => CompiledAgent;
  /** Default sender of messages. */
  readonly sender: Sender | undefined;
  readonly enforcement: Enforcement;
  readonly world: SessionWorld;
  readonly run: string;
  seq: number;
  compiled: CompiledAgent;
  slices: Slices;
  /** Absent without a store for it. */
  readonly today: DayLedger | undefined;
  /** As the runtime reported it. */
  window: number | undefined;
  adapter: string | undefined;
  model: string | undefined;
  /** Whether a thinking level can be sent to the model, where the runtime says so. */
  reasons: boolean | undefined;
  /** The contract of this turn; read when first needed. */
  contract: ContractInForce | undefined;
  contractHash: string | undefined;
  classifying: { readonly run: Promise<void>; readonly abort: AbortController } | undefined;
  classificationSkipped: boolean;
  lastInstructions: { readonly agent: string; readonly read: ReadInstructions } | undefined;
  /** Contents of each prompt, so that concurrent prompts do not mix up what the model has seen. */
  readonly instructionReads: WeakMap<ToldInstructions, ReadInstructions>;
  readonly reportedFaults: Set<string>;
  readonly debug: string[];
  /** Notes for the person, delivered with the next message. */
  readonly pendingNotes: string[];
};

export type SessionInit = { readonly agent: CompiledAgent } & Pick<
  SessionContext,
  "id" | "agentOf" | "ports" | "clock" | "slices"
> &
  Partial<Pick<SessionContext, "parent" | "window" | "adapter" | "sender" | "enforcement">>;

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
  const today = ports.days === undefined ? undefined : new DayLedger(ports.days);
  return {
    ...{ id, parent, ports, clock, agentOf, sender, enforcement, world, slices, today, window, adapter },
    run: ports.ids.next("run"),
    seq: 0,
    compiled: agent,
    model: agent.agent.model,
    reasons: undefined,
    contract: undefined,
    contractHash: undefined,
    classifying: undefined,
    classificationSkipped: false,
    lastInstructions: undefined,
    instructionReads: new WeakMap(),
    reportedFaults: new Set(),
    debug: [],
    pendingNotes: [],
  };
}

export function agentName({ compiled }: SessionContext): string {
  return compiled.agent.name;
}

/** The window in tokens. The operator's figure wins: a runtime guesses the window of a model that it does not know. */
export function windowOf({ compiled, window }: SessionContext): number {
  return windowOr(compiled.agent.limits.window ?? window ?? DEFAULT_WINDOW);
}

/** A fixed view of the current session; later changes do not appear in it. */
export function viewOf(context: SessionContext, slices: Slices = context.slices): SessionView {
  const { parent } = context;
  const above = parent && (() => viewOf(parent));
  return new LiveView(context.id, slices, context.compiled.agent, context.clock.now(), above, usedToday(context));
}

function usedToday({ compiled, today }: SessionContext): Usage | undefined {
  return compiled.agent.limits.day === undefined ? undefined : today?.usage;
}

/** Sets the values of the dimension `custom`. */
export function setCustom(context: SessionContext, values: readonly string[]): void {
  const custom = [...new Set(values)];
  context.slices = context.slices.with(identitySlice, { ...context.slices.get(identitySlice), custom });
  emit(context, { type: "session", change: "custom", detail: custom.join(", ") });
}

/** Why nothing is enforced now; `undefined` when rules are enforced. */
export function observingOf(context: SessionContext): Observing | undefined {
  return context.world.observing(context);
}

/** True if this session or an ancestor has ended. An ended session allows nothing. */
export function isEnded(context: SessionContext): boolean {
  return context.world.isEnded(context);
}

export function emit(context: SessionContext, body: EventBody, more: EventMore = {}): void {
  context.world.emit(context, body, more);
}

export function reportFault(context: SessionContext, fault: Fault): void {
  emit(context, { type: "fault", fault });
}

/** Adds a verbose text for the person; never sent to the model. */
export function addDebug(context: SessionContext, text: string): void {
  context.debug.push(text);
  // Drop old texts: a runtime may never show them.
  if (context.debug.length > DEBUG_KEPT) context.debug.shift();
  emit(context, { type: "verbose", text });
}

/** Returns and clears the verbose texts. */
export function takeDebug({ debug }: SessionContext): string | undefined {
  return debug.length === 0 ? undefined : debug.splice(0).join("\n\n");
}

function publish(context: SessionContext, body: EventBody, { facts, step }: EventMore): void {
  context.seq += 1;
  if (!context.ports.bus.hears(body.type)) return;
  const observing = observingOf(context);
  context.ports.bus.emit({
    v: 1,
    id: context.ports.ids.next("e"),
    seq: context.seq,
    at: context.clock.now(),
    session: context.id,
    parent: context.parent?.id,
    agent: agentName(context),
    run: context.run,
    turn: context.slices.get(turnSlice).number,
    step,
    facts,
    observing,
    contract_hash: context.contractHash,
    ...body,
  });
}

/** The limit that spending `wanted` would exceed, in this session or an ancestor. */
export function overLimit(context: SessionContext, wanted: Partial<Usage>): Exhausted | undefined {
  return context.world.overLimit(context, wanted);
}

function liveOverLimit(context: SessionContext, wanted: Partial<Usage>): Exhausted | undefined {
  const { slices, compiled, clock, parent } = context;
  if (parent === undefined && isUnlimited(slices, compiled.agent)) return undefined;
  const here = exhausted(scopesOf(slices, compiled.agent, clock.now(), usedToday(context)), wanted);
  return here ?? (parent === undefined ? undefined : overLimit(parent, wanted));
}

/** Reserves an amount in this session and all its ancestors. */
export function reserveAmount(context: SessionContext, reservation: string, amount: Partial<Usage>): void {
  changeSpending(context, reservation, (spending, id) => reserve(spending, id, amount));
}

/** Replaces a reservation by the actual usage; usage with an unknown reservation counts too. */
export function spendAmount(context: SessionContext, reservation: string, actual: Partial<Usage>): void {
  changeSpending(context, reservation, (spending, id) => settle(spending, id, actual));
}

function changeSpending(
  context: SessionContext,
  id: string,
  change: (spending: Spending, id: string) => Spending,
): void {
  const before = context.slices.get(spendingSlice);
  const after = change(before, id);
  context.slices = context.slices.with(spendingSlice, after);
  if (context.today !== undefined && countsDay(context)) {
    const [was, is] = [committed(before), committed(after)];
    context.today.change(eachAmount((what) => is[what] - was[what]));
  }
  if (context.parent !== undefined) changeSpending(context.parent, `${context.id}/${id}`, change);
}

/** A subagent's use reaches its ancestors too: it counts once for each agent and user. */
export function countsDay(context: SessionContext): boolean {
  const { user } = context.slices.get(identitySlice);
  const name = agentName(context);
  for (let above = context.parent; above !== undefined; above = above.parent)
    if (agentName(above) === name && above.slices.get(identitySlice).user === user) return false;
  return context.compiled.agent.limits.day !== undefined;
}
