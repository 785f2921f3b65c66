import type { CallInput } from "../../base/words/call.ts";
import type { Decision, Observing } from "../../base/words/decision.ts";
import type { Notice } from "../../base/words/event.ts";
import type { JsonObject } from "../../base/words/json.ts";
import type { Modes } from "../../base/words/modes.ts";
import type { BuiltPrompt } from "../../base/words/prompt.ts";
import type { ToolResult } from "../../base/words/result.ts";
import type { StopDecision } from "../../behavior/completion/decide-stop.ts";
import type { Heard } from "../moments/message.ts";
import type { Delivered } from "../moments/result.ts";
import type { ConductTool } from "../tools/conduct-tool.ts";
import type { Wait } from "./approvals.ts";
import type { IncomingMessage, PromptRequest, StopRequest } from "./session-options.ts";

/**
 * A session as adapters, gateway and daemon use it. `Session` runs in this process, `PersistentSession` also saves what it
 * decides, and `RemoteSession` asks the daemon.
 */
export type SessionMoments = {
  readonly id: string;
  /** Why nothing is enforced now; `undefined` when everything is, or when only the daemon knows. */
  readonly observing: Observing | undefined;
  /** The modes that are switched on now. */
  readonly modes: Modes;
  onMessage(message: IncomingMessage): Promise<Heard>;
  onPrompt(request?: PromptRequest): Promise<BuiltPrompt>;
  /** For a runtime that asks a person itself: give the answer to `resolve`, then call `onCall` again. */
  onCall(call: CallInput): Promise<Decision>;
  /** `onCall` for a runtime that cannot ask a person: waits for the approver's answer. */
  decide(call: CallInput, wait?: Wait): Promise<Decision>;
  /** A person's answer to a question of this session. */
  resolve(approval: string, answer: "yes" | "no", by: string, reason?: string): void | Promise<void>;
  onResult(
    call: { readonly id: string; readonly tool: string },
    result: ToolResult,
    options?: { readonly replaceable?: boolean },
  ): Promise<Delivered>;
  onStop(request?: StopRequest): Promise<StopDecision>;
  notice(notice: Notice): void;
  /** Resolves when every notice has arrived; for a process that ends right after. */
  flush(): Promise<void>;
  /** Texts of verbose mode since the last time; for the person, never for the model. */
  takeDebug(): string | undefined;
  /** The tools that Conduct gives the agent, next to the agent's own. */
  tools(): readonly ConductTool[];
  /** Opens the session of a subagent. */
  child(id: string): SessionMoments | Promise<SessionMoments>;
};

/** What a runtime knows of a session when it first mentions it. Plain JSON, so that it can go through a socket. */
export type SessionOrigin = {
  readonly runtime: string;
  readonly id: string;
  /** The session that this one is a subagent of. */
  readonly parent?: string;
  /** The folder that the runtime works in. */
  readonly cwd: string;
  readonly model?: string;
  readonly window?: number;
  /** The channel of the conversation, where the runtime has channels; `cli` otherwise. */
  readonly channel?: string;
  /** The agent, where the runtime was given one; it has to exist. Otherwise the host chooses. */
  readonly agent?: string;
  /** Whose memory and instructions it uses, where the runtime knows. A role is never taken from here. */
  readonly user?: string;
  /** A person types in this session; false for headless runs. */
  readonly interactive?: boolean;
};

/** Opens sessions, or finds those that are open already. */
export type SessionHost = {
  /** Rejects with a sentence that says what is wrong. */
  open(origin: SessionOrigin): Promise<SessionMoments>;
  /** The data that an adapter last saved with a session; `undefined` when there is none. */
  adapterData?(id: string): Promise<JsonObject | undefined>;
  /** Resolves when the data is saved. Does nothing for a session that is not open. */
  saveAdapterData?(id: string, data: JsonObject): Promise<void>;
};

/** The same session with some of its moments replaced. */
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
