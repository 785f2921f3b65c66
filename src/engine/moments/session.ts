import { hashJson } from "../../base/kernel/canonical-json.ts";
import { errorText } from "../../base/kernel/error-text.ts";
import type { Usage } from "../../base/words/budget.ts";
import type { CallInput, Outcome, ToolCall } from "../../base/words/call.ts";
import type { Decision, Denial } from "../../base/words/decision.ts";
import type { Notice } from "../../base/words/event.ts";
import type { Facts } from "../../base/words/facts.ts";
import type { Modes } from "../../base/words/modes.ts";
import type { ToolResult } from "../../base/words/result.ts";
import type { StopDecision } from "../../behavior/completion/decide-stop.ts";
import { answerApproval, approvalById, approvalsSlice } from "../../behavior/policy/approvals.ts";
import { denialsSlice, NO_DENIALS } from "../../behavior/policy/escalation.ts";
import { hashResult } from "../../behavior/policy/loop-guard-hash.ts";
import { policyStatesSlice, rearm } from "../../behavior/policy/policy-states.ts";
import { judgeDirectives, takeDirectives } from "../../behavior/policy/requirements.ts";
import { DEFAULT_WINDOW, resultBudget } from "../../behavior/results/turn-result-state.ts";
import { reservationsFull, spendingSlice } from "../../behavior/session/budget.ts";
import { identitySlice } from "../../behavior/session/identity.ts";
import { type InflightCall, inflightSlice } from "../../behavior/session/inflight.ts";
import { modesSlice, safeModes } from "../../behavior/session/modes.ts";
import { openStepSlice } from "../../behavior/session/open-step.ts";
import { Slices } from "../../behavior/session/slices.ts";
import { type Snapshot, serialiseSnapshot } from "../../behavior/session/snapshot.ts";
import { turnSlice } from "../../behavior/session/turn.ts";
import { type ConductTool, conductTools } from "../tools/conduct-tool.ts";
import { gatherForCall, gatherPaths } from "./gather.ts";
import { judgeCall } from "./judge-call.ts";
import { normaliseCall } from "./normalise-call.ts";
import { type CallEnvironment, decideCall } from "./on-call.ts";
import { type AssembledPrompt, assemblePrompt } from "./on-prompt.ts";
import { decideResult, pathsAfter } from "./on-result.ts";
import { COMPLETION_MS, decideOnStop, gatherForStop, STOP_BOUND } from "./on-stop.ts";
import { OpenQuestions, type Wait } from "./open-questions.ts";
import { SessionCore, type SessionInit } from "./session-core.ts";
import { type IncomingMessage, SessionError, type SessionOptions, type StopRequest } from "./session-options.ts";
import { settleCall } from "./settle-call.ts";
import { resultsSlice, shortenResult } from "./shorten-result.ts";

const GATHER_MS = 2_000;

/** What the agent gets back. `changed` tells an adapter whether it has to replace the runtime's own result. */
export type Delivered = { readonly result: ToolResult; readonly changed: boolean; readonly feedback?: string };

/**
 * One conversation with one agent. An adapter calls the five moments as they come; each gathers what it needs to know,
 * then decides in one synchronous step, so that two calls under way at once never see half of each other.
 */
