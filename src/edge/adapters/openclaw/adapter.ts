import {
  callback,
  checkOptions,
  having,
  names,
  number,
  optional,
  type ShapesOf,
} from "../../../base/kernel/check-options.ts";
import { errorText } from "../../../base/kernel/error-text.ts";
import { parseModes } from "../../../behavior/session/modes/parse-modes.ts";
import type { SessionHost } from "../../../engine/session/session-moments.ts";
import { tellFault, undecided } from "../shared/refusals.ts";
import type { Conversation } from "./conversation.ts";
import { Conversations, Thinking } from "./conversations.ts";
import { SentTexts, senderOf, type Typed } from "./messages.ts";
import type { AgentContext, Hooks, OpenClawApi, ToolContext, ToolResultEvent } from "./native.ts";
import { readWritten, withheldResult, withText } from "./translate.ts";

/** Options of the OpenClaw adapter. */
export type OpenClawOptions = {
  readonly host: SessionHost;
  /** Operators on channels, as `channel:id`. The person at the gateway is the host's user. */
  readonly operators?: readonly string[];
  readonly waitMs?: number;
  /** Ends a run of OpenClaw at once. Without it, every further call of the run is refused. */
  readonly abort?: (sessionId: string) => Promise<void>;
  /** Runs a function outside of the current run, whose rights end with it. */
  readonly outside?: <T>(run: () => T) => T;
};

type Answer<K extends keyof Hooks> = Awaited<ReturnType<Hooks[K]>>;

/** OpenClaw's hooks as moments. One adapter serves all conversations of a gateway. */
export class OpenClawAdapter {
  readonly sent = new SentTexts();
  readonly conversations: Conversations;
  readonly #thinking = new Thinking();
  readonly #options: OpenClawOptions;
  readonly #runtime: () => OpenClawApi["runtime"];

  constructor(options: OpenClawOptions, runtime: () => OpenClawApi["runtime"]) {
    checkOptions("OpenClawAdapter", options, KEYS);
    this.#options = options;
    this.#runtime = runtime;
    this.conversations = new Conversations(options.host, runtime);
  }

  /**
   * Handles an incoming message. A message with modes is handled at once: OpenClaw has modes of the same names, and
   * would take a message of modes alone for itself. All others wait for their run, because they may be commands of
   * OpenClaw.
   */
  async arrived({ content, messageId, channel, sessionKey, senderId }: Parameters<Hooks["before_dispatch"]>[0]) {
    // Before its first run a session has no permanent id.
    if (sessionKey === undefined || this.conversations.entry(sessionKey)?.sessionId === undefined) return undefined;
    const conversation = this.conversations.of({ sessionKey, channel });
    const message = conversation.typed.arrive(content, messageId);
    if (!parseModes(content).any) return undefined;
    try {
      const text = await this.#hear(conversation, message, { channel, senderId, sessionKey });
      return text === undefined ? undefined : { handled: true, text };
    } catch {
      // Retried before the run, which does not begin if it fails again.
      return undefined;
    }
  }

  /** Called before a run begins. If Conduct answers itself, there is no run. */
  async begins(prompt: string, context: AgentContext): Promise<Answer<"before_agent_reply">> {
    try {
      const conversation = this.conversations.of(context);
      if (conversation.said.has(prompt)) return undefined;
      let messages = conversation.typed.take(prompt);
      if (messages.length === 0) {
        // OpenClaw began this run by itself.
        conversation.typed.arrive(prompt);
        messages = conversation.typed.take(prompt);
      }
      for (const message of messages.filter(({ text }) => text === undefined)) {
        const text = await this.#hear(conversation, message, context);
        if (text !== undefined && messages.length === 1) return { handled: true, reply: { text } };
      }
      this.sent.set(prompt, conversation.typed.cleaned(prompt));
      conversation.prompts.add(prompt);
      return undefined;
    } catch (error) {
      return {
        handled: true,
        reply: { text: `Conduct could not take this message, so it was not sent: ${errorText(error)}` },
      };
    }
  }

  /** Returns Conduct's own answer to a message that was for it alone. */
  async #hear(conversation: Conversation, message: Typed, from: AgentContext): Promise<string | undefined> {
    const sender = senderOf(from, message.typed, this.#options.operators ?? []);
    const heard = await conversation.hear(message, sender);
    if (from.sessionKey !== undefined) await this.#thinking.set(this.#runtime(), from.sessionKey, heard.modes);
    if (heard.reply === undefined) return undefined;
    conversation.typed.answer(message);
    return [...conversation.takeShown(), heard.reply].join("\n\n");
  }

  /** The moment `prompt`. On a failure, `admit` fails too, and the run does not begin. */
  async prompt(context: AgentContext): Promise<Answer<"before_prompt_build">> {
    try {
      const text = await this.conversations.of(context).prompt();
      return text === "" ? undefined : { appendSystemContext: text };
    } catch {
      return undefined;
    }
  }

  /** The last check before the model request: without Conduct's prompt there is no run. */
  async admit(systemPrompt: string, context: AgentContext): Promise<Answer<"before_agent_run">> {
    try {
      await this.conversations.of(context).admit(context.runId ?? "", systemPrompt);
      return undefined;
    } catch (error) {
      const message = `Conduct blocked this run: ${errorText(error)}`;
      return { outcome: "block", reason: message, message };
    }
  }

