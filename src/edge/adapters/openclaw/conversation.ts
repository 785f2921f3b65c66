import type { CallInput } from "../../../base/words/call.ts";
import type { Advice } from "../../../base/words/decision.ts";
import type { Notice } from "../../../base/words/event.ts";
import type { Sender } from "../../../base/words/hosting/channel.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import type { MessageResult } from "../../../engine/moments/message.ts";
import type { SessionMoments } from "../../../engine/session/session-moments.ts";
import type { ConductTool } from "../../../engine/tools/conduct-tool.ts";
import { OpenCalls } from "../shared/open-calls.ts";
import { openOnce } from "../shared/open-once.ts";
import { decideCall } from "../shared/refusals.ts";
import { type Typed, TypedMessages } from "./messages.ts";
import type { ToolCallEvent, ToolResultEvent } from "./native.ts";
import { carriersOf, nativeToolName } from "./tool-map.ts";
import { callInputOf, deliveredResult, resultLimit, resultOf } from "./translate.ts";

type Turn = {
  prompt?: Promise<string>;
  ended?: string;
  /** The last text of the model. */
  output: string;
  /** Whether the current stop was decided. */
  stop: "open" | "refused" | "done";
  /** The run ends to wait for a subagent. */
  yields: boolean;
  /** Conduct was unreachable: no call runs, so the agent may stop. */
  unreachable?: true;
  /** Why the agent may not stop, until OpenClaw continues. */
  refusal?: string;
};

function newTurn(): Turn {
  return { output: "", stop: "open", yields: false };
}

type Live = {
  readonly session: SessionMoments;
  readonly calls: OpenCalls<{ readonly call: CallInput; readonly advice: readonly Advice[] }>;
  /** The names of Conduct's own tools. */
  readonly own: ReadonlySet<string>;
};

/** One conversation of OpenClaw: its session in Conduct, its open calls and its current turn. */
export class Conversation {
  readonly typed = new TypedMessages();
  /** The prompts that OpenClaw sends in the current run. */
  readonly prompts = new Set<string>();
  /** The current runs that have Conduct's prompt. */
  readonly admitted = new Set<string>();
  /** Conduct's own messages to the agent: OpenClaw reports them as messages, but no person sent them. */
  readonly said = new Set<string>();
  turn: Turn = newTurn();
  readonly #open: () => Promise<SessionMoments>;
  readonly #cwd: () => string;
  /** Rejects with the reason if the session cannot be opened now; the next request tries again. */
  readonly #reach: () => Promise<Live>;
  #live: Live | undefined;
  #steps = 0;
  #shown: string[] = [];
  #model: string | undefined;
  #window: number | undefined;

