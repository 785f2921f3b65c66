import type { Exhausted, Usage } from "../../base/words/budget.ts";
import type { Outcome } from "../../base/words/call.ts";
import type { Sender } from "../../base/words/channel.ts";
import type { Observing } from "../../base/words/decision.ts";
import type { EventBody, Fault, SessionPoint, StepClosed } from "../../base/words/event.ts";
import type { Facts } from "../../base/words/facts.ts";
import type { SessionView } from "../../base/words/session-view.ts";
import { exhausted, reserve, type Spending, settle, spendingSlice } from "../../behavior/session/budget.ts";
import { identitySlice } from "../../behavior/session/identity.ts";
import { type InflightCall, inflightSlice } from "../../behavior/session/inflight.ts";
import { openStepSlice } from "../../behavior/session/open-step.ts";
import type { Slices } from "../../behavior/session/slices.ts";
import { turnSlice } from "../../behavior/session/turn.ts";
import type { CompiledAgent } from "../agent/compiled-agent.ts";
import { closeStep, type ProofEnvironment } from "./close-step.ts";
import { LiveView } from "./live-view.ts";
import { tellSettled } from "./on-result.ts";
import type { SessionClock } from "./session-clock.ts";
import type { Enforcement } from "./session-options.ts";
import type { SessionPorts } from "./session-ports.ts";
import { settleCall } from "./settle-call.ts";

export type SessionInit = {
  readonly id: string;
  readonly parent?: SessionCore;
  readonly agent: CompiledAgent;
  /** Every agent by its name; throws for one that there is not. */
  readonly agentOf: (name: string) => CompiledAgent;
  readonly ports: SessionPorts;
  readonly clock: SessionClock;
  readonly slices: Slices;
  readonly window?: number;
  readonly adapter?: string;
  /** Who sends messages that do not say it. */
  readonly sender?: Sender;
  readonly enforcement?: Enforcement;
};

/** Verbose texts that wait to be shown. */
const DEBUG_KEPT = 50;

/** A session's state and its bookkeeping: what every moment needs, and nothing that decides. */
export class SessionCore {
  readonly id: string;
  readonly parent: SessionCore | undefined;
  protected readonly ports: SessionPorts;
  protected readonly clock: SessionClock;
  protected readonly agentOf: (name: string) => CompiledAgent;
  protected compiled: CompiledAgent;
  protected slices: Slices;
  protected window: number | undefined;
  protected adapter: string | undefined;
  protected model: string | undefined;
  protected readonly sender: Sender | undefined;
  protected readonly enforcement: Enforcement;
  /** Of the contract that the turn is under. */
  protected contractHash: string | undefined;
  readonly #debug: string[] = [];
  readonly #run: string;
  #seq = 0;

  constructor(init: SessionInit) {
    this.id = init.id;
    this.parent = init.parent;
    this.compiled = init.agent;
    this.agentOf = init.agentOf;
    this.ports = init.ports;
    this.clock = init.clock;
    this.slices = init.slices;
    this.window = init.window;
    this.adapter = init.adapter;
    this.model = init.agent.agent.model;
    this.sender = init.sender;
    this.enforcement = init.enforcement ?? "enforce";
    this.#run = init.ports.ids.next("run");
  }

  /** Name of the agent at work. */
  get agent(): string {
    return this.compiled.agent.name;
  }

  /** The session as it is now; later changes do not show in it. */
  get view(): SessionView {
    return this.viewOf(this.slices);
  }

  protected viewOf(slices: Slices): SessionView {
    return new LiveView(this.id, slices, this.compiled.agent, this.clock.now());
  }

  /** Why nothing is enforced now; undefined when everything is. */
  get observing(): Observing | undefined {
    if (this.ports.paused?.() === true) return "paused";
    return this.enforcement === "shadow" ? "shadow" : undefined;
  }

  /** Does it work in this folder? Without a folder every session does. */
  isAt(root: string | undefined): boolean {
    return root === undefined || this.ports.filesystem?.root === root;
  }

  /** What verbose mode has to show the person since the last time; never for the model. */
  takeDebug(): string | undefined {
    return this.#debug.length === 0 ? undefined : this.#debug.splice(0).join("\n\n");
  }

