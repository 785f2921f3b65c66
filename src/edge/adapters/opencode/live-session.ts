import { asObject } from "../../../base/kernel/json.ts";
import type { CallInput } from "../../../base/words/call.ts";
import type { Advice } from "../../../base/words/decision.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import type { Modes } from "../../../base/words/modes.ts";
import type { SessionHost, SessionMoments } from "../../../engine/session/session-moments.ts";
import type { ToolDeclaration } from "../../../engine/tools/conduct-tool.ts";
import type { OpencodeInput, UserMessage } from "./native.ts";

/** A call that was allowed and has no result yet. `error` is the state that OpenCode has told it ended in. */
export type UnderWay = {
  readonly call: CallInput;
  readonly advice: readonly Advice[];
  /** The native arguments as they were decided on. */
  readonly decided: string;
  error?: JsonObject;
};

/** What is under way in one session of OpenCode's; nothing here binds. */
export type LiveSession = {
  readonly session: SessionMoments;
  /** A subagent's: its messages were written by a model. */
  readonly isChild: boolean;
  readonly calls: Map<string, UnderWay>;
  /** What the model reads in place of the errors of failed calls; OpenCode keeps its own text. */
  readonly replaced: Map<string, string>;
  /** The calls of one model response share it; there is none before the first. */
  step?: string | undefined;
  /**
   * `ended`: by a denial; nothing more runs. `failed`: broken off, so that nobody is asked whether it is done. `stopping`: the model
   * has stopped, and whether it may is not decided yet.
   */
  turn: "none" | "open" | "ended" | "failed" | "stopping";
  prompt?: string | undefined;
  modes?: Modes;
  /** The message that the turn answers. */
  message?: UserMessage;
  model?: string;
  /** The last words of the model, and why it stopped. */
  text: string;
  finish?: string | undefined;
  /** The end of the turn, while it is being decided. */
  ending: Promise<void>;
  /** Since the last request the model has lost some of what it had seen, and Conduct knows. */
  forgot: boolean;
  /** Marks the message in which Conduct refused a stop; it begins no turn. */
  refusal?: string | undefined;
};

/** The sessions of one OpenCode instance, opened when they first speak. */
export class LiveSessions {
  /** What Conduct's tools are and take, as the sessions have told. */
  readonly declared = new Map<string, ToolDeclaration>();
  readonly #host: SessionHost;
  readonly #input: OpencodeInput;
  readonly #interactive: boolean;
  readonly #open = new Map<string, Promise<LiveSession>>();
  readonly #live = new Map<string, LiveSession>();

  constructor(host: SessionHost, input: OpencodeInput, interactive: boolean) {
    this.#host = host;
    this.#input = input;
    this.#interactive = interactive;
  }

  /** Rejects when Conduct cannot be asked; the next time it is tried again. */
  of(id: string): Promise<LiveSession> {
    const known = this.#open.get(id);
    if (known !== undefined) return known;
    const opening = this.#begin(id).catch((error: unknown) => {
      this.#open.delete(id);
      throw error;
    });
    this.#open.set(id, opening);
    return opening;
  }

  /** One that is open already. */
  find(id: string): LiveSession | undefined {
    return this.#live.get(id);
  }

  drop(id: string): void {
    this.#open.delete(id);
    this.#live.delete(id);
  }

  all(): readonly LiveSession[] {
    return [...this.#live.values()];
  }

  async #begin(id: string): Promise<LiveSession> {
    const { data } = await this.#input.client.session.get({ path: { id } });
    const { id: told, parentID } = asObject(data);
    if (told !== id) throw new Error(`OpenCode does not tell what its session ${id} is`);
    const isChild = typeof parentID === "string";
    const session = await this.#host.open({
      runtime: "opencode",
      id,
      cwd: this.#input.directory,
      interactive: this.#interactive && !isChild,
      ...(isChild ? { parent: parentID } : {}),
    });
    for (const { name, description, inputSchema, access } of session.tools()) {
      this.declared.set(name, { name, description, inputSchema, access });
    }
    const live: LiveSession = {
      session,
      isChild,
      calls: new Map(),
      replaced: new Map(),
      turn: "none",
      text: "",
      forgot: false,
      ending: Promise.resolve(),
    };
    this.#live.set(id, live);
    return live;
  }
}
