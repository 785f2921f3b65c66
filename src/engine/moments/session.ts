import type { Usage } from "../../base/words/budget.ts";
import type { CallInput } from "../../base/words/call.ts";
import type { SessionClassification } from "../../base/words/classification.ts";
import type { Decision, Observing } from "../../base/words/decision.ts";
import type { Notice, SessionPoint } from "../../base/words/event.ts";
import type { Modes } from "../../base/words/modes.ts";
import type { BuiltPrompt, TraceEntry } from "../../base/words/prompt.ts";
import type { ToolResult } from "../../base/words/result.ts";
import type { SessionView } from "../../base/words/session-view.ts";
import type { StopDecision } from "../../behavior/completion/decide-stop.ts";
import { answerApproval, approvalById, approvalState, approvalsSlice } from "../../behavior/policy/approvals.ts";
import { shadowsSlice } from "../../behavior/policy/shadow-counts.ts";
import { reservationsFull, spendingSlice } from "../../behavior/session/budget.ts";
import { identitySlice } from "../../behavior/session/identity.ts";
import { modesSlice } from "../../behavior/session/modes/modes.ts";
import { Slices } from "../../behavior/session/snapshot/slices.ts";
import { type Snapshot, serialiseSnapshot } from "../../behavior/session/snapshot/snapshot.ts";
import {
  agentName,
  createContext,
  emit,
  isEnded,
  observingOf,
  pointOf,
  reportFault,
  type SessionContext,
  type SessionInit,
  takeDebug,
  viewOf,
} from "../session/session-context.ts";
import { overLimit, reserveAmount } from "../session/spending.ts";
import { endStep } from "../session/steps.ts";
import type { ConductTool } from "../tools/conduct-tool.ts";
import { onCall } from "./call.ts";
import { classifyNow, stopClassifying } from "./classify-session.ts";
import { forgetContract } from "./contract-of-turn.ts";
import type { LostState } from "./lost-state.ts";
import { type Heard, onMessage, setModes } from "./message.ts";
import { onNotice } from "./notice.ts";
import { OpenQuestions, type Wait } from "./open-questions.ts";
import { explainPrompt, onPrompt } from "./prompt.ts";
import { type Delivered, onResult, type ResultOptions } from "./result.ts";
import type { SessionMoments } from "./session-moments.ts";
import {
  type IncomingMessage,
  type PromptRequest,
  SessionError,
  type SessionOptions,
  type StopRequest,
} from "./session-options.ts";
import { onStop } from "./stop.ts";
import { toolsOf } from "./user-tools.ts";

export type { Delivered } from "./result.ts";

/** A question to a person that waits for its answer. */
export type OpenQuestion = {
  readonly approval: string;
  readonly rule: string;
  readonly tool: string;
  readonly question: string;
  readonly expiresAt: number;
};

