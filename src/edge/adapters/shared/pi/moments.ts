import type {
  AfterToolCallResult,
  AgentMessage,
  AgentTurnDecision,
  BeforeToolCallResult,
  ThinkingLevel,
} from "@earendil-works/pi-agent-core";
import type { Api, AssistantMessage, Model, Usage } from "@earendil-works/pi-ai";
import { canonicalJson } from "../../../../base/kernel/canonical-json.ts";
import type { CallInput } from "../../../../base/words/call.ts";
import type { Advice } from "../../../../base/words/decision.ts";
import type { Notice } from "../../../../base/words/event.ts";
import type { Modes } from "../../../../base/words/modes.ts";
import type { ToolResult } from "../../../../base/words/result.ts";
import type { MessageResult } from "../../../../engine/moments/message.ts";
import type { SessionMoments } from "../../../../engine/session/session-moments.ts";
import type { IncomingMessage } from "../../../../engine/session/session-options.ts";
import { type Asking, askStop, decide, type TurnEnd } from "../ask-session.ts";
import { deliveredBlocks, usageNotice } from "../content.ts";
import { OpenCalls } from "../open-calls.ts";
import { type ForPerson, PersonTexts } from "../person-texts.ts";
import { cancelCall, refuseRewrite, tellFault } from "../refusals.ts";
import { Thinking } from "./thinking.ts";
import { type ToolMap, toolNames } from "./tool-map.ts";
import {
  afterTheEnd,
  answerTo,
  type CallContext,
  callIdOf,
  callInputOf,
  type ResultContext,
  resultOf,
  rewriteArgs,
  startedNotice,
  stopReasonOf,
  textOf,
  undecided,
  withheld,
} from "./translate.ts";

type PiMomentsOptions = Asking & {
  readonly map: ToolMap;
  readonly show?: ((text: string) => void) | undefined;
};

/** An allowed call; `ran` is the input it was allowed with. */
type OpenCall = { readonly call: CallInput; readonly advice: readonly Advice[]; readonly ran: string };

export type Compacted = Omit<Extract<Notice, { kind: "compacted" }>, "kind">;

/** Pi's hooks as the five moments of one session, with the state of the current turn. */
export class PiMoments {
  readonly #session: SessionMoments;
  readonly #map: ToolMap;
  readonly #asking: Asking;
  readonly #seen = new SeenResults();
  readonly #thinking = new Thinking();
  readonly #shown: PersonTexts;
  readonly #open: OpenCalls<OpenCall>;
  /** The response whose calls the open step has. */
  #response: AssistantMessage | undefined;
  #steps = 0;
  #model: string | undefined;
  #modes: Modes | undefined;
  #prompt: string | undefined;
  #refusal: string | undefined;
  #end: TurnEnd | undefined;
  /** The last call was denied because the session was unreachable. */
  #lost = false;

  constructor(session: SessionMoments, { map, show, ...asking }: PiMomentsOptions) {
    this.#session = session;
    this.#map = map;
    this.#asking = asking;
    this.#shown = new PersonTexts(session, show);
    this.#open = new OpenCalls(session);
  }

  begin(): void {
    this.#thinking.begin();
  }

  takeShown(): ForPerson {
    return this.#shown.take();
  }

  /** How the turn ended; `undefined` while it runs, and if it was interrupted. */
  get end(): TurnEnd | undefined {
    return this.#end;
  }

  get prompt(): string {
    return this.#prompt ?? "";
  }

