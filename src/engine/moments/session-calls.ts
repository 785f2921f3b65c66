import { hashJson } from "../../base/kernel/canonical-json.ts";
import { errorText } from "../../base/kernel/error-text.ts";
import type { CallInput, ToolCall } from "../../base/words/call.ts";
import type { Decision, Denial } from "../../base/words/decision.ts";
import type { Facts } from "../../base/words/facts.ts";
import { countShadows, shadowsSlice } from "../../behavior/policy/shadow-counts.ts";
import { inflightSlice } from "../../behavior/session/inflight.ts";
import { openStepSlice } from "../../behavior/session/open-step.ts";
import { turnSlice } from "../../behavior/session/turn.ts";
import { verboseText } from "../../behavior/session/verbose.ts";
import { GATHER_MS, gatherForCall } from "./gather.ts";
import { judgeCall } from "./judge-call.ts";
import { normaliseCall } from "./normalise-call.ts";
import { type CallEnvironment, decideCall } from "./on-call.ts";
import { STOP_BOUND } from "./on-stop.ts";
import { SessionCore } from "./session-core.ts";
import { settleCall } from "./settle-call.ts";

/** The moment `call`: may it do this? */
export class SessionCalls extends SessionCore {
  /** May it do this? Never rejects: whatever goes wrong is a denial. */
  async onCall(input: CallInput): Promise<Decision> {
    try {
      const call = normaliseCall(input, this.compiled, this.ports.filesystem?.root);
      if ("fault" in call) return this.#refuse("bad-call", call.fault);
      // What is decided on, and what a person's yes is bound to: the same words in another folder are another call.
      const cwd = input.cwd ?? null;
      const argsHash = hashJson([call.args, cwd]);
      const facts = await this.#gather(call);
      const rewritten = this.#rewritten(call, input, facts, argsHash);
      if (rewritten === undefined) return this.#decideCall(call, cwd, facts, argsHash);
      if ("fault" in rewritten) return this.#refuse("bad-call", rewritten.fault);
      const decision = this.#decideCall(rewritten, cwd, await this.#gather(rewritten), argsHash);
      // The runtime has to make the call that was decided on, not the one that it was about to make.
      return decision.kind === "deny" ? decision : { ...decision, input: rewritten.args };
    } catch (error) {
      return this.#refuse("bad-call", errorText(error));
    }
  }

  #gather(call: ToolCall): Promise<Facts> {
    const limit = this.compiled.agent.limits.gatherMs ?? GATHER_MS;
    return gatherForCall(call, this.compiled.policiesFor(call), this.ports.filesystem, limit);
  }

  /** The call as policies rewrite it, read anew: other arguments may name other files and be other actions. */
  #rewritten(
    call: ToolCall,
    made: CallInput,
    facts: Facts,
    argsHash: string,
  ): ToolCall | { fault: string } | undefined {
    if (this.observing !== undefined) return undefined;
    if (!this.compiled.policiesFor(call).some((policy) => policy.rewrites === true)) return undefined;
    const { judgement } = judgeCall(this.slices, call, facts, this.#environment(argsHash, made.cwd ?? null));
    const { input } = judgement;
    if (input === undefined || hashJson(input) === hashJson(call.args)) return undefined;
    // What the adapter said of its paths and actions holds for the arguments it was given.
    const { paths: _paths, actions: _actions, proves: _proves, unclear: _unclear, ...rest } = made;
    return normaliseCall({ ...rest, args: input }, this.compiled, this.ports.filesystem?.root);
  }

  #environment(argsHash: string, cwd: string | null): CallEnvironment {
    return {
      agent: this.compiled,
      view: this.view,
      argsHash,
      hashOf: (args) => hashJson([args, cwd]),
      ended: this.ended,
      exhausted: this.overLimit({ calls: 1 }),
      observing: this.observing,
      stopwatch: this.ports.clock,
      newId: (prefix) => this.ports.ids.next(prefix),
    };
  }

  #decideCall(call: ToolCall, cwd: string | null, facts: Facts, argsHash: string): Decision {
    const underWay = this.slices.get(inflightSlice).get(call.id);
    if (underWay !== undefined && underWay.approval === undefined) {
      // The runtime asks twice about one call: the first answer stands, and nothing is reserved twice.
      const same = underWay.argsHash === argsHash && underWay.call.tool === call.tool;
      const { args } = underWay.call;
      const rewritten = hashJson([args, cwd]) === argsHash ? {} : { input: args };
      if (same) return { kind: "allow", id: underWay.decision, advice: [], ...rewritten };
      return this.#refuse("bad-call", `call id '${call.id}' is already under way with other arguments`);
    }
    const open = this.slices.get(openStepSlice);
    if (call.step !== undefined && open.closed.includes(call.step)) {
      return this.#refuse("bad-call", `step '${call.step}' is over`);
    }
    const step = call.step ?? null;
    if (step === null || step !== open.step) this.closeStep(step);
    if (underWay !== undefined) {
      // It was put to a person and is decided on again: what it had set aside the first time is free.
      this.noteSettled(underWay, "cancelled");
      this.spend(call.id, {});
    }
    const decided = decideCall(this.slices, call, facts, this.#environment(argsHash, cwd));
    if (decided.call !== call && hashJson(decided.call.args) !== hashJson(call.args)) {
      return this.#refuse("bad-call", "policies rewrite its arguments again and again");
    }
    const { decision, shadows } = decided;
    this.slices = decided.slices;
    for (const fault of decided.faults) this.fault(fault);
    if (decision.kind === "deny") {
      this.slices = settleCall(this.slices, this.agent, { call, argsHash, outcome: "denied" }, this.clock.now());
    } else this.reserve(call.id, { calls: 1 });
    Object.freeze(decision);
    const shadowed = shadows.length === 0 ? {} : { shadows };
    this.slices = this.slices.with(shadowsSlice, countShadows(this.slices.get(shadowsSlice), shadows));
    this.emit({ type: "call", call: decided.call, decision, ...shadowed }, { facts, step: call.step });
    if (decision.kind === "deny") this.#tellVerbose(call.tool, decision);
    if (decision.kind === "deny" && decision.endTurn) this.#tellTurnEnded(decision);
    return decision;
  }

  #tellVerbose(tool: string, { rule, reason }: Denial): void {
    if (!this.view.modes.verbose) return;
    this.debug(verboseText({ tool, tokens: 0, outcome: "denied", decision: `deny, ${rule}`, text: reason }));
  }

  /** The operator is told: the agent would not let go of something it was denied. */
  #tellTurnEnded({ rule, reason }: Denial): void {
    const { refusals } = this.slices.get(turnSlice);
    const bound = this.compiled.agent.limits.stops ?? STOP_BOUND;
    this.emit({ type: "stop", status: "ended-by-policy", refusals, bound, why: `${rule}: ${reason}` });
  }

  #refuse(code: "bad-call", why: string): Decision {
    const decision: Decision = Object.freeze({
      kind: "deny",
      id: this.#idOr("d_unnamed"),
      rule: "call",
      code,
      reason: `This call cannot be decided on: ${why}.`,
      missing: [],
      next: "Repeat it with a proper id, tool name and arguments.",
      others: [],
      attemptsLeft: 0,
      endTurn: false,
    });
    try {
      this.fault({ where: "call", code, message: why, decision: decision.id });
    } catch {
      // Nothing that fails here may let the call through.
    }
    return decision;
  }

  #idOr(fallback: string): string {
    try {
      return this.ports.ids.next("d");
    } catch {
      return fallback;
    }
  }
}
