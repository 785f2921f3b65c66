import type { CallInput } from "../../base/words/call.ts";
import type { Decision, Observing, PersonAnswer } from "../../base/words/decision.ts";
import type { Notice } from "../../base/words/event.ts";
import type { JsonObject } from "../../base/words/json.ts";
import type { Modes } from "../../base/words/modes.ts";
import type { BuiltPrompt } from "../../base/words/prompt.ts";
import type { ToolResult } from "../../base/words/result.ts";
import type { StopDecision } from "../../behavior/completion/decide-stop.ts";
import type { MessageResult } from "../moments/message.ts";
import type { Delivered } from "../moments/result.ts";
import type { ConductTool } from "../tools/conduct-tool.ts";
import type { Wait } from "./approvals.ts";
import type { IncomingMessage, PromptRequest, StopRequest } from "./session-options.ts";

/**
 * The session interface of adapters, gateway and daemon. `Session` runs in this process, `PersistentSession` also
 * saves its decisions, and `RemoteSession` asks the daemon.
 */
export type SessionMoments = {
  readonly id: string;
  /** Why nothing is enforced now; `undefined` when rules are enforced or only the daemon knows. */
  readonly observing: Observing | undefined;
  readonly modes: Modes;
  /** Handles a person's message. A `reply` in the result ends the turn without a model call. */
  onMessage(message: IncomingMessage): Promise<MessageResult>;
  /** Builds the prompt for the next model call. */
  onPrompt(request?: PromptRequest): Promise<BuiltPrompt>;
  /** For runtimes that ask a person themselves: pass the answer to `resolve`, then call `onCall` again. */
  onCall(call: CallInput): Promise<Decision>;
  /** `onCall` for runtimes that cannot ask a person: waits for the approver's answer. */
  decide(call: CallInput, wait?: Wait): Promise<Decision>;
  /** Records a person's answer to a question of this session. */
  resolve(approval: string, answer: PersonAnswer, by: string, reason?: string): void | Promise<void>;
  /** Records a call's result and returns what the model gets to see, with feedback. */
  onResult(
    call: { readonly id: string; readonly tool: string },
    result: ToolResult,
    options?: { readonly replaceable?: boolean; readonly most?: number },
  ): Promise<Delivered>;
  /** Decides whether the agent may stop. */
  onStop(request?: StopRequest): Promise<StopDecision>;
  /** Handles what the runtime reports outside the moments, such as a compaction. */
  notice(notice: Notice): void;
  /** Resolves when every notice has arrived; call it before the process exits. */
  flush(): Promise<void>;
  /** Returns and clears the verbose texts for the person; never send them to the model. */
  takeDebug(): string | undefined;
  /** The tools that Conduct adds to the agent's own. */
  tools(): readonly ConductTool[];
  /** Opens a subagent's session under this one. */
  child(id: string): SessionMoments | Promise<SessionMoments>;
};

/** What a runtime knows about a session at first contact. Plain JSON, to be sent over a socket. */
export type SessionOrigin = {
  readonly runtime: string;
  readonly id: string;
  readonly parent?: string;
  readonly cwd: string;
  readonly model?: string;
  readonly window?: number;
  /** The conversation's channel; default `cli`. */
  readonly channel?: string;
  /** Must exist. By default the host chooses the agent. */
  readonly agent?: string;
  /** The owner of memory and instructions, if known. Never used to derive a role. */
  readonly user?: string;
  /** True if a person types in this session; false for headless runs. */
  readonly interactive?: boolean;
};

/** Opens sessions for an adapter, here or in the daemon. */
export type SessionHost = {
  /** Rejects with a message for the user. */
  open(origin: SessionOrigin): Promise<SessionMoments>;
  /** The data that an adapter last saved with a session; `undefined` if there is none. */
  adapterData?(id: string): Promise<JsonObject | undefined>;
  /** Resolves when the data is saved. Ignored for a session that is not open. */
  saveAdapterData?(id: string, data: JsonObject): Promise<void>;
};

/** Returns the session with some of its moments replaced. */
export function replaceMoments(session: SessionMoments, replaced: Partial<SessionMoments>): SessionMoments {
  return {
    id: session.id,
    get observing() {
      return session.observing;
    },
    get modes() {
      return session.modes;
    },
    onMessage: (message) => session.onMessage(message),
    onPrompt: (request) => session.onPrompt(request),
    onCall: (call) => session.onCall(call),
    decide: (call, wait) => session.decide(call, wait),
    resolve: (approval, answer, by, reason) => session.resolve(approval, answer, by, reason),
    onResult: (call, result, options) => session.onResult(call, result, options),
    onStop: (request) => session.onStop(request),
    notice: (notice) => session.notice(notice),
    flush: () => session.flush(),
    takeDebug: () => session.takeDebug(),
    tools: () => session.tools(),
    child: (id) => session.child(id),
    ...replaced,
  };
}
