import type { Usage } from "../../base/words/budget.ts";
import type { CallInput } from "../../base/words/call.ts";
import type { SessionClassification } from "../../base/words/classification.ts";
import type { Decision, Observing, PersonAnswer } from "../../base/words/decision.ts";
import type { Notice, SessionPoint } from "../../base/words/event.ts";
import type { Feedback } from "../../base/words/feedback.ts";
import type { Modes } from "../../base/words/modes.ts";
import type { BuiltPrompt, TraceEntry } from "../../base/words/prompt.ts";
import type { ToolResult } from "../../base/words/result.ts";
import type { SessionView } from "../../base/words/session-view.ts";
import type { StopDecision } from "../../behavior/completion/decide-stop.ts";
import {
  answerApproval,
  approvalById,
  approvalState,
  approvalsSlice,
  type GivenGrant,
  grantsIn,
} from "../../behavior/policy/approvals.ts";
import { shadowsSlice } from "../../behavior/policy/policy-state.ts";
import { reservationsFull, spendingSlice } from "../../behavior/session/budget.ts";
import { inflightSlice } from "../../behavior/session/calls.ts";
import { modesSlice } from "../../behavior/session/modes/modes.ts";
import { identitySlice } from "../../behavior/session/session-identity.ts";
import { Slices, type Snapshot, serialiseSnapshot } from "../../behavior/session/snapshot/snapshot.ts";
import { onCall } from "../moments/call.ts";
import { classifyNow, stopClassifying } from "../moments/classify.ts";
import { type ExecInput, onExec, onExecEnd, type RunningCommand, runningCommands } from "../moments/exec.ts";
import { elevate, type MessageResult, onMessage, setModes } from "../moments/message.ts";
import { explainPrompt, onPrompt } from "../moments/prompt.ts";
import { type Delivered, onResult, type ResultOptions } from "../moments/result.ts";
import { onStop } from "../moments/stop.ts";
import { toolsOf } from "../moments/user-tools.ts";
import type { ConductTool } from "../tools/conduct-tool.ts";
import { OpenQuestions, type Wait } from "./approvals.ts";
import type { LostState } from "./lost-state.ts";
import { onNotice } from "./on-notice.ts";
import {
  agentName,
  createContext,
  emit,
  isEnded,
  observingOf,
  overLimit,
  reportFault,
  reserveAmount,
  type SessionContext,
  type SessionInit,
  setCustom,
  takeDebug,
  viewOf,
} from "./session-context.ts";
import type { SessionMoments } from "./session-moments.ts";
import {
  type IncomingMessage,
  type PromptRequest,
  SessionError,
  type SessionOptions,
  type StopRequest,
} from "./session-options.ts";
import { endStep } from "./steps.ts";

export type { Delivered } from "../moments/result.ts";

export type OpenQuestion = {
  readonly approval: string;
  readonly rule: string;
  readonly tool: string;
  readonly question: string;
  readonly expiresAt: number;
  readonly remember?: true;
};

/**
 * One conversation with one agent, in this process. Adapters call the five moments; each gathers facts, then decides
 * in one synchronous step.
 */