  protected debug(text: string): void {
    this.#debug.push(text);
    // Where nobody shows them they must not pile up.
    if (this.#debug.length > DEBUG_KEPT) this.#debug.shift();
    this.emit({ type: "verbose", text });
  }

  /** This session or one above it is over: nothing is let through any more. */
  get ended(): boolean {
    return this.slices.get(turnSlice).ended || (this.parent?.ended ?? false);
  }

  /** What deciding on results needs of the session. */
  protected proofEnvironment(): ProofEnvironment {
    return {
      agentOf: (name) => this.agentOf(name),
      viewOf: (slices) => this.viewOf(slices),
      stopwatch: this.ports.clock,
    };
  }

  /** Ends the open step and begins `next`: what its calls achieved counts from here on. */
  protected closeStep(next: string | null): void {
    const closed = closeStep(this.slices, this.proofEnvironment(), next);
    this.slices = closed.slices;
    for (const fault of closed.faults) this.fault(fault);
  }

  /** Ends the open step at the beginning of a moment that then has to wait; for its event. */
  protected closeStepFirst(): { readonly closed?: StepClosed } {
    return this.clock.atOnce(() => {
      const { step } = this.slices.get(openStepSlice);
      this.closeStep(null);
      return step === null ? {} : { closed: { seq: this.#seq, at: this.clock.now() } };
    });
  }

  /** Where the session is: what it has told last. */
  protected get point(): SessionPoint {
    return { run: this.#run, seq: this.#seq };
  }

  /** Calls that never got a result are over when their turn is. */
  protected settleUnderWay(): void {
    for (const [id, entry] of [...this.slices.get(inflightSlice)]) {
      this.endCall(entry, "cancelled");
      this.spend(id, {});
      const { tool, step } = entry.call;
      this.emit({ type: "result", call: id, tool, outcome: "cancelled", truncation: [], feedback: [] }, { step });
    }
  }

  /** A call under way is over without a result that could be looked at. */
  protected endCall(entry: InflightCall, outcome: "cancelled" | "unknown"): void {
    const { call, argsHash, agent } = entry;
    this.slices = settleCall(this.slices, agent, { call, argsHash, outcome }, this.clock.now());
    this.noteSettled(entry, outcome);
  }

  /** Policies hear that a call under way is over. */
  protected noteSettled(entry: InflightCall, outcome: Outcome): void {
    const told = tellSettled(this.slices, entry, outcome, this.proofEnvironment());
    this.slices = told.slices;
    for (const fault of told.faults) this.fault(fault);
  }

  /** The limit that spending `wanted` would break, here or in a session above. */
  protected overLimit(wanted: Partial<Usage>): Exhausted | undefined {
    const { deadline, startedAt, budget } = this.slices.get(identitySlice);
    const time = { now: this.clock.now(), startedAt, ...(deadline === undefined ? {} : { deadline }) };
    return exhausted(this.slices.get(spendingSlice), budget, time, wanted) ?? this.parent?.overLimit(wanted);
  }

  /** Sets an amount aside, here and in every session above. */
  protected reserve(reservation: string, amount: Partial<Usage>): void {
    this.#onSpending(reservation, (spending, id) => reserve(spending, id, amount));
  }

  /** What a reservation really came to; an unknown one counts too. */
  protected spend(reservation: string, actual: Partial<Usage>): void {
    this.#onSpending(reservation, (spending, id) => settle(spending, id, actual));
  }

  #onSpending(id: string, change: (spending: Spending, id: string) => Spending): void {
    this.slices = this.slices.with(spendingSlice, change(this.slices.get(spendingSlice), id));
    if (this.parent !== undefined) this.parent.#onSpending(`${this.id}/${id}`, change);
  }

  protected fault(fault: Fault): void {
    this.emit({ type: "fault", fault });
  }

  protected emit(body: EventBody, more: { readonly facts?: Facts; readonly step?: string | undefined } = {}): void {
    this.#seq += 1;
    const { observing } = this;
    this.ports.bus.emit({
      v: 1,
      id: this.ports.ids.next("e"),
      seq: this.#seq,
      at: this.clock.now(),
      session: this.id,
      ...(this.parent === undefined ? {} : { parent: this.parent.id }),
      agent: this.agent,
      run: this.#run,
      turn: this.slices.get(turnSlice).number,
      ...(more.step === undefined ? {} : { step: more.step }),
      ...(more.facts === undefined ? {} : { facts: more.facts }),
      ...(observing === undefined ? {} : { observing }),
      ...(this.contractHash === undefined ? {} : { contract_hash: this.contractHash }),
      ...body,
    });
  }
}