  /** The moment `call`. Never rejects. */
  async decide(
    event: Parameters<Hooks["before_tool_call"]>[0],
    { runId = "", sessionKey, sessionId }: Parameters<Hooks["before_tool_call"]>[1],
  ): Promise<Answer<"before_tool_call">> {
    const refuse = (blockReason: string) => ({ block: true, blockReason });
    try {
      const conversation = this.conversations.of({ sessionKey, sessionId });
      const { turn } = conversation;
      if (!conversation.admitted.has(runId)) return refuse(NOT_ADMITTED);
      if (turn.ended !== undefined) return refuse(AFTER_THE_END);
      const decided = await conversation.decide(event, this.#options.waitMs ?? 0);
      if (decided.kind === "run") {
        turn.yields = event.toolName === YIELD;
        const { because } = decided.decision;
        if (because === "shadow" || because === "paused") return undefined;
        return { params: { ...(decided.input ?? event.params) } };
      }
      const { decision, why } = decided;
      if (decision?.kind === "deny" && decision.code === "unreachable") turn.unreachable = true;
      if (decision?.kind === "deny" && decision.endTurn) {
        turn.ended = decision.reason;
        if (sessionId !== undefined) this.#abort(conversation, sessionId);
      }
      return refuse(why);
    } catch (error) {
      const conversation = this.conversations.find(sessionKey);
      if (conversation !== undefined) conversation.turn.unreachable = true;
      return refuse(undecided(error));
    }
  }

  /** Called after the call was answered; the call is refused in any case. */
  #abort(conversation: Conversation, sessionId: string): void {
    setTimeout(() => {
      this.#options.abort?.(sessionId).catch((error: unknown) => {
        const message = `the run continues, but none of its calls run: ${errorText(error)}`;
        tellFault(conversation, "openclaw before_tool_call", "abort", message);
      });
    });
  }

  /** The moment `result`. Never rejects: a result that cannot be checked is withheld. */
  async result(
    event: ToolResultEvent,
    { sessionKey, sessionId }: ToolContext,
  ): Promise<{ result: ToolResultEvent["result"] } | undefined> {
    try {
      const result = await this.conversations.of({ sessionKey, sessionId }).result(event);
      return result === undefined ? undefined : { result };
    } catch (error) {
      return { result: withheldResult(event, error) };
    }
  }

  /** Handles a message that is written to the transcript, which later runs read. */
  written<M extends object>(message: M, sessionKey: string | undefined): { block?: boolean; message?: M } | undefined {
    const conversation = this.conversations.find(sessionKey);
    const written = readWritten(message);
    if (conversation === undefined || written === undefined) return undefined;
    if (written.role === "assistant") {
      if (written.usage !== undefined) conversation.notice(written.usage);
      conversation.responds(written.calls, written.text);
      return undefined;
    }
    const kept = conversation.typed.kept(written.text);
    if (kept === undefined) return undefined;
    return "block" in kept ? kept : { message: withText(message, kept.text) };
  }

  /** The moment `stop`. OpenClaw continues by itself, unless the run has changed something already. */
  async stop(output: string, sessionKey: string | undefined): Promise<Answer<"before_agent_finalize">> {
    const reason = await this.conversations.find(sessionKey)?.stop(output);
    return reason === undefined ? undefined : { action: "revise", reason };
  }

  /** The run is over. A stop that was refused or not checked yet is decided now, and the agent continues if refused. */
  async ended(success: boolean, { sessionKey, runId, channel, trigger }: AgentContext): Promise<void> {
    const conversation = this.conversations.find(sessionKey);
    if (conversation === undefined || sessionKey === undefined) return;
    const { turn } = conversation;
    const admitted = conversation.admitted.has(runId ?? "");
    for (const prompt of conversation.prompts) this.sent.delete(prompt);
    await conversation.end(runId);
    if (!success || !admitted || turn.yields || trigger === "heartbeat") return;
    const refusal = turn.stop === "open" ? await conversation.stop(turn.output) : turn.refusal;
    if (refusal === undefined) return;
    conversation.said.add(refusal);
    const { outside = (run) => run() } = this.#options;
    const deliver = channel !== undefined && channel !== "webchat";
    const run = { sessionKey, message: refusal, deliver };
    await outside(() => this.#runtime().subagent.run(run)).catch((error: unknown) => {
      const message = `the stop was refused, but OpenClaw did not continue: ${errorText(error)}`;
      tellFault(conversation, "openclaw agent_end", "stop", message);
    });
  }

  /** Changes a reply before the person sees it; `undefined` leaves it as it is. */
  shown(payload: { readonly text?: string | undefined }, sessionKey: string | undefined) {
    const conversation = this.conversations.find(sessionKey);
    if (conversation === undefined) return undefined;
    const { ended } = conversation.turn;
    const lines = conversation.takeShown();
    if (ended === undefined && lines.length === 0) return undefined;
    const text = ended === undefined ? (payload.text ?? "") : `Conduct has ended this turn: ${ended}`;
    return { payload: { ...payload, text: [text, ...lines].filter((line) => line !== "").join("\n\n") } };
  }
}

/** Ends a run until a subagent is done; this is no stop. */
const YIELD = "sessions_yield";

const NOT_ADMITTED =
  "Denied by conduct: Conduct did not see this run begin, so none of its calls run.\nNext: stop and tell the operator: `plugins.entries.conduct.hooks.allowConversationAccess` must be true.";

const AFTER_THE_END =
  "Not run: Conduct has ended this turn because an earlier call was refused too often.\nNext: stop.";

const KEYS: ShapesOf<OpenClawOptions> = {
  host: having("open"),
  operators: optional(names),
  waitMs: optional(number),
  abort: optional(callback),
  outside: optional(callback),
};
