import type { CallInput } from "../../base/words/call.ts";
import type { Decision } from "../../base/words/decision.ts";
import type { Notice } from "../../base/words/event.ts";
import type { BuiltPrompt } from "../../base/words/prompt.ts";
import type { ToolResult } from "../../base/words/result.ts";
import type { StopDecision } from "../../behavior/completion/decide-stop.ts";
import type { ConductTool } from "../tools/conduct-tool.ts";
import type { Heard } from "../moments/message.ts";
import type { Wait } from "./approvals.ts";
import type { Delivered } from "../moments/result.ts";
import type { IncomingMessage, PromptRequest, StopRequest } from "./session-options.ts";

/** A session as an adapter uses it, be it in this process or behind the daemon's socket. */
export type SessionMoments = {
  readonly id: string;
  onMessage(message: IncomingMessage): Promise<Heard>;
  onPrompt(request?: PromptRequest): Promise<BuiltPrompt>;
  /** For a runtime that asks a person itself; what they said goes to `resolve`, and then the call is decided on again. */
  onCall(call: CallInput): Promise<Decision>;
  decide(call: CallInput, wait?: Wait): Promise<Decision>;
  /** A person's word on a question that `onCall` has asked. */
  resolve(approval: string, answer: "yes" | "no", by: string, reason?: string): void | Promise<void>;
  onResult(
    call: { readonly id: string; readonly tool: string },
    result: ToolResult,
    options?: { readonly replaceable?: boolean },
  ): Promise<Delivered>;
  onStop(request?: StopRequest): Promise<StopDecision>;
  notice(notice: Notice): void;
  /** Resolves when all that was noticed has been told: for a process that ends right after. */
  flush(): Promise<void>;
  takeDebug(): string | undefined;
  tools(): readonly ConductTool[];
};

/** What a runtime knows of a session when it first speaks of it. Plain JSON: it may go through a socket. */
export type SessionOrigin = {
  readonly runtime: string;
  readonly id: string;
  /** The session that this one is a subagent of. */
  readonly parent?: string;
  /** The folder that the runtime works in. */
  readonly cwd: string;
  readonly model?: string;
  readonly window?: number;
  /** Where the runtime holds the conversation, where it has channels of its own; `cli` otherwise. */
  readonly channel?: string;
  /** The agent, where the runtime was told one; it has to exist. Who opens the session chooses otherwise. */
  readonly agent?: string;
  /** Whose memory and instructions it is, where the runtime knows. It says nothing of what they may do: a role is never told. */
  readonly user?: string;
  /** A person types in this session; false for headless runs. */
  readonly interactive?: boolean;
};

/** Opens sessions, or finds those that are open already. Rejects with a sentence that says what is wrong. */
export type SessionHost = { open(origin: SessionOrigin): Promise<SessionMoments> };