  /**
   * The moment `message`. With a `reply` the message was for Conduct alone, and no turn begins. With `always` the
   * model is called anyway: then the reply is one of the notes, and `text` is empty.
   */
  async message(
    message: IncomingMessage,
    model: Model<Api> | undefined,
    asked: "as-needed" | "always",
  ): Promise<Omit<MessageResult, "notes">> {
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
   * The moment `prompt`, once per turn, with the window of the model that is really called. Returns the thinking level
   * that the request needs, if it is not `level`.
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

  /** At the end of a run: the application's own thinking level, if think mode has changed it. */
  ownLevel(level: ThinkingLevel): ThinkingLevel | undefined {
    return this.#thinking.end(level);
  }

  /** Handles the messages of a request. Evidence in a cut part is lost. */
  shows(messages: readonly AgentMessage[]): void {
    if (this.#seen.compactedBy(messages)) this.#session.notice({ kind: "compacted" });
  }

  /** The runtime reports that it has cut the transcript. */
  compacted(figures: Compacted = {}): void {
    this.#seen.forget();
    this.#session.notice({ kind: "compacted", ...figures });
  }

  /** Tokens and cost of one response, or of a tool that calls models itself. */
  spent(usage: Usage): void {
    const notice = usageNotice(usage);
    if (notice !== undefined) this.#session.notice(notice);
  }

  /** The moment `call`. Never rejects: any failure blocks the call. */
  async before(context: CallContext, signal?: AbortSignal): Promise<BeforeToolCallResult | undefined> {
    try {
      if (this.#end?.status === "ended-by-policy") return afterTheEnd();
      const call = callInputOf(context, this.#stepOf(context.assistantMessage), this.#map);
      const decision = await decide(this.#session, this.#asking, call, signal);
      this.#lost = decision.kind === "deny" && decision.code === "unreachable";
      if (decision.kind === "allow" && decision.input !== undefined) {
        const cannot = rewriteArgs(context, call, decision.input, this.#map);
        if (cannot.length > 0) {
          const reason = await refuseRewrite(this.#session, call, { runtime: "Pi", where: "pi", cannot });
          return { block: true, reason };
        }
      }
      if (decision.kind === "allow")
        this.#open.add({ call, advice: decision.advice, ran: canonicalJson(context.args) });
      if (decision.kind === "deny" && decision.endTurn) this.#end = { status: "ended-by-policy", why: decision.reason };
      if (decision.kind !== "ask") return answerTo(decision);
      const { feedback } = await cancelCall(this.#session, call);
      return answerTo(decision, feedback);
    } catch (error) {
      return undecided(error);
    } finally {
      this.#shown.drain();
    }
  }

  /** The moment `result`. Never rejects: a result that cannot be checked is withheld. */
  async after(context: ResultContext, signal?: AbortSignal): Promise<AfterToolCallResult | undefined> {
    try {
      const id = callIdOf(context);
      const entry = this.#open.take(id);
      if (context.result.usage !== undefined) this.spent(context.result.usage);
      const tool = entry?.call.tool ?? context.toolCall.name;
      const result = this.#believed(resultOf(context, tool, signal?.aborted === true), entry, context.args);
      const delivered = await this.#session.onResult({ id, tool }, result);
      const content = deliveredBlocks(context.result.content ?? [], delivered, entry?.advice ?? []);
      return content === undefined ? undefined : { content };
    } catch (error) {
      return withheld(error);
    } finally {
      this.#shown.drain();
    }
  }

  /** The end of a response and its calls. `stopping`: Pi would end the run now, so the moment `stop` follows. */
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
    this.#end = { status: decision.status, why: decision.why };
    this.#session.notice({ kind: "reply", text: output });
    return undefined;
  }

  takeRefusal(): string | undefined {
    const refusal = this.#refusal;
    this.#refusal = undefined;
    return refusal;
  }

  /** Cancels the calls that Pi dropped between its hooks, and closes the step. */
  settle(): Promise<void> {
    return this.#open.settle();
  }

  /** A call whose input changed after the decision proves nothing. */
  #believed(result: ToolResult, entry: OpenCall | undefined, args: unknown): ToolResult {
    if (entry === undefined || entry.ran === canonicalJson(args)) return result;
    const message = `the input of '${entry.call.tool}' was changed after Conduct had decided on it`;
    tellFault(this.#session, "pi", "input-changed", message);
    const { exitCode: _exitCode, ...rest } = result;
    return { ...rest, outcome: "unknown" };
  }

  /** The calls of one response share a step, whether Pi runs them in parallel or not. */
  #stepOf(message: AssistantMessage): string {
    if (this.#open.step === undefined || this.#response !== message) {
      this.#steps += 1;
      this.#response = message;
      this.#open.step = `step-${message.timestamp}-${this.#steps}`;
    }
    return this.#open.step;
  }

  tellModel(model: Model<Api> | undefined): void {
    if (model === undefined) return;
    const notice = startedNotice(model);
    const key = JSON.stringify(notice);
    if (key === this.#model) return;
    this.#model = key;
    this.#session.notice(notice);
  }
}

/** Detects results that are missing from a request: Pi has no event for a cut transcript. */
export class SeenResults {
  #ids: ReadonlySet<string> = new Set();

  /** Returns true if something in the last request is missing from this one. */
  compactedBy(messages: readonly AgentMessage[]): boolean {
    const now = new Set(messages.flatMap((message) => (message.role === "toolResult" ? [message.toolCallId] : [])));
    const lost = !this.#ids.isSubsetOf(now);
    this.#ids = now;
    return lost;
  }

  forget(): void {
    this.#ids = new Set();
  }
}
