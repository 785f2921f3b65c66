import type { CallInput } from "../../../base/words/call.ts";
import type { Advice, Decision } from "../../../base/words/decision.ts";
import type { SessionMoments } from "../../../engine/session/session-moments.ts";
import { OpenCalls } from "../shared/open-calls.ts";
import { cancelCall, refusalOf, refuseRewrite } from "../shared/refusals.ts";
import type { ToolCallEvent, ToolResultEvent } from "./native.ts";
import type { Place } from "./tool-map.ts";
import { callInputOf, deliveredResult, resultOf, rewriteParams } from "./translate.ts";

/** The answer to a call. `params`: the input it must run with; without them the session is in shadow mode. */
type CallAnswer =
  | { readonly kind: "run"; readonly params?: Record<string, unknown> }
  | { readonly kind: "refused"; readonly why: string; readonly decision?: Exclude<Decision, { kind: "allow" }> };

export class Calls {
  readonly #session: SessionMoments;
  readonly #place: () => Place;
  readonly #reach: () => Promise<unknown>;
  readonly #open: OpenCalls<{ readonly call: CallInput; readonly advice: readonly Advice[] }>;
  #steps = 0;

  /** `reach` rejects soon if Conduct does not answer: a call may wait long for a person, but for nothing else. */
  constructor(session: SessionMoments, place: () => Place, reach: () => Promise<unknown>) {
    this.#session = session;
    this.#place = place;
    this.#reach = reach;
    this.#open = new OpenCalls(session);
  }

  /** Opens a step for the calls of a model response and those that its tools make; closes the step before it. */
  respond(calls: readonly string[]): void {
    this.#open.closeStep();
    this.#steps += 1;
    // The count restarts with the gateway; the call's id makes the step unique.
    if (calls.length > 0) this.#open.step = `step-${this.#steps}-${calls[0]}`;
  }

  /** The moment `call`. */
  async decide(event: ToolCallEvent, waitMs: number): Promise<CallAnswer> {
    const call = callInputOf(event, this.#open.step, this.#place());
    if (waitMs > 0) await this.#reach();
    const decision = await this.#session.decide(call, { waitMs });
    if (decision.kind !== "allow") {
      if (decision.kind === "ask") await cancelCall(this.#session, call);
      return { kind: "refused", why: refusalOf(decision), decision };
    }
    const rewritten = decision.input === undefined ? undefined : rewriteParams(event, call, decision.input);
    if (rewritten !== undefined && "cannot" in rewritten) {
      const { cannot } = rewritten;
      const where = "openclaw before_tool_call";
      return { kind: "refused", why: await refuseRewrite(this.#session, call, { runtime: "OpenClaw", where, cannot }) };
    }
    this.#open.add({ call, advice: decision.advice });
    if (decision.because === "shadow" || decision.because === "paused") return { kind: "run" };
    return { kind: "run", params: rewritten === undefined ? event.params : { ...rewritten.input } };
  }

  /** The moment `result`. `undefined` keeps the tool's own result. */
  async result(event: ToolResultEvent): Promise<ToolResultEvent["result"] | undefined> {
    const entry = this.#open.take(event.toolCallId);
    const tool = entry?.call.tool ?? event.toolName;
    const delivered = await this.#session.onResult({ id: event.toolCallId, tool }, resultOf(event, tool));
    return deliveredResult(event, delivered, entry?.advice ?? []);
  }

  /** The call is over, but its result did not pass Conduct. */
  async lost(id: string): Promise<void> {
    const entry = this.#open.take(id);
    if (entry === undefined) return;
    await this.#session.onResult(entry.call, { outcome: "unknown", parts: [] }, { replaceable: false });
  }

  settle(): Promise<void> {
    return this.#open.settle();
  }
}
