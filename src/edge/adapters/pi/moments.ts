import type {
  AfterToolCallResult,
  AgentMessage,
  AgentTurnDecision,
  BeforeToolCallResult,
  ThinkingLevel,
} from "@earendil-works/pi-agent-core";
import type { Api, AssistantMessage, Model, Usage } from "@earendil-works/pi-ai";
import { canonicalJson } from "../../../base/kernel/canonical-json.ts";
import type { CallInput } from "../../../base/words/call.ts";
import type { Advice } from "../../../base/words/decision.ts";
import type { Notice } from "../../../base/words/event.ts";
import type { Modes } from "../../../base/words/modes.ts";
import type { ToolResult } from "../../../base/words/result.ts";
import type { Heard } from "../../../engine/moments/message.ts";
import type { IncomingMessage } from "../../../engine/session/session-options.ts";
import { rewriteRefusal } from "../rewrite-input.ts";
import { askStop } from "./ask-stop.ts";
import { type Asking, decide, type PiSession } from "./decide.ts";
import { SeenResults } from "./seen-results.ts";
import { type ForPerson, Shown } from "./shown.ts";
import { Thinking } from "./thinking.ts";
import { type ToolMap, toolNames } from "./tool-map.ts";
import {
  afterTheEnd,
  answerTo,
  type CallContext,
  callIdOf,
  callInputOf,
  overrideOf,
  type ResultContext,
  resultOf,
  rewriteArgs,
  startedNotice,
  stopReasonOf,
  textOf,
  undecided,
  usageNotice,
  withheld,
} from "./translate.ts";

export type PiMomentsOptions = Asking & {
  readonly map: ToolMap;
  readonly show?: ((text: string) => void) | undefined;
};

/** A call that was let through: `ran` is what it was let through with. */
type UnderWay = { readonly call: CallInput; readonly advice: readonly Advice[]; readonly ran: string };

/** What is known of a cut. */
export type Compacted = Omit<Extract<Notice, { kind: "compacted" }>, "kind">;

/** How Conduct ended a turn. */
export type TurnEnd = {
  readonly status: "complete" | "incomplete" | "bypassed" | "ended-by-policy";
  readonly why?: string;
};

/** Pi's hooks as the five moments of one session. Holds what belongs to the turn under way, and nothing that binds. */
export class PiMoments {
  readonly #session: PiSession;
  readonly #map: ToolMap;
  readonly #asking: Asking;
  readonly #seen = new SeenResults();
  readonly #thinking = new Thinking();
  readonly #shown: Shown;
  readonly #underWay = new Map<string, UnderWay>();
  #step: { readonly of: AssistantMessage; readonly id: string } | undefined;
  #steps = 0;
  #model: string | undefined;
  #modes: Modes | undefined;
  #prompt: string | undefined;
  #refusal: string | undefined;
  #end: TurnEnd | undefined;
  /** The last call was denied because the session could not be asked. */
  #lost = false;

  constructor(session: PiSession, { map, show, ...asking }: PiMomentsOptions) {
    this.#session = session;
    this.#map = map;
    this.#asking = asking;
    this.#shown = new Shown(session, show);
  }

  /** A run begins. */
  begin(): void {
    this.#thinking.begin();
  }

  /** What the person is to see of the turn besides the model's answer. */
  takeShown(): ForPerson {
    return this.#shown.take();
  }

  /** How the turn ended; `undefined` while it goes on, and when it broke off. */
  get end(): TurnEnd | undefined {
    return this.#end;
  }

  /** What the agent is told in this turn. */
  get prompt(): string {
    return this.#prompt ?? "";
  }

  /**
   * A person has said something. With a `reply` the message was for Conduct alone, and no turn begins, unless the model
   * is asked all the same: then the reply is one of the notes, and `text` is empty.
   */
  async message(
    message: IncomingMessage,
    model: Model<Api> | undefined,
    asked: "as-needed" | "always",
  ): Promise<Omit<Heard, "notes">> {
    this.tellModel(model);
    const heard = await this.#session.onMessage(message);
    this.#modes = heard.modes;
    this.#shown.note(heard.notes);
    if (heard.reply !== undefined) {
      if (asked === "as-needed") return heard;
      this.#shown.note([heard.reply]);
      await this.#session.onMessage({ ...message, text: "" });
    }
    this.#prompt = undefined;
    this.#refusal = undefined;
    this.#end = undefined;
    this.#lost = false;
    return { text: heard.reply === undefined ? heard.text : "", modes: heard.modes };
  }

  /**
   * Before a request: the prompt is assembled once a turn, and the window is that of the model really called. Gives the
   * thinking level that the request needs, where it is not `level`.
   */
  async prepare(
    model: Model<Api> | undefined,
    tools: readonly string[],
    level: ThinkingLevel,
  ): Promise<ThinkingLevel | undefined> {
    this.tellModel(model);
    if (this.#prompt === undefined) {
      this.#prompt = (await this.#session.onPrompt({ tools, toolName: toolNames(tools, this.#map) })).text;
    }
    this.#shown.drain();
    return this.#modes === undefined ? undefined : this.#thinking.change(level, this.#modes);
  }

  /** The application's own thinking level, where it is not `level` because of think mode: the run is over. */
  ownLevel(level: ThinkingLevel): ThinkingLevel | undefined {
    return this.#thinking.end(level);
  }

