import type { Commands } from "../../../base/ports/commands.ts";
import type { Agent } from "../../../base/words/hosting/agent.ts";
import type { TurnStatus } from "../../../base/words/hosting/conversation.ts";
import type { PluginTool } from "../../../base/words/hosting/plugin.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import type { Session } from "../../../engine/session/session.ts";
import type { SessionMoments } from "../../../engine/session/session-moments.ts";
import type { IncomingMessage } from "../../../engine/session/session-options.ts";
import type { AgentServers } from "../mcp/hosted-servers.ts";

export type HostedEnd = {
  readonly status: Exclude<TurnStatus, "queued" | "running" | "interrupted">;
  readonly text: string;
  readonly why?: string;
  /** Shown to the person next to the answer. */
  readonly notes: readonly string[];
  /** Messages steered into the turn that the agent did not read before the turn ended. */
  readonly unheard?: readonly IncomingMessage[];
  /** Resolves when the transcript is saved. The host stores the turn's end meanwhile, so that both share a commit. */
  readonly saved?: Promise<void>;
};

export type TurnOptions = {
  readonly signal: AbortSignal;
  /** Receives the answer as it streams in. */
  onText(delta: string): void;
};

/** A conversation in a runtime. Runs one turn at a time. */
export type HostedSession = {
  /** Never rejects: a failure is returned as the turn's end. */
  prompt(message: IncomingMessage, options: TurnOptions): Promise<HostedEnd>;
  /** Adds a message to the running turn. Returns false if no turn is running or the runtime does not support it. */
  steer(message: IncomingMessage): boolean;
  close(): Promise<void>;
};

export type HostedOptions = {
  readonly session: SessionMoments;
  /** Reserves tokens for a model request of the host itself. */
  readonly reserveBudget: Session["reserveBudget"];
  readonly agent: Agent;
  /** Tools that plugins have for this agent. */
  readonly tools: readonly PluginTool[];
  /** The agent's MCP servers, asked for their tools before each turn. */
  readonly servers: AgentServers;
  /** Working folder of the agent's tools. */
  readonly workspace: string;
  /** Runs the agent's commands, in the sandbox if there is one. */
  readonly commands: Commands;
  /** The transcript so far, in this runtime's format. */
  readonly transcript: readonly JsonObject[];
  /** Other replicas use the store too, so nothing continues before the transcript is saved. */
  readonly isShared?: boolean;
  /** Appends entries to the transcript; resolves when they are saved. See `ConversationsStore.append` for `soon`. */
  keep(entries: readonly JsonObject[], when?: "now" | "soon"): Promise<void>;
};

export type HostedRuntime = {
  readonly name: string;
  open(options: HostedOptions): Promise<HostedSession>;
};

/** Records the reason of each failed turn in the journal, so that the timeline and the error count show it. */
export function recordFailures(runtime: HostedRuntime): HostedRuntime {
  return {
    name: runtime.name,
    async open(options) {
      const hosted = await runtime.open(options);
      return {
        ...hosted,
        async prompt(message, turn) {
          const end = await hosted.prompt(message, turn);
          if (end.status === "failed") {
            const fault = { where: "model", code: "turn-failed", message: end.why ?? "the turn failed" };
            options.session.notice({ kind: "fault", fault });
          }
          return end;
        },
      };
    },
  };
}
