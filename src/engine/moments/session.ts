import { hashJson } from "../../base/kernel/canonical-json.ts";
import type { Usage } from "../../base/words/budget.ts";
import type { CallInput, ToolCall } from "../../base/words/call.ts";
import type { Decision, Denial } from "../../base/words/decision.ts";
import type { Notice } from "../../base/words/event.ts";
import type { Facts } from "../../base/words/facts.ts";
import type { Modes } from "../../base/words/modes.ts";
import type { ToolResult } from "../../base/words/result.ts";
import type { StopDecision } from "../../behavior/completion/decide-stop.ts";
import { answerApproval, approvalsSlice } from "../../behavior/policy/approvals.ts";
import { denialsSlice, NO_DENIALS } from "../../behavior/policy/escalation.ts";
import { policyStatesSlice, rearm } from "../../behavior/policy/policy-states.ts";
import { DEFAULT_WINDOW, resultBudget } from "../../behavior/results/turn-result-state.ts";
import { inflightSlice } from "../../behavior/session/inflight.ts";
import { modesSlice, safeModes } from "../../behavior/session/modes.ts";
import { openStepSlice } from "../../behavior/session/open-step.ts";
import { Slices } from "../../behavior/session/slices.ts";
import { type Snapshot, serialiseSnapshot } from "../../behavior/session/snapshot.ts";
import { startSlice, turnSlice } from "../../behavior/session/turn.ts";
import type { CompiledAgent } from "../agent/compiled-agent.ts";
import { type ConductTool, conductTools } from "../tools/conduct-tool.ts";
import { gatherForCall, gatherPaths } from "./gather.ts";
import { normaliseCall } from "./normalise-call.ts";
import { decideCall } from "./on-call.ts";
import { type AssembledPrompt, assemblePrompt } from "./on-prompt.ts";
import { decideResult, pathsAfter } from "./on-result.ts";
import { COMPLETION_MS, decideOnStop, gatherForStop, STOP_BOUND } from "./on-stop.ts";
import { SessionCore, type SessionInit } from "./session-core.ts";
import { type IncomingMessage, SessionError, type SessionOptions, type StopRequest } from "./session-options.ts";
import { settleCall } from "./settle-call.ts";
import { resultsSlice, shortenResult } from "./shorten-result.ts";

const GATHER_MS = 2_000;

/** What the agent gets back. `changed` tells an adapter whether it has to replace the runtime's own result. */
export type Delivered = { readonly result: ToolResult; readonly changed: boolean; readonly feedback?: string };

/** Who opened the session: knows the agents, and opens sessions below it. */
export type SessionFamily = {
  agent(name: string): CompiledAgent;
  open(options: SessionOptions, parent: Session): Session;
};

/**
 * One conversation with one agent. An adapter calls the five moments as they come; each gathers what it needs to know,
 * then decides in one synchronous step, so that two calls under way at once never see half of each other.
 */
export class Session extends SessionCore {
  readonly #family: SessionFamily;

  constructor(init: SessionInit, family: SessionFamily) {
    super(init);
    this.#family = family;
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
    const call = normaliseCall(input, this.compiled);
    if ("fault" in call) return this.#refuse(call.fault);
    const limit = this.compiled.agent.limits.gatherMs ?? GATHER_MS;
    const facts = await gatherForCall(call, this.compiled.policiesFor(call), this.ports.filesystem, limit);
    return this.#decideCall(call, facts);
  }

