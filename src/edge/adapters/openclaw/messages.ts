import type { Sender } from "../../../base/words/hosting/channel.ts";
import type { AgentContext } from "./native.ts";

/** A typed message. `text` is the version for the model, once Conduct has handled it. */
export type Typed = { readonly typed: string; readonly id?: string; text?: string };

const MAX_KEPT = 50;

/** The messages of one conversation between their arrival and the end of the run that they are for. */
export class TypedMessages {
  #arrived: readonly Typed[] = [];
  #taken: readonly Typed[] = [];
  #own: readonly string[] = [];

  arrive(typed: string, id?: string): Typed {
    const message: Typed = { typed, id };
    this.#arrived = [...this.#arrived, message].slice(-MAX_KEPT);
    return message;
  }

  /** Conduct has answered the message, so no run takes it. */
  answer(message: Typed): void {
    this.#arrived = this.#arrived.filter((one) => one !== message);
    this.#taken = this.#taken.filter((one) => one !== message);
    this.#own = [...this.#own, message.typed].slice(-MAX_KEPT);
  }

  /** The messages of a run with this prompt, the oldest first. OpenClaw may join several into one. */
  take(prompt: string): readonly Typed[] {
    const within = ({ typed, text = typed }: Typed) => prompt.includes(text.trim()) || prompt.includes(typed.trim());
    const taken = this.#arrived.filter(within);
    this.#arrived = this.#arrived.filter((one) => !taken.includes(one));
    this.#taken = [...this.#taken, ...taken];
    return taken;
  }

  /** The transcript's version of a message: none for Conduct's own, else the text for the model. */
  kept(typed: string): { readonly block: true } | { readonly text: string } | undefined {
    const changed = this.#changed().find((one) => one.typed === typed);
    if (changed !== undefined) return { text: changed.text };
    return this.#own.includes(typed) ? { block: true } : undefined;
  }

  /** OpenClaw's prompt without the words that were for Conduct. */
  cleaned(prompt: string): string {
    return this.#changed().reduce((whole, { typed, text }) => whole.replace(typed, () => text), prompt);
  }

  end(): void {
    this.#taken = [];
  }

  #changed(): readonly { readonly typed: string; readonly text: string }[] {
    return [...this.#arrived, ...this.#taken].flatMap(({ typed, text = typed }) =>
      text === typed ? [] : [{ typed, text }],
    );
  }
}

/** OpenClaw's prefix of a message: the time, and a note when a run is retried. */
const BEFORE = /^(?:\[[^\]\n]{1,80}\] )?(?:\[Queued user message[^\]\n]*\]\n)?/;

/**
 * Replaces the text that OpenClaw sends with the text for the model. A plugin registers its expressions only once, so
 * this one looks up the replacement for each message.
 */
export class SentTexts extends RegExp {
  readonly #instead = new Map<string, string>();

  constructor() {
    super("^");
  }

  set(prompt: string, text: string): void {
    if (prompt !== text) this.#instead.set(prompt, text);
  }

  delete(prompt: string): void {
    this.#instead.delete(prompt);
  }

  override [Symbol.replace](text: string): string {
    if (this.#instead.size === 0) return text;
    const before = BEFORE.exec(text)?.[0] ?? "";
    const rest = text.slice(before.length);
    for (const [prompt, instead] of this.#instead) {
      const after = rest.slice(prompt.length);
      if (rest.startsWith(prompt) && (after === "" || after.startsWith("\n\n"))) return `${before}${instead}${after}`;
    }
    return text;
  }
}

/** OpenClaw's own chat, terminal and HTTP API: its users have the gateway's key. */
const LOCAL = "webchat";

/** Conduct's name of a channel: a person is at OpenClaw's own chat, as in a web app. */
export function channelOf({ channel }: Pick<AgentContext, "channel">): string | undefined {
  return channel === LOCAL ? "web" : channel;
}

/** OpenClaw's marks of messages that no person wrote. A person who types one only loses rights. */
const NOT_A_PERSON = ["[Inter-session message]", "[Subagent Context]"];

/**
 * The sender of a message; `undefined` for the person at the gateway, who is the host's user. On other channels operators are
 * configured as `channel:id`. A message that no person sent has no rights.
 */
export function senderOf(from: AgentContext, text: string, operators: readonly string[]): Sender | undefined {
  const { channel = LOCAL, senderId, sessionKey = "", trigger = "user" } = from;
  const person = trigger === "user" && !/:(?:subagent|cron|acp):/.test(sessionKey);
  if (!person || NOT_A_PERSON.some((mark) => text.startsWith(mark))) return { id: "openclaw", role: "viewer" };
  if (channel === LOCAL) return undefined;
  if (senderId === undefined) return { id: channel, role: "viewer" };
  const id = `${channel}:${senderId}`;
  return { id, role: operators.includes(id) ? "operator" : "user" };
}
