import type { AgentMessage } from "@earendil-works/pi-agent-core";
import type { Api, AssistantMessage, Model } from "@earendil-works/pi-ai";
import type { SessionOrigin } from "../../../engine/session/session-moments.ts";
import type { PiSession } from "../pi/decide.ts";
import type { PiMoments } from "../pi/moments.ts";
import { withheld } from "../pi/translate.ts";
import type { PiBeforeSettle, PiToolCall, PiToolCallAnswer, PiToolResult, PiToolResultAnswer } from "./native.ts";
import { callContextOf, isStopping } from "./translate.ts";

/** What Pi tells of the session that is open. The model is told as it is when it is asked for: it may change. */
export function originOf(
  { id, cwd, interactive }: { readonly id: string; readonly cwd: string; readonly interactive: boolean },
  model: () => Model<Api> | undefined,
): SessionOrigin {
  const origin = {
    runtime: "pi",
    id,
    cwd,
    interactive,
    get model() {
      const now = model();
      return now === undefined ? undefined : `${now.provider}/${now.id}`;
    },
    get window() {
      // Pi's 0 means that it does not know.
      return model()?.contextWindow || undefined;
    },
  };
  return origin as SessionOrigin;
}

/** One session of Pi's under Conduct, and the model response whose calls are under way in it. */
export class LiveSession {
  readonly session: PiSession;
  readonly moments: PiMoments;
  #response: AssistantMessage | undefined;
  /** The calls of the response that ask Pi for the end of the turn. */
  readonly #ending = new Set<string>();

  constructor(session: PiSession, moments: PiMoments) {
    this.session = session;
    this.moments = moments;
  }

  /** A message has come to its end. */
  heard(message: AgentMessage): void {
    if (message.role !== "assistant") return;
    this.#response = message;
    this.#ending.clear();
    this.moments.spent(message.usage);
  }

  /** Rejects when it is not known which response the call is of. */
  async before(event: PiToolCall, signal: AbortSignal | undefined): Promise<PiToolCallAnswer | undefined> {
    const answer = await this.moments.before(callContextOf(event, this.#known()), signal);
    if (answer?.block !== true) return undefined;
    if (answer.terminate === true) this.#ending.add(event.toolCallId);
    const { reason = "Denied by conduct.", terminate = false } = answer;
    return { block: true, reason, ...(terminate ? { terminate } : {}) };
  }

  async after(event: PiToolResult, signal: AbortSignal | undefined): Promise<PiToolResultAnswer | undefined> {
    const { content, details, usage, isError } = event;
    const result = { content, details, ...(usage === undefined ? {} : { usage }) };
    const context = callContextOf(event, this.#known());
    const answer = await this.moments.after({ ...context, result, isError }, signal);
    return answer === undefined ? undefined : shownInstead(answer);
  }

  /** The response and all results of its calls are there. True when the turn must end here, and Pi would go on. */
  async closeStep(): Promise<boolean> {
    await this.moments.settle();
    const calls = this.#response?.content.filter((block) => block.type === "toolCall") ?? [];
    return this.moments.end?.status === "ended-by-policy" && !calls.every(({ id }) => this.#ending.has(id));
  }

  /** Why it may not stop, when it may not. */
  async refusal(event: PiBeforeSettle): Promise<string | undefined> {
    if (this.#response === undefined || !isStopping(event)) return undefined;
    await this.moments.finish(this.#response, true);
    return this.moments.takeRefusal();
  }

  #known(): AssistantMessage {
    if (this.#response === undefined) throw new Error("Pi has told of a call before the response that it is in");
    return this.#response;
  }
}

/** What goes wrong before a result could be looked at. */
export function withheldResult(error: unknown): PiToolResultAnswer {
  return shownInstead(withheld(error));
}

function shownInstead({ content, isError }: { content?: PiToolResult["content"]; isError?: boolean }) {
  return { ...(content === undefined ? {} : { content }), ...(isError === undefined ? {} : { isError }) };
}
