import type { CallInput } from "../../../base/words/call.ts";
import type { Advice, Decision } from "../../../base/words/decision.ts";
import type { SessionMoments } from "../../../engine/session/session-moments.ts";
import { rewriteRefusal } from "../rewrite-input.ts";
import type { ToolCallEvent, ToolResultEvent } from "./native.ts";
import type { Place } from "./tool-map.ts";
import { callInputOf, deliveredResult, refusalOf, resultOf, rewriteParams } from "./translate.ts";

/** What becomes of a call. `params`: as it must run, whatever others make of it; without them Conduct only watches. */
export type CallAnswer =
  | { readonly kind: "run"; readonly params?: Record<string, unknown> }
  | { readonly kind: "refused"; readonly why: string; readonly decision?: Exclude<Decision, { kind: "allow" }> };

/** The calls of one conversation that are under way. */
export class Calls {
  readonly #session: SessionMoments;
  readonly #place: () => Place;
  readonly #reach: () => Promise<unknown>;
  readonly #underWay = new Map<string, { readonly call: CallInput; readonly advice: readonly Advice[] }>();
  #step: string | undefined;
  #steps = 0;

  /** `reach` rejects soon where Conduct does not answer: a call may wait for a person, but for nobody else. */
  constructor(session: SessionMoments, place: () => Place, reach: () => Promise<unknown>) {
    this.#session = session;
    this.#place = place;
    this.#reach = reach;
  }

  /** A model response is there: its calls, and those that its tools make, are one step; the step before it is over. */
  respond(calls: readonly string[]): void {
    this.#closeStep();
    this.#steps += 1;
    // The count begins anew with the gateway; the call's id tells the steps of two of them apart.
    if (calls.length > 0) this.#step = `step-${this.#steps}-${calls[0]}`;
  }

  /** May it do this? */
  async decide(event: ToolCallEvent, waitMs: number): Promise<CallAnswer> {
    const call = callInputOf(event, this.#step, this.#place());
    if (waitMs > 0) await this.#reach();
    const decision = await this.#session.decide(call, { waitMs });
    if (decision.kind !== "allow") {
      if (decision.kind === "ask") await this.#cancel(call);
      return { kind: "refused", why: refusalOf(decision), decision };
    }
    const rewritten = decision.input === undefined ? undefined : rewriteParams(event, call, decision.input);
    if (rewritten !== undefined && "cannot" in rewritten) return this.#cannotRun(call, rewritten.cannot);
    this.#underWay.set(call.id, { call, advice: decision.advice });
    if (decision.because === "shadow" || decision.because === "paused") return { kind: "run" };
    return { kind: "run", params: rewritten === undefined ? event.params : { ...rewritten.input } };
  }

  /** What does it get back? `undefined`: what the tool gave. */
  async result(event: ToolResultEvent): Promise<ToolResultEvent["result"] | undefined> {
    const entry = this.#underWay.get(event.toolCallId);
    this.#underWay.delete(event.toolCallId);
    const tool = entry?.call.tool ?? event.toolName;
    const delivered = await this.#session.onResult({ id: event.toolCallId, tool }, resultOf(event, tool));
    return deliveredResult(event, delivered, entry?.advice ?? []);
  }

  /** The call is over, and its result went past Conduct. */
  async lost(id: string): Promise<void> {
    const entry = this.#underWay.get(id);
    this.#underWay.delete(id);
    if (entry !== undefined) {
      await this.#session.onResult(entry.call, { outcome: "unknown", parts: [] }, { replaceable: false });
    }
  }

  /** Nothing is under way any more. */
  async settle(): Promise<void> {
    for (const [id, { call }] of this.#underWay) {
      this.#underWay.delete(id);
      await this.#cancel(call);
    }
    this.#closeStep();
  }

  /** Rules have changed the call into one that OpenClaw cannot make. */
  async #cannotRun(call: CallInput, cannot: readonly string[]): Promise<CallAnswer> {
    await this.#cancel(call);
    const why = rewriteRefusal(call.tool, "OpenClaw", cannot);
    const fault = { where: "openclaw before_tool_call", code: "rewrite", message: why };
    this.#session.notice({ kind: "fault", fault });
    return { kind: "refused", why };
  }

  async #cancel(call: CallInput): Promise<void> {
    await this.#session.onResult(call, { outcome: "cancelled", parts: [] });
  }

  #closeStep(): void {
    if (this.#step === undefined) return;
    this.#session.notice({ kind: "step-closed", step: this.#step });
    this.#step = undefined;
  }
}
