import type { AgentMessage } from "@earendil-works/pi-agent-core";
import type { Api, AssistantMessage, Model } from "@earendil-works/pi-ai";
import type { SessionMoments, SessionOrigin } from "../../../engine/session/session-moments.ts";
import type { PiMoments } from "../shared/pi/moments.ts";
import type { PiBeforeSettle, PiToolCall, PiToolCallAnswer, PiToolResult, PiToolResultAnswer } from "./native.ts";
import { callContextOf, isStopping } from "./translate.ts";

/** The origin of Pi's session. The model may change, so it is read on demand. */
export function originOf(
  { id, cwd, interactive }: { readonly id: string; readonly cwd: string; readonly interactive: boolean },
  model: () => Model<Api> | undefined,
): SessionOrigin {
  return {
    runtime: "pi",
    id,
    cwd,
    interactive,
    get model() {
      const now = model();
      return now === undefined ? undefined : `${now.provider}/${now.id}`;
    },
    get window() {
      // In Pi, 0 means unknown.
      return model()?.contextWindow || undefined;
    },
  };
}

/** One session of Pi, and the model response whose calls are open. */
export class LiveSession {
  readonly session: SessionMoments;
  readonly moments: PiMoments;
  #response: AssistantMessage | undefined;
  /** The response's calls that ask Pi to end the turn. */
  readonly #ending = new Set<string>();

  constructor(session: SessionMoments, moments: PiMoments) {
    this.session = session;
    this.moments = moments;
  }

  heard(message: AgentMessage): void {
    if (message.role !== "assistant") return;
    this.#response = message;
    this.#ending.clear();
    this.moments.spent(message.usage);
  }

  /** Rejects if the call's response is unknown. */
  async before(event: PiToolCall, signal: AbortSignal | undefined): Promise<PiToolCallAnswer | undefined> {
    const answer = await this.moments.before(callContextOf(event, this.#known()), signal);
    if (answer?.block !== true) return undefined;
    if (answer.terminate === true) this.#ending.add(event.toolCallId);
    const { reason = "Denied by conduct.", terminate } = answer;
    return { block: true, reason, terminate };
  }

  async after(event: PiToolResult, signal: AbortSignal | undefined): Promise<PiToolResultAnswer | undefined> {
    const { content, details, usage, isError } = event;
    const context = callContextOf(event, this.#known());
    return this.moments.after({ ...context, result: { content, details, usage }, isError }, signal);
  }

  /** Call after all results of the response. Returns true if the turn must end here although Pi would continue. */
  async closeStep(): Promise<boolean> {
    await this.moments.settle();
    const calls = this.#response?.content.filter((block) => block.type === "toolCall") ?? [];
    return this.moments.end?.status === "ended-by-policy" && !calls.every(({ id }) => this.#ending.has(id));
  }

  /** Why the agent may not stop; `undefined` if it may. */
  async refusal(event: PiBeforeSettle): Promise<string | undefined> {
    if (this.#response === undefined || !isStopping(event)) return undefined;
    await this.moments.finish(this.#response, true);
    return this.moments.takeRefusal();
  }

  #known(): AssistantMessage {
    if (this.#response === undefined) throw new Error("Pi reported a call before its response");
    return this.#response;
  }
}