export class Session implements SessionMoments {
  readonly #context: SessionContext;
  readonly #parent: Session | undefined;
  readonly #openChild: (options: SessionOptions, parent: Session) => Session;
  readonly #questions = new OpenQuestions({
    answered: (approval, { answer, by }) => this.resolve(approval, answer, by),
    failed: (fault) => reportFault(this.#context, fault),
  });

  constructor(
    init: Omit<SessionInit, "parent"> & { readonly parent?: Session | undefined },
    openChild: (options: SessionOptions, parent: Session) => Session,
  ) {
    this.#parent = init.parent;
    this.#context = createContext({ ...init, parent: this.#parent === undefined ? undefined : this.#parent.#context });
    this.#openChild = openChild;
  }

  get id(): string {
    return this.#context.id;
  }

  get parent(): Session | undefined {
    return this.#parent;
  }

  get agent(): string {
    return agentName(this.#context);
  }

  /** A fixed view of the current session; later changes do not appear in it. */
  get view(): SessionView {
    return viewOf(this.#context);
  }

  get observing(): Observing | undefined {
    return observingOf(this.#context);
  }

  get modes(): Modes {
    return viewOf(this.#context).modes;
  }

  /** True if this session or an ancestor has ended. */
  get ended(): boolean {
    return isEnded(this.#context);
  }

  /** Whether the session works in this folder. Without a folder, always true. */
  isAt(root: string | undefined): boolean {
    return root === undefined || this.#context.ports.filesystem?.root === root;
  }

  /** Reports that the session was opened. Call once, after registering the session under its id. */
  opened(how: "opened" | "resumed", from?: SessionPoint): void {
    const { user, channel } = this.#context.slices.get(identitySlice);
    const modes = this.#context.slices.get(modesSlice);
    const isSwitched = modes.think || modes.verbose || modes.elevated;
    emit(this.#context, { type: "session", change: how, channel, user, modes: isSwitched ? modes : undefined, from });
  }

  /** Reports a damaged state: a fault for the operator, and a note for the person with the next message. */
  reportLost({ why, note }: LostState): void {
    reportFault(this.#context, { where: "session state", code: "state-damaged", message: why });
    if (note !== undefined) this.#context.pendingNotes.push(note);
  }

  onMessage(message: IncomingMessage): Promise<MessageResult> {
    return onMessage(this.#context, message);
  }

  onPrompt(request?: PromptRequest): Promise<BuiltPrompt> {
    return onPrompt(this.#context, request);
  }

  onCall(input: CallInput): Promise<Decision> {
    return onCall(this.#context, input);
  }

  onResult(
    call: { readonly id: string; readonly tool: string },
    result: ToolResult,
    options?: ResultOptions,
  ): Promise<Delivered> {
    return onResult(this.#context, call, result, options);
  }

  /** Decides whether a program may start inside a running call; see `onExec`. */
  onExec(exec: ExecInput): Promise<Decision> {
    return onExec(this.#context, exec);
  }

  /** Takes the true exit code of a program that a running call started. */
  onExecEnd(exec: ExecInput, exitCode: number): void {
    onExecEnd(this.#context, exec, exitCode);
  }

  /** A call without a result. `isAsked`: it was not allowed, because it waits for a person. */
  openCall(id: string): { readonly tool: string; readonly isAsked: boolean } | undefined {
    const entry = this.#context.slices.get(inflightSlice).get(id);
    if (entry === undefined || entry.settling === true) return undefined;
    return { tool: entry.call.tool, isAsked: entry.approval !== undefined };
  }

  /** The shell commands that run now. */
  running(): readonly RunningCommand[] {
    return runningCommands(this.#context);
  }

  onStop(request?: StopRequest): Promise<StopDecision> {
    return onStop(this.#context, request);
  }

  /** Handles what the runtime reports outside the moments. */
  notice(notice: Notice): void {
    if (notice.kind === "ended") this.#questions.drop();
    this.#context.clock.atOnce(() => onNotice(this.#context, notice));
  }

  /**
   * `onCall` for runtimes that cannot ask a person: waits for the approver, then allows or denies. On timeout it
   * returns the question: the call does not run, the
   * question stays open, and a later yes admits one identical retry.
   */
  async decide(input: CallInput, wait: Wait = {}): Promise<Decision> {
    const decision = await this.onCall(input);
    const { approver } = this.#context.ports;
    if (decision.kind !== "ask" || approver === undefined) return decision;
    const { approval, rule, question, expiresAt, remember } = decision;
    wait.onAsking?.(decision);
    const shown = { approval, session: this.id, rule, tool: input.tool, question, input: decision.input ?? input.args };
    await this.#questions.put(approver, { ...shown, expiresAt, remember }, expiresAt - this.#context.clock.now(), wait);
    const known = approvalById(this.#context.slices.get(approvalsSlice), approval);
    return known === undefined || known.answer === null ? decision : this.onCall(input);
  }

  resolve(approval: string, answer: PersonAnswer, by: string, reason?: string): void {
    resolveApproval(this.#context, approval, { answer, by, reason });
    this.#questions.drop(approval);
  }

  /** Lists the questions that wait for a person. */
  openQuestions(): readonly OpenQuestion[] {
    const now = this.#context.clock.now();
    return [...this.#context.slices.get(approvalsSlice).matters].flatMap(([, approval]) => {
      if (approvalState(approval, now) !== "waiting") return [];
      const { id, rule, tool, question, expiresAt, always } = approval;
      return [{ approval: id, rule, tool, question, expiresAt, remember: always === undefined ? undefined : true }];
    });
  }

  /** Lists what a person allowed for the rest of the session. */
  alwaysAllowed(): readonly GivenGrant[] {
    return grantsIn(this.#context.slices.get(approvalsSlice));
  }

  /** Explains for every contributor whether the prompt would include it now, and why. */
  explainPrompt(request?: PromptRequest): Promise<readonly TraceEntry[]> {
    return explainPrompt(this.#context, request);
  }

  /** Classifies the conversation now. Returns `undefined` on failure; a fault then gives the reason. */
  classify(): Promise<SessionClassification | undefined> {
    return classifyNow(this.#context);
  }

  /** Elevates the session for a time, whoever writes in it. Returns false if the agent cannot be elevated. */
  elevate(forMs: number, by: string): boolean {
    return elevate(this.#context, forMs, by);
  }

  /** Sets the given modes; all others stay unchanged. */
  setModes(modes: Partial<Modes>): Modes {
    return setModes(this.#context, modes);
  }

  /** Sets the values that select contributors tagged `custom`. */
  setCustom(values: readonly string[]): void {
    setCustom(this.#context, values);
  }

  tools(): readonly ConductTool[] {
    return toolsOf(this.#context);
  }

  takeDebug(): string | undefined {
    return takeDebug(this.#context);
  }

  /** Nothing to do: notices are handled synchronously in this process. */
  async flush(): Promise<void> {}

  /** Reserves tokens, cost or calls before they are spent; pass the id in the `usage` notice that settles it. */
  reserveBudget(amount: Partial<Usage>): { readonly reservation: string } | { readonly exhausted: string } {
    const over = overLimit(this.#context, amount);
    if (over !== undefined) return { exhausted: over.what };
    if (reservationsFull(this.#context.slices.get(spendingSlice))) return { exhausted: "reservations" };
    const reservation = this.#context.ports.ids.next("b");
    reserveAmount(this.#context, reservation, amount);
    return { reservation };
  }

  /** Switches the session to another agent, which has its own counts and feedback cadences. */
  useAgent(name: string): void {
    const context = this.#context;
    const agent = context.agentOf(name);
    context.clock.atOnce(() => {
      endStep(context, null);
      context.contract = undefined;
      context.compiled = agent;
      emit(context, { type: "session", change: "agent", detail: name });
    });
  }

  /**
   * Opens a subagent's session with its own state and this session's deadline and budget. Elevation is not inherited.
   */
  child(id?: string, options: Partial<SessionOptions> = {}): Session {
    const { channel, user, zone } = this.#context.slices.get(identitySlice);
    return this.#openChild(
      {
        ...options,
        id: id ?? options.id,
        agent: options.agent ?? this.agent,
        channel: options.channel ?? channel,
        user: options.user ?? user,
        zone: options.zone ?? zone,
        enforcement: options.enforcement ?? this.#context.enforcement,
      },
      this,
    );
  }

  /** How often each shadow rule would have objected so far. */
  shadowCounts(): { readonly [rule: string]: number } {
    return Object.fromEntries([...this.#context.slices.get(shadowsSlice)].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /**
   * The feedback given in this session, newest first, also in earlier processes; `provider` selects one provider's.
   * Empty if nothing is recorded (`journal: false`).
   */
  async feedbackHistory(
    query: { readonly provider?: string; readonly limit?: number } = {},
  ): Promise<readonly Feedback[]> {
    const { provider, limit = 100 } = query;
    const page = await this.#context.ports.feedback?.({ session: this.id, provider, limit });
    return page?.feedback ?? [];
  }

  /** A handle to the current state. Cheap: nothing is copied. */
  snapshot(): Snapshot {
    const { slices, clock, run, seq } = this.#context;
    return { session: this.id, agent: this.agent, at: clock.now(), slices, point: { run, seq } };
  }

  /** JSON that survives a restart; pass it to `conduct.session({ snapshot })`. */
  serialise(): string {
    return serialiseSnapshot(this.snapshot());
  }

  /** Rolls STATE back to the snapshot; the call log, usage and denials stay. */
  restore(snapshot: Snapshot): void {
    if (snapshot.session !== this.id) {
      const message = `this snapshot is of session '${snapshot.session}', not of '${this.id}'`;
      throw new SessionError("foreign-snapshot", message);
    }
    this.#context.slices = this.#context.slices.restored(snapshot.slices);
    emit(this.#context, { type: "session", change: "restored", from: snapshot.point });
  }

  /** Clears all state, including evidence and log. */
  reset(): void {
    resetSession(this.#context);
  }
}

/** Throws a `SessionError` if there is no such open question. */
export function resolveApproval(
  context: SessionContext,
  approval: string,
  given: { readonly answer: PersonAnswer; readonly by: string; readonly reason?: string },
): void {
  context.clock.atOnce(() => {
    const answered = answerApproval(context.slices.get(approvalsSlice), approval, given, context.clock.now());
    if ("fault" in answered)
      throw new SessionError(`approval-${answered.fault}`, `approval '${approval}' is ${answered.fault}`);
    context.slices = context.slices.with(approvalsSlice, answered);
    emit(context, { type: "approval", approval, ...given });
  });
}

export function resetSession(context: SessionContext): void {
  if (isEnded(context)) throw new SessionError("session-ended", `session '${context.id}' has ended; open a new one`);
  stopClassifying(context);
  takeDebug(context);
  context.clock.atOnce(() => {
    const identity = { ...context.slices.get(identitySlice), startedAt: context.clock.now() };
    context.slices = Slices.empty.with(identitySlice, identity);
    emit(context, { type: "session", change: "reset" });
  });
}
