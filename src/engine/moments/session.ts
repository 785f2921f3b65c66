import type { Usage } from "../../base/words/budget.ts";
import type { CallInput } from "../../base/words/call.ts";
import type { Decision } from "../../base/words/decision.ts";
import type { Notice, SessionPoint } from "../../base/words/event.ts";
import type { StopDecision } from "../../behavior/completion/decide-stop.ts";
import { seenSlice } from "../../behavior/instructions/seen.ts";
import { answerApproval, approvalById, approvalState, approvalsSlice } from "../../behavior/policy/approvals.ts";
import { policyStatesSlice, rearm } from "../../behavior/policy/policy-states.ts";
import { shadowsSlice } from "../../behavior/policy/shadow-counts.ts";
import { reservationsFull, spendingSlice } from "../../behavior/session/budget.ts";
import { identitySlice } from "../../behavior/session/identity.ts";
import { modesSlice } from "../../behavior/session/modes.ts";
import { openStepSlice } from "../../behavior/session/open-step.ts";
import { Slices } from "../../behavior/session/slices.ts";
import { type Snapshot, serialiseSnapshot } from "../../behavior/session/snapshot.ts";
import { turnSlice } from "../../behavior/session/turn.ts";
import { COMPLETION_MS, decideOnStop, gatherForStop, STOP_BOUND } from "./on-stop.ts";
import { OpenQuestions, type Wait } from "./open-questions.ts";
import type { SessionInit } from "./session-core.ts";
import { SessionError, type SessionOptions, type StopRequest } from "./session-options.ts";
import { SessionPrompts } from "./session-prompts.ts";
import { resultsSlice } from "./shorten-result.ts";

export type { Delivered } from "./session-results.ts";

/** A question to a person that waits for its answer. */
export type OpenQuestion = {
  readonly approval: string;
  readonly rule: string;
  readonly tool: string;
  readonly question: string;
  readonly expiresAt: number;
};

/**
 * One conversation with one agent. An adapter calls the five moments as they come; each gathers what it needs to know,
 * then decides in one synchronous step, so that two calls under way at once never see half of each other.
 */
export class Session extends SessionPrompts {
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
  opened(how: "opened" | "resumed", from?: SessionPoint): void {
    const { user, channel } = this.slices.get(identitySlice);
    const modes = this.slices.get(modesSlice);
    const switched = modes.think || modes.verbose || modes.elevated ? { modes } : {};
    const of = { channel, ...(user === undefined ? {} : { user }) };
    this.emit({ type: "session", change: how, ...of, ...switched, ...(from === undefined ? {} : { from }) });
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
    wait.onAsking?.(decision);
    const shown = { approval, session: this.id, rule, tool: input.tool, question, input: decision.input ?? input.args };
    await this.#questions.put(approver, { ...shown, expiresAt }, expiresAt - this.clock.now(), wait);
    const known = approvalById(this.slices.get(approvalsSlice), approval);
    return known === undefined || known.answer === null ? decision : this.onCall(input);
  }

  /** Is it done? */
  async onStop(request: StopRequest = {}): Promise<StopDecision> {
    const closed = this.closeStepFirst();
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
    const bound = Math.min(limits.stops ?? STOP_BOUND, request.bound ?? Number.POSITIVE_INFINITY);
    const { slices, decision } = decideOnStop(this.slices, result, bound, over);
    const passes = decision.done || this.observing !== undefined;
    this.clock.atOnce(() => {
      if (!passes) this.slices = slices;
      if (passes) this.settleUnderWay();
      this.emit({
        type: "stop",
        status: decision.done ? decision.status : "refused",
        refusals: this.slices.get(turnSlice).refusals,
        bound,
        ...(decision.feedback === undefined ? {} : { feedback: decision.feedback }),
        ...(decision.done && decision.why !== undefined ? { why: decision.why } : {}),
        ...closed,
      });
    });
    return passes && !decision.done ? { done: true, status: "incomplete" } : decision;
  }