  /** What this request shows the model; evidence does not outlive what was cut from it. */
  shows(messages: readonly AgentMessage[]): void {
    if (this.#seen.compactedBy(messages)) this.#session.notice({ kind: "compacted" });
  }

  /** The runtime says itself that it has cut the transcript. */
  compacted(figures: Compacted = {}): void {
    this.#seen.forget();
    this.#session.notice({ kind: "compacted", ...figures });
  }

  /** Tokens and cost of one response, or of a tool that calls models itself. */
  spent(usage: Usage): void {
    const notice = usageNotice(usage);
    if (notice !== undefined) this.#session.notice(notice);
  }

  /** May it do this? Never rejects: whatever goes wrong blocks the call. */
  async before(context: CallContext, signal?: AbortSignal): Promise<BeforeToolCallResult | undefined> {
    try {
      if (this.#end?.status === "ended-by-policy") return afterTheEnd();
      const call = callInputOf(context, this.#stepOf(context.assistantMessage), this.#map);
      const decision = await decide(this.#session, this.#asking, call, signal);
      this.#lost = decision.kind === "deny" && decision.code === "unreachable";
      if (decision.kind === "allow" && decision.input !== undefined) {
        const cannot = rewriteArgs(context, call, decision.input, this.#map);
        if (cannot.length > 0) return await this.#refuse(call, cannot);
      }
      if (decision.kind === "allow")
        this.#underWay.set(call.id, { call, advice: decision.advice, ran: canonicalJson(context.args) });
      if (decision.kind === "deny" && decision.endTurn) this.#end = { status: "ended-by-policy", why: decision.reason };
      if (decision.kind !== "ask") return answerTo(decision);
      const { feedback } = await this.#session.onResult(call, { outcome: "cancelled", parts: [] });
      return answerTo(decision, feedback);
    } catch (error) {
      return undecided(error);
    } finally {
      this.#shown.drain();
    }
  }

  /** What does it get back? Never rejects: what cannot be checked is withheld. */
  async after(context: ResultContext, signal?: AbortSignal): Promise<AfterToolCallResult | undefined> {
    try {
      const id = callIdOf(context);
      const entry = this.#underWay.get(id);
      this.#underWay.delete(id);
      if (context.result.usage !== undefined) this.spent(context.result.usage);
      const tool = entry?.call.tool ?? context.toolCall.name;
      const result = this.#believed(resultOf(context, tool, signal?.aborted === true), entry, context.args);
      return overrideOf(await this.#session.onResult({ id, tool }, result), entry?.advice ?? []);
    } catch (error) {
      return withheld(error);
    } finally {
      this.#shown.drain();
    }
  }

  /** The response and all results of its calls are there. `stopping` when Pi would now end the run. */
  async finish(message: AssistantMessage, stopping: boolean): Promise<AgentTurnDecision | undefined> {
    await this.settle();
    if (this.#end?.status === "ended-by-policy") return { action: "end" };
    if (!stopping) return undefined;
    const output = textOf(message);
    const decision = await askStop(this.#session, { reason: stopReasonOf(message), output }, { lost: this.#lost });
    if (!decision.done) {
      this.#refusal = decision.feedback;
      return { action: "continue" };
    }
    this.#end = { status: decision.status, ...(decision.why === undefined ? {} : { why: decision.why }) };
    this.#session.notice({ kind: "reply", text: output });
    return undefined;
  }

  /** Why the stop was refused, to be said once, as the next thing the model reads. */
  takeRefusal(): string | undefined {
    const refusal = this.#refusal;
    this.#refusal = undefined;
    return refusal;
  }

  /** Calls that Pi dropped between its hooks are over, and so is the step. */
  async settle(): Promise<void> {
    for (const [id, { call }] of this.#underWay) {
      this.#underWay.delete(id);
      await this.#session.onResult(call, { outcome: "cancelled", parts: [] });
    }
    if (this.#step === undefined) return;
    this.#session.notice({ kind: "step-closed", step: this.#step.id });
    this.#step = undefined;
  }

  /** Evidence is of what was decided on: whoever changed the input afterwards has made another call of it. */
  #believed(result: ToolResult, entry: UnderWay | undefined, args: unknown): ToolResult {
    if (entry === undefined || entry.ran === canonicalJson(args)) return result;
    this.#fault("input-changed", `the input of '${entry.call.tool}' was changed after Conduct had decided on it`);
    const { exitCode: _exitCode, ...rest } = result;
    return { ...rest, outcome: "unknown" };
  }

  #fault(code: string, message: string): void {
    this.#session.notice({ kind: "fault", fault: { where: "pi", code, message } });
  }

  /** Rules have changed the call into one that Pi cannot make. */
  async #refuse(call: CallInput, cannot: readonly string[]): Promise<BeforeToolCallResult> {
    await this.#session.onResult(call, { outcome: "cancelled", parts: [] });
    const message = rewriteRefusal(call.tool, "Pi", cannot);
    this.#fault("rewrite", message);
    return { block: true, reason: message };
  }

  /** The calls of one response share a step, whether Pi runs them side by side or one by one. */
  #stepOf(message: AssistantMessage): string {
    if (this.#step?.of !== message) {
      this.#steps += 1;
      this.#step = { of: message, id: `step-${message.timestamp}-${this.#steps}` };
    }
    return this.#step.id;
  }

  /** Which model is called from now on, and how much it can take. */
  tellModel(model: Model<Api> | undefined): void {
    if (model === undefined) return;
    const notice = startedNotice(model);
    const key = JSON.stringify(notice);
    if (key === this.#model) return;
    this.#model = key;
    this.#session.notice(notice);
  }
}