  #decideCall(call: ToolCall, facts: Facts): Decision {
    const argsHash = hashJson(call.args);
    const underWay = this.slices.get(inflightSlice).get(call.id);
    if (underWay !== undefined && underWay.approval === undefined) {
      // The runtime asks twice about one call: the first answer stands, and nothing is reserved twice.
      const same = underWay.argsHash === argsHash && underWay.call.tool === call.tool;
      if (same) return { kind: "allow", id: underWay.decision, advice: [] };
      return this.#refuse(`call id '${call.id}' is already under way with other arguments`);
    }
    const step = call.step ?? null;
    if (step === null || step !== this.slices.get(openStepSlice).step) this.closeStep(step);
    const { slices, decision } = decideCall(this.slices, call, facts, {
      agent: this.compiled,
      view: this.view,
      argsHash,
      exhausted: this.overLimit({ calls: 1 }),
      stopwatch: this.ports.clock,
      newId: (prefix) => this.ports.ids.next(prefix),
    });
    this.slices = slices;
    if (decision.kind === "allow") this.reserve(call.id, { calls: 1 });
    if (decision.kind === "deny") {
      this.slices = settleCall(slices, this.agent, { call, argsHash, outcome: "denied" }, this.clock.now());
    }
    this.emit({ type: "call", call, decision }, { facts, step: call.step });
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
    const entry = this.slices.get(inflightSlice).get(call.id);
    const { limits } = this.compiled.agent;
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
    if (entry === undefined) {
      const message = `no call '${call.id}' of '${call.tool}' is under way; its result proves nothing`;
      this.fault({ where: "result", code: "result-without-call", message });
      return { result: shortened.result, changed: shortened.changed };
    }
    const paths = pathsAfter(this.slices, entry, result.outcome, this.compiled);
    const facts = await gatherPaths(paths, this.ports.filesystem, limits.gatherMs ?? GATHER_MS);
    for (const [who, { code, message }] of Object.entries(facts.faults))
      this.fault({ where: `result ${who}`, code, message });
    const env = { agent: this.compiled, viewOf: (slices: Slices) => this.viewOf(slices), now: this.clock.now() };
    const decided = decideResult(this.slices, entry, shortened.result, facts, env);
    this.slices = decided.slices;
    const { outcome, exitCode } = result;
    this.spend(call.id, outcome === "denied" || outcome === "cancelled" ? {} : { calls: 1 });
    for (const fault of decided.faults) this.fault(fault);
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
    const feedback = decided.text === undefined ? {} : { feedback: decided.text };
    return { result: shortened.result, changed: shortened.changed, ...feedback };
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
    const result = await gatherForStop(completion, context, over, limits.completionMs ?? COMPLETION_MS);
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
        this.closeStep(null);
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
    this.emit({ type: "approval", approval, answer, by });
  }

  /** Another agent takes over in the same session: counts and cadences of feedback are its own. */
  useAgent(name: string): void {
    const agent = this.#family.agent(name);
    this.closeStep(null);
    this.compiled = agent;
    this.emit({ type: "session", change: "agent", detail: name });
  }

  /** A session below this one, for a subagent: own state, this one's deadline and budget, never elevated by inheritance. */
  child(id?: string, options: Partial<SessionOptions> = {}): Session {
    return this.#family.open(
      { agent: this.agent, channel: this.identity.channel, ...options, ...(id === undefined ? {} : { id }) },
      this,
    );
  }

  /** What Conduct gives this agent besides its own tools. */
  tools(): readonly ConductTool[] {
    return conductTools(async () => {
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
    this.slices = new Slices().with(startSlice, { startedAt: this.clock.now() });
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
    for (const [, { call }] of this.slices.get(inflightSlice)) if (call.step === step) count += 1;
    return Math.max(1, count);
  }

  #refuse(reason: string): Decision {
    const decision: Decision = {
      kind: "deny",
      id: this.ports.ids.next("d"),
      rule: "call",
      code: "bad-call",
      reason: `This call cannot be read: ${reason}.`,
      missing: [],
      next: "Repeat it with a proper id, tool name and arguments.",
      others: [],
      attemptsLeft: 0,
      endTurn: false,
    };
    this.fault({ where: "call", code: "bad-call", message: reason });
    return decision;
  }
}

function usageOf({ inputTokens, outputTokens, cost }: Extract<Notice, { kind: "usage" }>): Partial<Usage> {
  return {
    ...(inputTokens === undefined ? {} : { inputTokens }),
    ...(outputTokens === undefined ? {} : { outputTokens }),
    ...(cost === undefined ? {} : { cost }),
  };
}