  /** What the runtime tells besides the moments. */
  notice(notice: Notice): void {
    this.clock.atOnce(() => this.#note(notice));
  }

  #note(notice: Notice): void {
    switch (notice.kind) {
      case "started":
        if (notice.window !== undefined && notice.window > 0) this.window = notice.window;
        this.adapter = notice.adapter ?? this.adapter;
        this.model = notice.model ?? this.model;
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
          .with(seenSlice, seenSlice.initial)
          .with(policyStatesSlice, rearm(this.slices.get(policyStatesSlice), this.compiled.allPolicies));
        this.classifyAfterCompaction();
        break;
      case "ended":
        this.#questions.drop();
        this.stopClassifying();
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

  /** In this process a notice is told at once. */
  async flush(): Promise<void> {}

  /** Sets tokens, cost or calls aside before they are spent; give the id to the `usage` notice that settles it. */
  reserveBudget(amount: Partial<Usage>): { readonly reservation: string } | { readonly exhausted: string } {
    const over = this.overLimit(amount);
    if (over !== undefined) return { exhausted: over.what };
    if (reservationsFull(this.slices.get(spendingSlice))) return { exhausted: "reservations" };
    const reservation = this.ports.ids.next("b");
    this.reserve(reservation, amount);
    return { reservation };
  }

  /** A person's word on a question this session has asked. */
  resolve(approval: string, answer: "yes" | "no", by: string, reason?: string): void {
    const word = { answer, by, ...(reason === undefined ? {} : { reason }) };
    this.clock.atOnce(() => {
      const answered = answerApproval(this.slices.get(approvalsSlice), approval, word, this.clock.now());
      if ("fault" in answered)
        throw new SessionError(`approval-${answered.fault}`, `approval '${approval}' is ${answered.fault}`);
      this.slices = this.slices.with(approvalsSlice, answered);
      this.#questions.drop(approval);
      this.emit({ type: "approval", approval, ...word });
    });
  }

  /** Questions that a person can still answer. */
  openQuestions(): readonly OpenQuestion[] {
    const now = this.clock.now();
    return [...this.slices.get(approvalsSlice).matters].flatMap(([, approval]) => {
      if (approvalState(approval, now) !== "waiting") return [];
      const { id, rule, tool, question, expiresAt } = approval;
      return [{ approval: id, rule, tool, question, expiresAt }];
    });
  }

  /** Another agent takes over in the same session: counts and cadences of feedback are its own. */
  useAgent(name: string): void {
    const agent = this.agentOf(name);
    this.clock.atOnce(() => {
      this.closeStep(null);
      this.forgetContract();
      this.compiled = agent;
      this.emit({ type: "session", change: "agent", detail: name });
    });
  }

  /** A session below this one, for a subagent: own state, this one's deadline and budget, never elevated by inheritance. */
  child(id?: string, options: Partial<SessionOptions> = {}): Session {
    const { channel, user } = this.slices.get(identitySlice);
    return this.#openBelow(
      {
        agent: this.agent,
        channel,
        enforcement: this.enforcement,
        ...(user === undefined ? {} : { user }),
        ...options,
        ...(id === undefined ? {} : { id }),
      },
      this,
    );
  }

  /** How often each rule in shadow would have objected so far. */
  shadowCounts(): { readonly [rule: string]: number } {
    return Object.fromEntries([...this.slices.get(shadowsSlice)].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** A handle on the state as it is now. Costs nothing: nothing is copied. */
  snapshot(): Snapshot {
    return { session: this.id, agent: this.agent, at: this.clock.now(), slices: this.slices, point: this.point };
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
    const { point } = snapshot;
    this.emit({ type: "session", change: "restored", ...(point === undefined ? {} : { from: point }) });
  }

  /** Forgets everything, evidence and log alike. */
  reset(): void {
    if (this.ended) throw new SessionError("session-ended", `session '${this.id}' has ended; open a new one`);
    this.stopClassifying();
    this.takeDebug();
    this.clock.atOnce(() => {
      const identity = { ...this.slices.get(identitySlice), startedAt: this.clock.now() };
      this.slices = Slices.empty.with(identitySlice, identity);
      this.emit({ type: "session", change: "reset" });
    });
  }
}

function usageOf({ inputTokens, outputTokens, cost }: Extract<Notice, { kind: "usage" }>): Partial<Usage> {
  return {
    ...(inputTokens === undefined ? {} : { inputTokens }),
    ...(outputTokens === undefined ? {} : { outputTokens }),
    ...(cost === undefined ? {} : { cost }),
  };
}