  constructor(open: () => Promise<SessionMoments>, cwd: () => string) {
    this.#open = open;
    this.#cwd = cwd;
    this.#reach = openOnce(async () => {
      const session = await open();
      const own = new Set(session.tools().map(({ name }) => name));
      this.#live = { session, calls: new OpenCalls(session), own };
      return this.#live;
    });
  }

  /** Conduct's tools; none before the session was opened. */
  tools(): readonly ConductTool[] {
    return this.#live?.session.tools() ?? [];
  }

  notice(notice: Notice): void {
    this.#live?.session.notice(notice);
  }

  /** The moment `message`. Begins a turn, unless the message was for Conduct alone. */
  async hear(message: Typed, sender: Sender | undefined): Promise<MessageResult> {
    const { typed: text, id } = message;
    const { session } = await this.#reach();
    const heard = await session.onMessage({ text, id, sender });
    this.#shown.push(...heard.notes);
    this.#drain();
    if (heard.reply === undefined) {
      this.turn = newTurn();
      this.said.clear();
      message.text = heard.text;
    }
    return heard;
  }

  /** The moment `prompt`: the same prompt for the whole turn. */
  prompt(): Promise<string> {
    const { turn } = this;
    turn.prompt ??= this.#reach().then(async ({ session }) => {
      return (await session.onPrompt({ toolName: nativeToolName })).text.trim();
    });
    turn.prompt.catch(() => delete turn.prompt);
    return turn.prompt;
  }

  /** Throws unless the system prompt contains Conduct's prompt byte for byte. */
  async admit(runId: string, systemPrompt: string): Promise<void> {
    const { prompt } = this.turn;
    if (prompt === undefined) {
      throw new Error(
        "OpenClaw did not ask for Conduct's prompt; `plugins.entries.conduct.hooks` needs `allowConversationAccess: true`, and no `allowPromptInjection: false`",
      );
    }
    if (!systemPrompt.includes(await prompt)) throw new Error("Conduct's prompt is not in the system prompt");
    this.admitted.add(runId);
  }

  /** The moment `call`. */
  async decide(event: ToolCallEvent, waitMs: number): ReturnType<typeof decideCall> {
    const { session, calls, own } = await this.#reach();
    const call = callInputOf(event, calls.step, { cwd: this.#cwd(), own });
    // Rejects soon if Conduct does not answer: a call may wait long for a person, but for nothing else.
    if (waitMs > 0) await this.#open();
    const decided = await decideCall(
      session,
      call,
      { waitMs },
      {
        runtime: "OpenClaw",
        where: "openclaw before_tool_call",
        native: event.params as JsonObject,
        carriers: carriersOf(event),
      },
    );
    if (decided.kind === "run") calls.add({ call, advice: decided.decision.advice });
    this.#drain();
    return decided;
  }

  /** The moment `result`. `undefined` keeps the tool's own result. */
  async result(event: ToolResultEvent): Promise<ToolResultEvent["result"] | undefined> {
    const { session, calls } = await this.#reach();
    const entry = calls.take(event.toolCallId);
    const tool = entry?.call.tool ?? event.toolName;
    const most = resultLimit(this.#window);
    const delivered = await session.onResult({ id: event.toolCallId, tool }, resultOf(event, tool), { most });
    this.#drain();
    return deliveredResult(event, delivered, entry?.advice ?? []);
  }

  /** The call is over, but its result did not pass Conduct. */
  async lost(id: string): Promise<void> {
    const { session, calls } = await this.#reach();
    const entry = calls.take(id);
    if (entry !== undefined) {
      await session.onResult(entry.call, { outcome: "unknown", parts: [] }, { replaceable: false });
    }
  }

  /** The moment `stop`. Returns the refusal, if there is one. */
  async stop(output: string): Promise<string | undefined> {
    const { turn } = this;
    if (turn.unreachable === true || turn.ended !== undefined) return undefined;
    const { session, calls } = await this.#reach();
    await calls.settle();
    const decision = await session.onStop({ reason: "end_turn", output });
    this.#drain();
    turn.stop = decision.done ? "done" : "refused";
    turn.refusal = decision.done ? undefined : decision.feedback;
    if (decision.done) session.notice({ kind: "reply", text: output });
    return turn.refusal;
  }

  /** The model responded: it has continued after any refusal, and its calls, with those of its tools, are one step. */
  responds(ids: readonly string[], output: string): void {
    Object.assign(this.turn, { stop: "open", output, yields: false, refusal: undefined });
    const calls = this.#live?.calls;
    if (calls === undefined) return;
    calls.closeStep();
    this.#steps += 1;
    // The count restarts with the gateway; the call's id makes the step unique.
    if (ids.length > 0) calls.step = `step-${this.#steps}-${ids[0]}`;
  }

  async end(runId: string | undefined): Promise<void> {
    if (runId !== undefined) this.admitted.delete(runId);
    this.prompts.clear();
    this.typed.end();
    await this.#live?.calls.settle();
    this.#drain();
  }

  tellModel(model: string, window: number | undefined): void {
    const key = `${model} ${window}`;
    if (key === this.#model) return;
    this.#model = key;
    this.#window = window;
    this.notice({ kind: "started", adapter: "openclaw", model, window });
  }

  /** Texts for the person, next to the answer. */
  takeShown(): readonly string[] {
    return this.#shown.splice(0);
  }

  #drain(): void {
    const text = this.#live?.session.takeDebug();
    if (text !== undefined) this.#shown.push(text);
  }
}
