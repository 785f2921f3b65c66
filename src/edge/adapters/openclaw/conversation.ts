import type { Notice } from "../../../base/words/event.ts";
import type { Sender } from "../../../base/words/hosting/channel.ts";
import type { Heard } from "../../../engine/moments/message.ts";
import type { SessionMoments } from "../../../engine/moments/session-moments.ts";
import type { ConductTool } from "../../../engine/tools/conduct-tool.ts";
import { Calls } from "./calls.ts";
import { nativeToolName } from "./tool-map.ts";
import { type Typed, TypedMessages } from "./typed-messages.ts";

/** What belongs to one turn, and not to the next. */
type Turn = {
  prompt?: Promise<string>;
  /** Why Conduct has ended it. */
  ended?: string;
  /** The last words of the model. */
  output: string;
  /** Whether the stop that the agent is at was decided. */
  stop: "open" | "refused" | "done";
  /** The run ends to wait for a subagent. */
  yields: boolean;
  /** Conduct could not be asked: whoever may do nothing may stop. */
  unreachable?: true;
  /** Why it may not stop, until OpenClaw goes on. */
  refusal?: string;
};

function newTurn(): Turn {
  return { output: "", stop: "open", yields: false };
}

/** One conversation of OpenClaw's under Conduct. */
export class Conversation {
  readonly typed = new TypedMessages();
  /** What OpenClaw sends to the model of the messages of the run under way. */
  readonly prompts = new Set<string>();
  readonly #open: () => Promise<SessionMoments>;
  readonly #cwd: () => string;
  readonly #admitted = new Set<string>();
  /** What Conduct says to the agent itself: it comes back as a message, and is none. */
  readonly #said = new Set<string>();
  #opening: Promise<SessionMoments> | undefined;
  #session: SessionMoments | undefined;
  #calls: Calls | undefined;
  #shown: string[] = [];
  #model: string | undefined;
  #turn: Turn = newTurn();

  constructor(open: () => Promise<SessionMoments>, cwd: () => string) {
    this.#open = open;
    this.#cwd = cwd;
  }

  /** Rejects, with what is wrong, when it cannot be opened now; the next one tries again. */
  async session(): Promise<SessionMoments> {
    this.#opening ??= this.#open();
    try {
      const session = await this.#opening;
      this.#session = session;
      const own = new Set(session.tools().map(({ name }) => name));
      this.#calls ??= new Calls(session, () => ({ cwd: this.#cwd(), own }), this.#open);
      return session;
    } catch (error) {
      this.#opening = undefined;
      throw error;
    }
  }

  /** Its tools; none before it was opened. */
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

  /** A person has said something: a new turn begins, unless it was for Conduct alone. */
  async hear(message: Typed, sender: Sender | undefined): Promise<Heard> {
    const { typed: text, id } = message;
    const session = await this.session();
    const heard = await session.onMessage({
      text,
      ...(id === undefined ? {} : { id }),
      ...(sender === undefined ? {} : { sender }),
    });
    this.#shown.push(...heard.notes);
    this.drain();
    if (heard.reply === undefined) {
      this.#turn = newTurn();
      this.#said.clear();
      message.text = heard.text;
    }
    return heard;
  }

  /** What the agent is told in this turn; the same however often OpenClaw asks. */
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

  /** Throws unless the model will be told, byte for byte, what Conduct tells it. */
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

  /** Whether Conduct has let this run begin. */
  admits(runId: string): boolean {
    return this.#admitted.has(runId);
  }

  /** No run of it is under way. */
  get idle(): boolean {
    return this.#admitted.size === 0;
  }

  get turn(): Turn {
    return this.#turn;
  }

  /** Conduct says this itself, to have the agent go on. */
  say(text: string): void {
    this.#said.add(text);
  }

  said(text: string): boolean {
    return this.#said.has(text);
  }

  /** Is it done? Why not, when it may not stop. */
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

  /** The model answers: whatever it was refused, it has gone on. */
  responds(calls: readonly string[], output: string): void {
    this.#turn.stop = "open";
    this.#turn.output = output;
    this.#turn.yields = false;
    delete this.#turn.refusal;
    this.#calls?.respond(calls);
  }

  /** The run is over. */
  async end(runId: string | undefined): Promise<void> {
    if (runId !== undefined) this.#admitted.delete(runId);
    this.prompts.clear();
    this.typed.end();
    await this.#calls?.settle();
    this.drain();
  }

  /** Which model is asked, and how much it takes. */
  tellModel(model: string, window: number | undefined): void {
    const key = `${model} ${window}`;
    if (key === this.#model) return;
    this.#model = key;
    this.notice({ kind: "started", adapter: "openclaw", model, ...(window === undefined ? {} : { window }) });
  }

  drain(): void {
    const text = this.#session?.takeDebug();
    if (text !== undefined) this.#shown.push(text);
  }

  /** For the person, beside the answer, and never for the model. */
  takeShown(): readonly string[] {
    return this.#shown.splice(0);
  }
}
