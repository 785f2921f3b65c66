import type { ConductEvent } from "../../base/words/event.ts";
import type { Agent } from "../../base/words/hosting/agent.ts";
import type { Capabilities } from "../../base/words/hosting/capability.ts";
import type { JsonObject } from "../../base/words/json.ts";
import type { ConductPorts } from "../../engine/session/conduct.ts";
import type { SessionOptions } from "../../engine/session/session-options.ts";

/** Conduct's own tools; the driver calls them as the model has to spell them in this runtime. */
export type OwnTool = "read_result" | "update_instructions" | "read_memory" | "save_memory";

/** One call that the scripted model makes, in Conduct's vocabulary; the driver says it in the runtime's. */
export type KitCall = {
  readonly id: string;
  readonly tool: "read_file" | "write_file" | "shell" | OwnTool;
  readonly args: JsonObject;
};

/** A call of a tool of one of the run's MCP servers. Only runs of a driver with `mcp` have it. */
export type KitMcpCall = {
  readonly id: string;
  readonly server: string;
  readonly tool: string;
  readonly args: JsonObject;
};

/**
 * Work handed to a subagent: the call that starts it, and what its model answers. The turn goes on when the subagent is done;
 * where a runtime has to be told to wait, the driver makes that call. Only runs of a driver with `subagents` have it.
 */
export type KitTask = { readonly id: string; readonly prompt: string; readonly replies: readonly KitReply[] };

/** One model response. Several calls are one parallel batch. */
export type KitReply = {
  readonly text?: string;
  readonly calls?: readonly KitCall[];
  readonly mcpCalls?: readonly KitMcpCall[];
  readonly task?: KitTask;
};

/** A request the runtime sent to the model, as far as every wire format has it. `raw` is the bytes. */
export type KitRequest = {
  readonly raw: string;
  readonly system: string;
  readonly lastUserText: string;
  /** How much the model is asked to think, in the words of the wire: an effort, a budget, `off`. */
  readonly thinking?: string;
  readonly results: readonly { readonly callId: string; readonly text: string }[];
  /** It is a subagent's. */
  readonly subagent?: true;
};

/** Where a run takes place: two folders of its own. */
export type KitPlace = { readonly workspace: string; readonly home: string };

/** An MCP server on stdio. */
export type KitMcpServer = { readonly command: string; readonly args: readonly string[] };

/** What the runtime is made to do before a message: compact the conversation; be ended, and started again on it. */
export type KitStep = "compact" | "resume";

/** Conduct answers with an error; it never answers; there is nobody to ask, as with a daemon that is not there. */
export type KitFailing = "crash" | "hang" | "gone";

/** Everything one run of an agent in a runtime needs. `script` may look at what the model was just sent. */
export type KitRun = {
  readonly agent: Agent;
  readonly message: string;
  /** Further messages, each when the turn before it is over, in the same session. */
  readonly further?: readonly string[];
  readonly script: readonly (KitReply | ((request: KitRequest) => KitReply))[];
  /** Files in the workspace before the run. */
  readonly files?: { readonly [path: string]: string };
  /** How the session is opened. In a runtime that tells the window, it is told this one. */
  readonly session?: Partial<SessionOptions>;
  /** Replaces parts of the world; plugins and channels are among them. */
  readonly ports?: Partial<ConductPorts>;
  /** Before which messages the runtime does something, the first one counted as 1. Only after that `before` runs. */
  readonly steps?: { readonly [turn: number]: KitStep };
  /** The servers that the runtime is given, by name. */
  readonly mcpServers?: { readonly [name: string]: KitMcpServer };
  /**
   * How Conduct fails from the first model request on; what came before it, message and prompt, passes. It need not hang any
   * longer than until the second one: at a stop a runtime would wait minutes for it.
   */
  readonly failing?: KitFailing;
  /** Runs before each message, the first one counted as 1; the first time Conduct is not open yet. */
  before?(turn: number, place: KitPlace): void | Promise<void>;
};

/** What came of it. */
export type KitOutcome = {
  readonly requests: readonly KitRequest[];
  readonly events: readonly ConductEvent[];
  /** What the person was shown besides the model's answers, in order: replies of Conduct's own, notes, debug lines. */
  readonly shown: readonly string[];
  /** Replies of the script that were never asked for. */
  readonly unplayed: number;
  /** A workspace file as it is after the run. */
  file(path: string): string | undefined;
};

/** A runtime with its adapter, as the kit drives it. */
export interface RuntimeDriver {
  readonly name: string;
  readonly capabilities: Capabilities;
  /** How the model sees the name of one of Conduct's tools. */
  toolName(tool: OwnTool): string;
  run(run: KitRun): Promise<KitOutcome>;
  close?(): Promise<void>;
}

/** A run's script as it is played: the agent's replies in order, and beside them those of its subagents. */
export type KitPlayer = {
  /** The next reply to this request; `undefined` when there is none left. */
  next(request: KitRequest): KitReply | undefined;
  /** Replies that were never asked for, those of subagents included. */
  unplayed(): number;
};

/** For drivers with `subagents`: a request that says it is a subagent's gets the next reply of the task it was started for. */
export function playKitScript(script: KitRun["script"]): KitPlayer {
  const main = [...script];
  const below: KitReply[] = [];
  return {
    next(request) {
      const entry = request.subagent === true ? below.shift() : main.shift();
      const reply = typeof entry === "function" ? entry(request) : entry;
      below.push(...(reply?.task?.replies ?? []));
      return reply;
    },
    unplayed: () => main.length + below.length,
  };
}

/**
 * For drivers: what Conduct answers, or how it fails once that has begun. Whoever closes its socket then needs no `gone`; here it
 * is an error like any other.
 */
export function answerOrFail<T>(
  failing: KitFailing | undefined,
  begun: () => boolean,
  ask: () => Promise<T>,
): Promise<T> {
  if (failing === undefined || !begun()) return ask();
  if (failing === "hang") return new Promise(() => {});
  return Promise.reject(new Error("it fails, because the kit wants to see what becomes of the call"));
}