export class Session extends SessionCore {
  readonly #openBelow: (options: SessionOptions, parent: Session) => Session;
  readonly #questions = new OpenQuestions({
    answered: (approval, { answer, by }) => this.resolve(approval, answer, by),
    failed: (fault) => this.fault(fault),
  });

  constructor(init: SessionInit, openBelow: (options: SessionOptions, parent: Session) => Session) {
    super(init);
    this.#openBelow = openBelow;
  }

  /** Told by whoever opened it, once it can be found. */
  opened(how: "opened" | "resumed"): void {
    this.emit({ type: "session", change: how });
  }

  /** A person has said something: a new turn begins. */
  async onMessage(message: IncomingMessage): Promise<{ readonly text: string; readonly modes: Modes }> {
    this.settleUnderWay();
    this.closeStep(null);
    const turn = this.slices.get(turnSlice);
    this.slices = this.slices
      .with(turnSlice, { ...turn, number: turn.number + 1, refusals: 0 })
      .with(denialsSlice, NO_DENIALS)
      .with(resultsSlice, resultsSlice.initial);
    const { modes } = this.view;
    this.emit({ type: "message", text: message.text, modes });
    return { text: message.text, modes };
  }

  /** What is the agent told now? */
  async onPrompt(): Promise<AssembledPrompt & { readonly tokens: number }> {
    this.closeStep(null);
    const prompt = assemblePrompt(this.compiled.agent);
    const tokens = (await this.ports.counter()).count(prompt.text);
    const { hash, prefixHash, sections } = prompt;
    this.emit({ type: "prompt", hash, prefixHash, tokens, sections: sections.length });
    return { ...prompt, tokens };
  }

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

  /**
   * `onCall` for a runtime that cannot ask a person itself: waits for the approver's answer and then allows or denies. A
   * question that is not answered in time comes back as it is, and is handled as after `onCall`: the call does not run, the
   * question stays open, and a later yes admits one identical retry.
   */
  async decide(input: CallInput, wait: Wait = {}): Promise<Decision> {
    const decision = await this.onCall(input);
    const { approver } = this.ports;
    if (decision.kind !== "ask" || approver === undefined) return decision;
    const { approval, rule, question, expiresAt } = decision;
    const shown = { approval, session: this.id, rule, tool: input.tool, question, input: decision.input ?? input.args };
    await this.#questions.put(approver, { ...shown, expiresAt }, expiresAt - this.clock.now(), wait);
    const known = approvalById(this.slices.get(approvalsSlice), approval);
    return known === undefined || known.answer === null ? decision : this.onCall(input);
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
    this.emit({ type: "call", call: decided.call, decision, ...shadowed }, { facts, step: call.step });
    if (decision.kind === "deny" && decision.endTurn) this.#tellTurnEnded(decision);
    return decision;
  }

  /**
   * What does it get back? Never rejects, and never passes on a result that is too large. With `replaceable: false` the
   * runtime shows its own result whatever we say, so nothing is cut, and nothing is recorded as cut.
   */
  async onResult(
    call: { readonly id: string; readonly tool: string },
    result: ToolResult,
    { replaceable = true }: { readonly replaceable?: boolean } = {},
  ): Promise<Delivered> {
    const entry = this.#claim(call.id);
    try {
      return await this.#deliver(call, entry, readResult(result), replaceable);
    } catch (error) {
      if (entry !== undefined) this.#abandon(entry);
      this.fault({ where: `result of ${call.tool}`, code: "result-unreadable", message: errorText(error) });
      const text = `Conduct withheld this result, because it could not be checked: ${errorText(error)}.`;
      return { result: { outcome: "unknown", parts: [{ kind: "text", text }] }, changed: true };
    }
  }

  async #deliver(
    call: { readonly id: string; readonly tool: string },
    entry: InflightCall | undefined,
    given: ToolResult,
    replaceable: boolean,
  ): Promise<Delivered> {
    const { limits } = this.compiled.agent;
    const taken = takeDirectives(given);
    const { result } = taken;
    const shortened = await shortenResult(result, {
      replaceable,
      tool: entry?.call.tool ?? call.tool,
      session: this.id,
      limits,
      window: this.window,
      parallel: this.#siblings(entry?.call.step),
      ports: this.ports,
      turn: {
        get: () => this.slices.get(resultsSlice),
        set: (state) => {
          this.slices = this.slices.with(resultsSlice, state);
        },
      },
    });
    for (const fault of shortened.faults) this.fault(fault);
    const changed = shortened.changed || (taken.changed && replaceable);
    const paths = entry === undefined ? [] : pathsAfter(this.slices, entry, result.outcome, this.agentOf(entry.agent));
    const facts = await gatherPaths(paths, this.ports.filesystem, limits.gatherMs ?? GATHER_MS);
    // Between the call and here its turn may have ended, or the session have been reset.
    if (entry === undefined || this.slices.get(inflightSlice).get(call.id) !== entry) {
      const message = `no call '${call.id}' of '${call.tool}' is under way; its result proves nothing`;
      this.fault({ where: "result", code: "result-without-call", message });
      return { result: shortened.result, changed };
    }
    for (const [who, { code, message }] of Object.entries(facts.faults)) {
      this.fault({ where: `result ${who}`, code, message });
    }
    const required = judgeDirectives(taken, entry.call, this.agentOf(entry.agent).agent.trustedTools);
    const { requirement } = required;
    const settled = { resultHash: hashResult(result), ...(requirement === undefined ? {} : { requirement }) };
    const env = { ...this.proofEnvironment(), now: this.clock.now(), settled };
    const decided = decideResult(this.slices, entry, shortened.result, facts, env);
    this.slices = decided.slices;
    const { outcome, exitCode } = result;
    this.spend(call.id, outcome === "denied" || outcome === "cancelled" ? {} : { calls: 1 });
    for (const fault of [...required.faults, ...decided.faults]) this.fault(fault);
    this.emit(
      {
        type: "result",
        call: call.id,
        tool: entry.call.tool,
        outcome,
        ...(exitCode === undefined ? {} : { exitCode }),
        truncation: shortened.truncations,
        feedback: decided.feedback,
      },
      { facts, step: entry.call.step },
    );
    if (requirement !== undefined)
      this.emit(
        { type: "requirement", call: call.id, tool: entry.call.tool, ...requirement },
        { step: entry.call.step },
      );
    const feedback = decided.text === undefined ? {} : { feedback: decided.text };
    return { result: shortened.result, changed, ...feedback };
  }

  /** The call that this is the result of, marked so that no second result can be. */
  #claim(id: string): InflightCall | undefined {
    const inflight = this.slices.get(inflightSlice);
    const entry = inflight.get(id);
    if (entry === undefined || entry.settling === true) return undefined;
    const claimed: InflightCall = { ...entry, settling: true };
    this.slices = this.slices.with(inflightSlice, inflight.set(id, claimed));
    return claimed;
  }

  /** Its result could not be looked at: the call is over, and proves nothing. */
  #abandon(entry: InflightCall): void {
    const { call, argsHash, agent } = entry;
    if (this.slices.get(inflightSlice).get(call.id) === undefined) return;
    this.slices = settleCall(this.slices, agent, { call, argsHash, outcome: "unknown" }, this.clock.now());
    this.noteSettled(entry, "unknown");
    this.spend(call.id, { calls: 1 });
  }

  /** Is it done? */
  async onStop(request: StopRequest = {}): Promise<StopDecision> {
    this.closeStep(null);
    const { completion, limits } = this.compiled.agent;
    const over = completion === undefined ? undefined : this.overLimit({ calls: 1 });
    const { filesystem, commands } = this.ports;
    const context = {
      session: this.view,
      tentativeOutput: request.output,
      ...(filesystem === undefined ? {} : { filesystem }),
      ...(commands === undefined ? {} : { commands }),
      ...(this.adapter === undefined ? {} : { adapter: this.adapter }),
      ...(request.reason === undefined ? {} : { stopReason: request.reason }),
    };
    // With the budget just used up the work may still be complete; beyond it, or past the deadline, nothing is asked.
    const beyond = completion === undefined ? undefined : this.overLimit({});
    const result = await gatherForStop(completion, context, beyond, limits.completionMs ?? COMPLETION_MS);
    const bound = limits.stops ?? STOP_BOUND;
    const { slices, decision } = decideOnStop(this.slices, result, bound, over);
    this.slices = slices;
    if (decision.done) this.settleUnderWay();
    this.emit({
      type: "stop",
      status: decision.done ? decision.status : "refused",
      refusals: this.slices.get(turnSlice).refusals,
      bound,
      ...(decision.feedback === undefined ? {} : { feedback: decision.feedback }),
      ...(decision.done && decision.why !== undefined ? { why: decision.why } : {}),
    });
    return decision;
  }

  /** What the runtime tells besides the moments. */
  notice(notice: Notice): void {
    switch (notice.kind) {
      case "started":
        this.window = notice.window ?? this.window;
        this.adapter = notice.adapter ?? this.adapter;
        break;
      case "step-closed":
        if (notice.step === undefined || notice.step === this.slices.get(openStepSlice).step) this.closeStep(null);
        break;
      case "usage":
        this.spend(notice.reservation ?? "usage", usageOf(notice));
        break;
      case "compacted":
        this.closeStep(null);
        // What the results of this turn took is free again.
        this.slices = this.slices
          .with(resultsSlice, resultsSlice.initial)
          .with(policyStatesSlice, rearm(this.slices.get(policyStatesSlice), this.compiled.allPolicies));
        break;
      case "ended":
        this.#questions.drop();
        this.settleUnderWay();
        this.slices = this.slices.with(turnSlice, { ...this.slices.get(turnSlice), ended: true });
        break;
      case "fault":
        this.fault(notice.fault);
        return;
      case "reply":
        break;
    }
    this.emit({ type: "notice", notice, ...(notice.kind === "usage" ? { usage: this.view.usage } : {}) });
  }

  /** Sets tokens, cost or calls aside before they are spent; give the id to the `usage` notice that settles it. */
  reserveBudget(amount: Partial<Usage>): { readonly reservation: string } | { readonly exhausted: string } {
    const over = this.overLimit(amount);
    if (over !== undefined) return { exhausted: over.what };
    if (reservationsFull(this.slices.get(spendingSlice))) return { exhausted: "reservations" };
    const reservation = this.ports.ids.next("b");
    this.reserve(reservation, amount);
    return { reservation };
  }

  /** Switches modes one by one; the others stay as they are. */
  setModes(modes: Partial<Modes>): Modes {
    const next = safeModes({ ...this.view.modes, ...modes });
    this.slices = this.slices.with(modesSlice, next);
    this.emit({ type: "session", change: "modes", detail: JSON.stringify(next) });
    return next;
  }

  /** A person's word on a question this session has asked. */
  resolve(approval: string, answer: "yes" | "no", by: string): void {
    const answered = answerApproval(this.slices.get(approvalsSlice), approval, answer, by, this.clock.now());
    if ("fault" in answered)
      throw new SessionError(`approval-${answered.fault}`, `approval '${approval}' is ${answered.fault}`);
    this.slices = this.slices.with(approvalsSlice, answered);
    this.#questions.drop(approval);
    this.emit({ type: "approval", approval, answer, by });
  }

  /** Another agent takes over in the same session: counts and cadences of feedback are its own. */
  useAgent(name: string): void {
    const agent = this.agentOf(name);
    this.closeStep(null);
    this.compiled = agent;
    this.emit({ type: "session", change: "agent", detail: name });
  }

  /** A session below this one, for a subagent: own state, this one's deadline and budget, never elevated by inheritance. */
  child(id?: string, options: Partial<SessionOptions> = {}): Session {
    const { channel, user } = this.slices.get(identitySlice);
    return this.#openBelow(
      {
        agent: this.agent,
        channel,
        ...(user === undefined ? {} : { user }),
        ...options,
        ...(id === undefined ? {} : { id }),
      },
      this,
    );
  }

  /** What Conduct gives this agent besides its own tools. */
  tools(): readonly ConductTool[] {
    const agent = () => this.compiled.agent;
    return conductTools(agent, async () => {
      const window = this.window ?? DEFAULT_WINDOW;
      const { toolResultShare: share, turnResultShare: turnShare } = this.compiled.agent.limits;
      const budget = resultBudget(this.slices.get(resultsSlice), { window, turnShare });
      return {
        session: this.id,
        results: this.ports.results,
        counter: await this.ports.counter(),
        window,
        share,
        budget,
      };
    });
  }

  /** A handle on the state as it is now. Costs nothing: nothing is copied. */
  snapshot(): Snapshot {
    return { session: this.id, agent: this.agent, at: this.clock.now(), slices: this.slices };
  }

  /** Plain JSON that survives a restart: give it to `conduct.session({ snapshot })`. */
  serialise(): string {
    return serialiseSnapshot(this.snapshot());
  }

  /** Rolls STATE back to the snapshot; the log of what happened, money spent and denials are kept. */
  restore(snapshot: Snapshot): void {
    if (snapshot.session !== this.id) {
      throw new SessionError(
        "foreign-snapshot",
        `this snapshot is of session '${snapshot.session}', not of '${this.id}'`,
      );
    }
    this.slices = this.slices.restored(snapshot.slices);
    this.emit({ type: "session", change: "restored" });
  }

  /** Forgets everything, evidence and log alike. */
  reset(): void {
    if (this.ended) throw new SessionError("session-ended", `session '${this.id}' has ended; open a new one`);
    const identity = { ...this.slices.get(identitySlice), startedAt: this.clock.now() };
    this.slices = new Slices().with(identitySlice, identity);
    this.emit({ type: "session", change: "reset" });
  }

  /** The operator is told: the agent would not let go of something it was denied. */
  #tellTurnEnded({ rule, reason }: Denial): void {
    const { refusals } = this.slices.get(turnSlice);
    const bound = this.compiled.agent.limits.stops ?? STOP_BOUND;
    this.emit({ type: "stop", status: "ended-by-policy", refusals, bound, why: `${rule}: ${reason}` });
  }

  /** How many calls of one model response share what the turn's results may still take. */
  #siblings(step: string | undefined): number {
    if (step === undefined) return 1;
    let count = 0;
    for (const [, { call, settling }] of this.slices.get(inflightSlice)) {
      if (call.step === step && settling !== true) count += 1;
    }
    // This one, and those whose results are still to come.
    return 1 + count;
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
      this.fault({ where: "call", code, message: why });
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

const OUTCOMES: ReadonlySet<string> = new Set<Outcome>(["ok", "failed", "denied", "cancelled", "unknown"]);

/** What an adapter hands in, as far as it can be one: an outcome nobody knows is unknown. */
function readResult(result: ToolResult): ToolResult {
  if (!Array.isArray(result.parts)) throw new TypeError("the result has no parts");
  return OUTCOMES.has(result.outcome) ? result : { ...result, outcome: "unknown" };
}

function usageOf({ inputTokens, outputTokens, cost }: Extract<Notice, { kind: "usage" }>): Partial<Usage> {
  return {
    ...(inputTokens === undefined ? {} : { inputTokens }),
    ...(outputTokens === undefined ? {} : { outputTokens }),
    ...(cost === undefined ? {} : { cost }),
  };
}
