import type { Notice } from "../../../base/words/event.ts";
import type { Sender } from "../../../base/words/hosting/channel.ts";
import type { MessageResult } from "../../../engine/moments/message.ts";
import type { SessionMoments } from "../../../engine/session/session-moments.ts";
import type { ConductTool } from "../../../engine/tools/conduct-tool.ts";
import { openOnce } from "../shared/open-once.ts";
import { Calls } from "./calls.ts";
import { type Typed, TypedMessages } from "./messages.ts";
import { nativeToolName } from "./tool-map.ts";

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

export class Conversation {
  readonly typed = new TypedMessages();
  /** The prompts that OpenClaw sends in the current run. */
  readonly prompts = new Set<string>();
  readonly #admitted = new Set<string>();
  /** Conduct's own messages to the agent: OpenClaw reports them as messages, but no person sent them. */
  readonly #said = new Set<string>();
  #session: SessionMoments | undefined;
  #calls: Calls | undefined;
  #shown: string[] = [];
  #model: string | undefined;
  #turn: Turn = newTurn();

  constructor(open: () => Promise<SessionMoments>, cwd: () => string) {
    this.session = openOnce(async () => {
      const session = await open();
      const own = new Set(session.tools().map(({ name }) => name));
      this.#calls = new Calls(session, () => ({ cwd: cwd(), own }), open);
      this.#session = session;
      return session;
    });
  }

  /** Rejects with the reason if the session cannot be opened now; the next request tries again. */
  readonly session: () => Promise<SessionMoments>;

  /** Conduct's tools; none before the session was opened. */
  tools(): readonly ConductTool[] {
    return this.#session?.tools() ?? [];
  }

  async calls(): Promise<Calls> {
    await this.session();
    if (this.#calls === undefined) throw new Error("the session is not open");
    return this.#calls;
  }

  notice(notice: Notice): void {
    this.#session?.notice(notice);
  }

  /** The moment `message`. Begins a turn, unless the message was for Conduct alone. */
  async hear(message: Typed, sender: Sender | undefined): Promise<MessageResult> {
    const { typed: text, id } = message;
    const session = await this.session();
    const heard = await session.onMessage({ text, id, sender });
    this.#shown.push(...heard.notes);
    this.drain();
    if (heard.reply === undefined) {
      this.#turn = newTurn();
      this.#said.clear();
      message.text = heard.text;
    }
    return heard;
  }

  /** The moment `prompt`: the same prompt for the whole turn. */
  prompt(): Promise<string> {
    const turn = this.#turn;
    turn.prompt ??= this.#build();
    turn.prompt.catch(() => delete turn.prompt);
    return turn.prompt;
  }

  async #build(): Promise<string> {
    const session = await this.session();
    return (await session.onPrompt({ toolName: nativeToolName })).text.trim();
  }

  /** Throws unless the system prompt contains Conduct's prompt byte for byte. */
  async admit(runId: string, systemPrompt: string): Promise<void> {
    const { prompt } = this.#turn;
    if (prompt === undefined) {
      throw new Error(
        "OpenClaw did not ask it what to tell the agent; `plugins.entries.conduct.hooks` needs `allowConversationAccess: true`, and no `allowPromptInjection: false`",
      );
    }
    if (!systemPrompt.includes(await prompt)) throw new Error("what it tells the agent is not in the system prompt");
    this.#admitted.add(runId);
  }

  admits(runId: string): boolean {
    return this.#admitted.has(runId);
  }

  get idle(): boolean {
    return this.#admitted.size === 0;
  }

  get turn(): Turn {
    return this.#turn;
  }

  /** Marks one of Conduct's own messages, which makes the agent continue. */
  say(text: string): void {
    this.#said.add(text);
  }

  said(text: string): boolean {
    return this.#said.has(text);
  }

  /** The moment `stop`. Returns the refusal, if there is one. */
  async stop(output: string): Promise<string | undefined> {
    const turn = this.#turn;
    if (turn.unreachable === true || turn.ended !== undefined) return undefined;
    await this.#calls?.settle();
    const session = await this.session();
    const decision = await session.onStop({ reason: "end_turn", output });
    this.drain();
    turn.stop = decision.done ? "done" : "refused";
    if (!decision.done) {
      turn.refusal = decision.feedback;
      return decision.feedback;
    }
    session.notice({ kind: "reply", text: output });
    return undefined;
  }

  /** The model responded, so it has continued after any refusal. */
  responds(calls: readonly string[], output: string): void {
    this.#turn.stop = "open";
    this.#turn.output = output;
    this.#turn.yields = false;
    delete this.#turn.refusal;
    this.#calls?.respond(calls);
  }

  async end(runId: string | undefined): Promise<void> {
    if (runId !== undefined) this.#admitted.delete(runId);
    this.prompts.clear();
    this.typed.end();
    await this.#calls?.settle();
    this.drain();
  }

  tellModel(model: string, window: number | undefined): void {
    const key = `${model} ${window}`;
    if (key === this.#model) return;
    this.#model = key;
    this.notice({ kind: "started", adapter: "openclaw", model, window });
  }

  drain(): void {
    const text = this.#session?.takeDebug();
    if (text !== undefined) this.#shown.push(text);
  }

  /** Texts for the person, next to the answer. */
  takeShown(): readonly string[] {
    return this.#shown.splice(0);
  }
}
