import { randomUUID } from "node:crypto";
import { canonicalJson } from "../../../../base/kernel/canonical-json.ts";
import { callback, number, optional, type ShapesOf } from "../../../../base/kernel/check-options.ts";
import { errorText } from "../../../../base/kernel/error-text.ts";
import { isObject } from "../../../../base/kernel/json.ts";
import type { CallInput } from "../../../../base/words/call.ts";
import type { Advice } from "../../../../base/words/decision.ts";
import type { JsonObject } from "../../../../base/words/json.ts";
import type { Modes, ThinkLevel } from "../../../../base/words/modes.ts";
import { shownText } from "../../../../behavior/results/result-text.ts";
import type { MessageResult } from "../../../../engine/moments/message.ts";
import type { SessionMoments } from "../../../../engine/session/session-moments.ts";
import type { IncomingMessage, StopRequest } from "../../../../engine/session/session-options.ts";
import { type Ask, askStop, decide, type TurnEnd } from "../ask-session.ts";
import { joinTexts } from "../content.ts";
import { OpenCalls } from "../open-calls.ts";
import { PersonTexts } from "../person-texts.ts";
import { rewriteMapped, type ToolMap, toolNames } from "../pi/tool-map.ts";
import { cancelCall, refusalOf, refuseRewrite, tellFault, undecided, withheldText } from "../refusals.ts";
import { frameworkToolMap } from "./tool-map.ts";
import { type Ended, hidesRequirements, toolResultOf } from "./tool-result.ts";

/** Settings that every framework adapter and `guardTools` have. */
export type GuardOptions = {
  /** Names your tools in Conduct's vocabulary. Default: `bash` is `shell`, `mcp__server__name` is `server/name`. */
  readonly toolMap?: ToolMap;
  /** Asks a person. Without it the session's own approver is asked; without that, a question refuses the call. */
  readonly ask?: Ask;
  /** How long a call waits for Conduct and for the person its approver asks; then it is blocked. Default: one hour. */
  readonly waitMs?: number;
  /** Gets each text for the person at once: notes, and debug lines of verbose mode. */
  readonly show?: (text: string) => void;
};

export const GUARD_KEYS: ShapesOf<GuardOptions> = {
  toolMap: optional(callback),
  ask: optional(callback),
  waitMs: optional(number),
  show: optional(callback),
};

/** A tool call as the framework has it. Calls of one model response have the same `step`. */
export type FrameworkCall = {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  /** Without it, calls that begin while another one runs count as one response. */
  readonly step?: string;
  readonly signal?: AbortSignal | undefined;
};

/** `run`: the call runs with this input. `refused`: it does not run, and the model reads the text. */
export type Verdict =
  | { readonly kind: "run"; readonly input: JsonObject }
  | { readonly kind: "refused"; readonly text: string };

/** What the model reads of a result: the tool's own value, or a text in its place. */
export type Delivery = { readonly kind: "same" } | { readonly kind: "text"; readonly text: string };

type Decided = { readonly asked: string; readonly verdict: Promise<Verdict> };
type OpenCall = { readonly call: CallInput; readonly advice: readonly Advice[] };

const WAIT_MS = 3_600_000;
/** A question that timed out is still answered as a question; only a session that never answers reaches the limit. */
const GRACE_MS = 1_000;
const AFTER_THE_END = "Not run: an earlier call was refused too often, and the turn ends here.";

/** The five moments of one session for a framework in the same process, with the state of the current turn. */
export class AgentMoments {
  readonly session: SessionMoments;
  readonly #runtime: string;
  readonly #options: GuardOptions;
  readonly #map: ToolMap;
  readonly #shown: PersonTexts;
  readonly #open: OpenCalls<OpenCall>;
  readonly #decided = new Map<string, Decided>();
  /** A session outlives its process, and a step that is over must not begin again. */
  readonly #life = randomUUID().slice(0, 8);
  #running = 0;
  #steps = 0;
  #model: string | undefined;
  #modes: Modes | undefined;
  #prompt: Promise<string> | undefined;
  #end: TurnEnd | undefined;
  /** The last call was denied because the session was unreachable. */
  #lost = false;