/**
 * One conversation with one agent, in this process. An adapter calls the five moments as they come; each is a function over
 * the session's context that gathers facts, then decides in one synchronous step.
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

  /** Name of the agent at work. */
  get agent(): string {
    return agentName(this.#context);
  }

  /** The session as it is now; later changes do not show in it. */
  get view(): SessionView {
    return viewOf(this.#context);
  }

  /** Why nothing is enforced now; `undefined` when everything is. */
  get observing(): Observing | undefined {
    return observingOf(this.#context);
  }

  /** Whether this session or one above it is over. */
  get ended(): boolean {
    return isEnded(this.#context);
  }

  /** Whether the session works in this folder. Without a folder, every session does. */
  isAt(root: string | undefined): boolean {
    return root === undefined || this.#context.ports.filesystem?.root === root;
  }

  /** Reports that the session was opened. Called once, when it can be found by its id. */
  opened(how: "opened" | "resumed", from?: SessionPoint): void {
    const { user, channel } = this.#context.slices.get(identitySlice);
    const modes = this.#context.slices.get(modesSlice);
    const switched = modes.think || modes.verbose || modes.elevated ? { modes } : {};
    const of = { channel, ...(user === undefined ? {} : { user }) };
    emit(this.#context, { type: "session", change: how, ...of, ...switched, ...(from === undefined ? {} : { from }) });
  }

  /** The state that this session had was damaged: the operator gets a fault, the person a note with the next message. */
  tellLost({ why, note }: LostState): void {
    reportFault(this.#context, { where: "session state", code: "state-damaged", message: why });
    if (note !== undefined) this.#context.owedNotes.push(note);
  }

  onMessage(message: IncomingMessage): Promise<Heard> {
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

  onStop(request?: StopRequest): Promise<StopDecision> {
    return onStop(this.#context, request);
  }

  /** What the runtime reports besides the moments. */
  notice(notice: Notice): void {
    if (notice.kind === "ended") this.#questions.drop();
    this.#context.clock.atOnce(() => onNotice(this.#context, notice));
  }

  /**
   * `onCall` for a runtime that cannot ask a person itself: waits for the approver's answer, then allows or denies. A question
   * that is not answered in time comes back as it is: the call does not run, the question stays open, and a later yes admits
   * one identical retry.
   */
  async decide(input: CallInput, wait: Wait = {}): Promise<Decision> {
    const decision = await this.onCall(input);
    const { approver } = this.#context.ports;
    if (decision.kind !== "ask" || approver === undefined) return decision;
    const { approval, rule, question, expiresAt } = decision;
    wait.onAsking?.(decision);
    const shown = { approval, session: this.id, rule, tool: input.tool, question, input: decision.input ?? input.args };
    await this.#questions.put(approver, { ...shown, expiresAt }, expiresAt - this.#context.clock.now(), wait);
    const known = approvalById(this.#context.slices.get(approvalsSlice), approval);
    return known === undefined || known.answer === null ? decision : this.onCall(input);
  }

  /** A person's answer to a question of this session. */
  resolve(approval: string, answer: "yes" | "no", by: string, reason?: string): void {
    resolveApproval(this.#context, approval, { answer, by, ...(reason === undefined ? {} : { reason }) });
    this.#questions.drop(approval);
  }

  /** Questions that a person can still answer. */
  openQuestions(): readonly OpenQuestion[] {
    const now = this.#context.clock.now();
    return [...this.#context.slices.get(approvalsSlice).matters].flatMap(([, approval]) => {
      if (approvalState(approval, now) !== "waiting") return [];
      const { id, rule, tool, question, expiresAt } = approval;
      return [{ approval: id, rule, tool, question, expiresAt }];
    });
  }

  /** Of every contributor there is, whether it would be in the prompt now, and why. */
  explainPrompt(request?: PromptRequest): Promise<readonly TraceEntry[]> {
    return explainPrompt(this.#context, request);
  }

  /** Classifies the conversation now. `undefined` when it could not be classified; a fault then says why. */
  classify(): Promise<SessionClassification | undefined> {
    return classifyNow(this.#context);
  }

  /** Switches modes one by one; the others stay as they are. */
  setModes(modes: Partial<Modes>): Modes {
    return setModes(this.#context, modes);
  }

  /** Sets the values that contributors tagged `custom` are selected by. */
  setCustom(values: readonly string[]): void {
    setCustom(this.#context, values);
  }

  /** The tools that Conduct gives the agent, next to the agent's own. */
  tools(): readonly ConductTool[] {
    return toolsOf(this.#context);
  }

  /** Texts of verbose mode since the last time; for the person, never for the model. */
  takeDebug(): string | undefined {
    return takeDebug(this.#context);
  }

  /** In this process a notice is handled at once. */
  async flush(): Promise<void> {}

  /** Sets tokens, cost or calls aside before they are spent; give the id to the `usage` notice that settles it. */
  reserveBudget(amount: Partial<Usage>): { readonly reservation: string } | { readonly exhausted: string } {
    const over = overLimit(this.#context, amount);
    if (over !== undefined) return { exhausted: over.what };
    if (reservationsFull(this.#context.slices.get(spendingSlice))) return { exhausted: "reservations" };
    const reservation = this.#context.ports.ids.next("b");
    reserveAmount(this.#context, reservation, amount);
    return { reservation };
  }

  /** Another agent takes over in the same session: counts and cadences of feedback are its own. */
  useAgent(name: string): void {
    const context = this.#context;
    const agent = context.agentOf(name);
    context.clock.atOnce(() => {
      endStep(context, null);
      forgetContract(context);
      context.compiled = agent;
      emit(context, { type: "session", change: "agent", detail: name });
    });
  }

  /** Opens a subagent's session: own state, this one's deadline and budget, never elevated by inheritance. */
  child(id?: string, options: Partial<SessionOptions> = {}): Session {
    const { channel, user } = this.#context.slices.get(identitySlice);
    return this.#openChild(
      {
        agent: this.agent,
        channel,
        enforcement: this.#context.enforcement,
        ...(user === undefined ? {} : { user }),
        ...options,
        ...(id === undefined ? {} : { id }),
      },
      this,
    );
  }

  /** How often each rule in shadow would have objected so far. */
  shadowCounts(): { readonly [rule: string]: number } {
    return Object.fromEntries([...this.#context.slices.get(shadowsSlice)].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** A handle on the state as it is now. Costs nothing: nothing is copied. */
  snapshot(): Snapshot {
    const { slices, clock } = this.#context;
    return { session: this.id, agent: this.agent, at: clock.now(), slices, point: pointOf(this.#context) };
  }

  /** Plain JSON that survives a restart: give it to `conduct.session({ snapshot })`. */
  serialise(): string {
    return serialiseSnapshot(this.snapshot());
  }

  /** Rolls STATE back to the snapshot; the log of calls, money spent and denials are kept. */
  restore(snapshot: Snapshot): void {
    if (snapshot.session !== this.id) {
      const message = `this snapshot is of session '${snapshot.session}', not of '${this.id}'`;
      throw new SessionError("foreign-snapshot", message);
    }
    this.#context.slices = this.#context.slices.restored(snapshot.slices);
    const { point } = snapshot;
    emit(this.#context, { type: "session", change: "restored", ...(point === undefined ? {} : { from: point }) });
  }

  /** Forgets everything, evidence and log alike. */
  reset(): void {
    resetSession(this.#context);
  }
}

/** Throws a `SessionError` when there is no such open question. */
export function resolveApproval(
  context: SessionContext,
  approval: string,
  given: { readonly answer: "yes" | "no"; readonly by: string; readonly reason?: string },
): void {
  context.clock.atOnce(() => {
    const answered = answerApproval(context.slices.get(approvalsSlice), approval, given, context.clock.now());
    if ("fault" in answered)
      throw new SessionError(`approval-${answered.fault}`, `approval '${approval}' is ${answered.fault}`);
    context.slices = context.slices.with(approvalsSlice, answered);
    emit(context, { type: "approval", approval, ...given });
  });
}

export function setCustom(context: SessionContext, values: readonly string[]): void {
  const custom = [...new Set(values)];
  context.slices = context.slices.with(identitySlice, { ...context.slices.get(identitySlice), custom });
  emit(context, { type: "session", change: "custom", detail: custom.join(", ") });
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
