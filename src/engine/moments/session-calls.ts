import { hashJson } from "../../base/kernel/canonical-json.ts";
import { errorText } from "../../base/kernel/error-text.ts";
import type { CallInput, ToolCall } from "../../base/words/call.ts";
import type { Decision, Denial } from "../../base/words/decision.ts";
import type { CallBounds, CallMade } from "../../base/words/event.ts";
import type { Facts } from "../../base/words/facts.ts";
import type { JsonObject } from "../../base/words/json.ts";
import { countShadows, shadowsSlice } from "../../behavior/policy/shadow-counts.ts";
import { inflightSlice } from "../../behavior/session/inflight.ts";
import { openStepSlice } from "../../behavior/session/open-step.ts";
import { turnSlice } from "../../behavior/session/turn.ts";
import { verboseText } from "../../behavior/session/verbose.ts";
import { GATHER_MS, gatherForCall } from "./gather.ts";
import { judgeCall } from "./judge-call.ts";
import { isElsewhere, normaliseCall } from "./normalise-call.ts";
import { type CallEnvironment, decideCall } from "./on-call.ts";
import { STOP_BOUND } from "./on-stop.ts";
import { SessionCore } from "./session-core.ts";
import { settleCall } from "./settle-call.ts";

/** What a call is asked about under: the folder it runs in, what a person's yes is bound to, and what the runtime said of it. */
export type Asked = { readonly cwd: string | null; readonly argsHash: string; readonly made: CallMade };

/** The moment `call`: may it do this? */
export class SessionCalls extends SessionCore {
  /** May it do this? Never rejects: whatever goes wrong is a denial. */
  async onCall(input: CallInput): Promise<Decision> {
    try {
      const call = normaliseCall(input, this.compiled, this.ports.filesystem?.root);
      if ("fault" in call) return this.#refuse("bad-call", call.fault);
      // What is decided on, and what a person's yes is bound to: the same words in another folder are another call.
      const cwd = input.cwd ?? null;
      const made = madeOf(input, this.ports.filesystem?.root);
      const asked: Asked = { cwd, argsHash: this.hashCall(call.args, cwd), made };
      const facts = await this.#gather(call);
      const rewritten = this.rewritten(call, input, facts, asked);
      if (rewritten === undefined) return this.decideOn(call, asked, facts);
      if ("fault" in rewritten) return this.#refuse("bad-call", rewritten.fault);
      const before = { ...asked, made: { ...made, args: call.args, facts } };
      const decision = this.decideOn(rewritten, before, await this.#gather(rewritten));
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

  /** Equal for equal arguments in one folder. */
  protected hashCall(args: JsonObject, cwd: string | null): string {
    return hashJson([args, cwd]);
  }

  /** The call as policies rewrite it, read anew: other arguments may name other files and be other actions. */
  protected rewritten(
    call: ToolCall,
    made: CallInput,
    facts: Facts,
    asked: Asked,
  ): ToolCall | { readonly fault: string } | undefined {
    if (this.observing !== undefined) return undefined;
    if (!this.compiled.policiesFor(call).some((policy) => policy.rewrites === true)) return undefined;
    const { judgement } = judgeCall(this.slices, call, facts, this.#environment(asked));
    const { input } = judgement;
    if (input === undefined || hashJson(input) === hashJson(call.args)) return undefined;
    // What the adapter said of its paths and actions holds for the arguments it was given.
    const { paths: _paths, actions: _actions, proves: _proves, unclear: _unclear, ...rest } = made;
    return normaliseCall({ ...rest, args: input }, this.compiled, this.ports.filesystem?.root);
  }

  #environment({ argsHash, cwd }: Asked): CallEnvironment {
    return {
      agent: this.compiled,
      view: this.view,
      argsHash,
      hashOf: (args) => this.hashCall(args, cwd),
      ended: this.ended,
      exhausted: this.overLimit({ calls: 1 }),
      observing: this.observing,
      stopwatch: this.ports.clock,
      newId: (prefix) => this.ports.ids.next(prefix),
    };
  }

  /** Decides and commits, in one breath; the same for a call that is made and for one that was recorded. */
  protected decideOn(call: ToolCall, asked: Asked, facts: Facts): Decision {
    return this.clock.atOnce(() => this.#decideOn(call, asked, facts));
  }

  #decideOn(call: ToolCall, asked: Asked, facts: Facts): Decision {
    const { argsHash, cwd, made } = asked;
    const underWay = this.slices.get(inflightSlice).get(call.id);
    if (underWay !== undefined && underWay.approval === undefined) {
      // The runtime asks twice about one call: the first answer stands, and nothing is reserved twice.
      const same = underWay.argsHash === argsHash && underWay.call.tool === call.tool;
      const { args } = underWay.call;
      const rewritten = this.hashCall(args, cwd) === argsHash ? {} : { input: args };
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
    const env = this.#environment(asked);
    const decided = decideCall(this.slices, call, facts, env);
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
    const told = { ...shadowed, ...(isEmpty(made) ? {} : { made }), ...boundsOf(env) };
    this.emit({ type: "call", call: decided.call, decision, ...told }, { facts, step: call.step });
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

/** What cannot be read from the call itself. */
function madeOf({ cwd, paths, actions, proves }: CallInput, root: string | undefined): CallMade {
  return {
    ...(cwd === undefined ? {} : { cwd, ...(isElsewhere(cwd, root ?? cwd) ? { elsewhere: true } : {}) }),
    ...(paths === undefined ? {} : { paths: true }),
    ...(actions === undefined || actions.length === 0 ? {} : { actions }),
    ...(proves === undefined || proves.length === 0 ? {} : { proves }),
  };
}

function isEmpty(made: CallMade): boolean {
  for (const _ in made) return false;
  return true;
}

function boundsOf({ ended, exhausted }: CallEnvironment): { readonly bounds?: CallBounds } {
  if (!ended && exhausted === undefined) return {};
  return { bounds: { ...(ended ? { ended } : {}), ...(exhausted === undefined ? {} : { exhausted }) } };
}