  constructor(session: SessionMoments, runtime: string, options: GuardOptions) {
    this.session = session;
    this.#runtime = runtime;
    this.#options = options;
    this.#map = options.toolMap ?? frameworkToolMap;
    this.#shown = new PersonTexts(session, options.show);
    this.#open = new OpenCalls(session);
  }

  /** How the turn ended; `undefined` while it runs, and if it was interrupted. */
  get end(): TurnEnd | undefined {
    return this.#end;
  }

  get endedByPolicy(): boolean {
    return this.#end?.status === "ended-by-policy";
  }

  /** The effort that /think asks for: `undefined` if no mode is set, so that the application's own setting applies. */
  get thinking(): ThinkLevel | undefined {
    const { think, thinkLevel } = this.#modes ?? this.session.modes;
    return think && this.session.observing === undefined ? (thinkLevel ?? "medium") : undefined;
  }

  tellModel(model = ""): void {
    if (model === this.#model) return;
    this.#model = model;
    this.session.notice({ kind: "started", adapter: this.#runtime, model: model || undefined });
  }

  /** Tokens of one model response. */
  spent(inputTokens = 0, outputTokens = 0): void {
    if (inputTokens + outputTokens > 0) this.session.notice({ kind: "usage", inputTokens, outputTokens, cost: 0 });
  }

  /** The moment `message`. With a `reply` the message was for Conduct alone: show it, and do not run the agent. */
  async message(message: string | IncomingMessage): Promise<MessageResult> {
    await this.settle();
    const heard = await this.session.onMessage(typeof message === "string" ? { text: message } : message);
    this.#modes = heard.modes;
    this.#shown.note(heard.notes);
    if (heard.reply === undefined) {
      this.#prompt = undefined;
      this.#end = undefined;
      this.#lost = false;
    }
    return heard;
  }

  /** The moment `prompt`, once per turn. Rejects if the prompt cannot be built, so no request is sent without it. */
  async prompt(tools: readonly string[]): Promise<string> {
    this.#prompt ??= this.session
      .onPrompt({ tools, toolName: toolNames(tools, this.#map) })
      .then(({ text }) => text)
      .finally(() => this.#shown.drain());
    try {
      return await this.#prompt;
    } catch (error) {
      this.#prompt = undefined;
      throw error;
    }
  }

  /**
   * The moment `call`. Never rejects: any failure refuses the call. A framework may ask about one call several times
   * (before an approval, after a resume, when it runs); only the first time decides.
   */
  call(native: FrameworkCall): Promise<Verdict> {
    const asked = canonicalJson([native.name, native.input ?? null]);
    const known = this.#decided.get(native.id);
    if (known !== undefined && known.asked === asked) return known.verdict;
    if (known !== undefined) {
      const text = `the input of call '${native.id}' changed after Conduct had decided on it`;
      return Promise.resolve({ kind: "refused", text: undecided(new Error(text)) });
    }
    const verdict = this.#decide(native);
    this.#decided.set(native.id, { asked, verdict });
    return verdict;
  }

  /** The moment `result`. Never rejects: a result that cannot be checked is withheld. */
  async result(id: string, ended: Ended): Promise<Delivery> {
    const entry = this.#open.take(id);
    this.#decided.delete(id);
    try {
      if (entry === undefined) throw new Error(`no call '${id}' is running`);
      const delivered = await this.session.onResult({ id, tool: entry.call.tool }, toolResultOf(ended));
      const { changed, result, feedback } = delivered;
      const hidden = "value" in ended && this.session.observing === undefined && hidesRequirements(ended.value);
      if (!changed && !hidden && feedback === undefined && entry.advice.length === 0) return { kind: "same" };
      const advice = entry.advice.map(({ text }) => text);
      return { kind: "text", text: joinTexts([...advice, shownText(result.parts), feedback]) };
    } catch (error) {
      return { kind: "text", text: withheldText(error) };
    } finally {
      this.#finished();
      this.#shown.drain();
    }
  }

  /**
   * Runs a tool under the moments `call` and `result`. Returns its value, or the text that the model reads instead. If
   * the tool throws, the error is thrown on, with the text that the model may read.
   */
  async run<T>(native: FrameworkCall, execute: (input: JsonObject) => T | PromiseLike<T>): Promise<T | string> {
    const verdict = await this.call(native);
    if (verdict.kind === "refused") {
      this.#decided.delete(native.id);
      return verdict.text;
    }
    let value: T;
    try {
      value = await execute(verdict.input);
    } catch (error) {
      const delivery = await this.result(native.id, { error, aborted: native.signal?.aborted === true });
      throw delivery.kind === "same" ? error : new Error(delivery.text, { cause: error });
    }
    const delivery = await this.result(native.id, { value });
    return delivery.kind === "same" ? value : delivery.text;
  }

  /** The moment `stop`: the message for the model if it may not stop. A session that fails lets it stop. */
  async stop(request: StopRequest): Promise<string | undefined> {
    await this.settle();
    if (this.endedByPolicy) return undefined;
    try {
      const decision = await askStop(this.session, request, { lost: this.#lost });
      if (!decision.done) return decision.feedback;
      this.#end = { status: decision.status, why: decision.why };
      if (typeof request.output === "string") this.session.notice({ kind: "reply", text: request.output });
    } catch (error) {
      // Without Conduct no call runs, so an agent that may not stop would only repeat itself.
      tellFault(this.session, "stop", "unreachable", errorText(error));
      this.#end = { status: "bypassed", why: errorText(error) };
    } finally {
      this.#shown.drain();
    }
    return undefined;
  }

  /** The end of a model response with all its calls: cancels those that never ran, and closes the step. */
  async settle(): Promise<void> {
    this.#decided.clear();
    this.#running = 0;
    await this.#open.settle();
  }

  async #decide(native: FrameworkCall): Promise<Verdict> {
    const { id, name, input, signal } = native;
    const step = this.#enterStep(native.step);
    this.#running += 1;
    let runs = false;
    try {
      if (this.endedByPolicy) return { kind: "refused", text: AFTER_THE_END };
      if (!isObject(input)) throw new Error(`the arguments of '${name}' are not an object`);
      const mapped = this.#map(name, input);
      const call: CallInput = { ...mapped, id, step, native: { runtime: this.#runtime, name, input } };
      const { ask, waitMs = WAIT_MS } = this.#options;
      const decision = await decide(this.session, { ask, waitMs, limitMs: waitMs + GRACE_MS }, call, signal);
      this.#lost = decision.kind === "deny" && decision.code === "unreachable";
      if (decision.kind === "deny" && decision.endTurn) this.#end = { status: "ended-by-policy", why: decision.reason };
      if (decision.kind === "deny") return { kind: "refused", text: refusalOf(decision) };
      if (decision.kind === "ask") {
        const { feedback } = await cancelCall(this.session, call);
        return { kind: "refused", text: joinTexts([refusalOf(decision), feedback]) };
      }
      const rewritten =
        decision.input === undefined
          ? { input }
          : rewriteMapped({ name, input, args: call.args }, decision.input, this.#map);
      if ("cannot" in rewritten) {
        const way = { runtime: this.#runtime, where: this.#runtime, cannot: rewritten.cannot };
        return { kind: "refused", text: await refuseRewrite(this.session, call, way) };
      }
      this.#open.add({ call, advice: decision.advice });
      runs = true;
      return { kind: "run", input: rewritten.input };
    } catch (error) {
      this.#lost = true;
      return { kind: "refused", text: undecided(error) };
    } finally {
      if (!runs) this.#finished();
      this.#shown.drain();
    }
  }

  /** The step of a call. The step before it is closed when it begins. */
  #enterStep(step: string | undefined): string {
    const open = this.#open.step;
    const named = step === undefined ? undefined : `${this.#life}-${step}`;
    if (open !== undefined && (named === open || (named === undefined && this.#running > 0))) return open;
    this.#open.closeStep();
    this.#steps += 1;
    this.#open.step = named ?? `${this.#life}-${this.#steps}`;
    return this.#open.step;
  }

  #finished(): void {
    this.#running = Math.max(0, this.#running - 1);
  }
}
