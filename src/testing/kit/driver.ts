import type { ConductEvent } from "../../base/words/event.ts";
import type { Capabilities } from "../../base/words/hosting/capability.ts";
import type { JsonObject } from "../../base/words/json.ts";

/** Conduct's own tools; the driver translates the names for the model of this runtime. */
export type OwnTool = "read_result" | "update_instructions" | "read_memory" | "save_memory";

/** One call of the scripted model in Conduct's vocabulary; the driver translates it for the runtime. */
export type KitCall = {
  readonly id: string;
  readonly tool: "read_file" | "write_file" | "shell" | OwnTool;
  readonly args: JsonObject;
};

/** A call of a tool on one of the run's MCP servers. Used only with drivers that have `mcp`. */
export type KitMcpCall = {
  readonly id: string;
  readonly server: string;
  readonly tool: string;
  readonly args: JsonObject;
};

/**
 * A task for a subagent: the call that starts it and its model's replies. The turn continues when the subagent is
 * done; if the runtime needs an explicit wait, the driver makes that call. Used only with drivers that have
 * `subagents`.
 */
export type KitTask = { readonly id: string; readonly prompt: string; readonly replies: readonly KitReply[] };

/** One model response. Several calls are one parallel batch. */
export type KitReply = {
  readonly text?: string;
  readonly calls?: readonly KitCall[];
  readonly mcpCalls?: readonly KitMcpCall[];
  readonly task?: KitTask;
};

/** A request to the model, with the fields common to all wire formats. `raw` is the bytes. */
export type KitRequest = {
  readonly raw: string;
  readonly system: string;
  readonly lastUserText: string;
  /** Requested thinking effort in the wire format: an effort, a budget, `off`. */
  readonly thinking?: string;
  readonly results: readonly { readonly callId: string; readonly text: string }[];
  readonly subagent?: true;
};

/** The folders of one run. */
export type KitPlace = { readonly workspace: string; readonly home: string };

/** An MCP server that the runtime has to start. */
export type KitMcpServer = { readonly command: string; readonly args: readonly string[] };

/** Action before a message: compact the conversation, or end the runtime and resume the conversation. */
export type KitStep = "compact" | "resume";

/** Conduct returns an error, never answers, or is unreachable like a daemon that does not run. */
export type KitFailing = "crash" | "hang" | "gone";

/** What a person answers to a question: `none` lets it wait until the timeout. */
export type KitAnswer = "yes" | "no" | "none";

/**
 * One run of an agent in a runtime, in terms of what a user can configure: a file, a plugin, a command, a message.
 * `script` can read the last request to the model.
 */
export type KitRun = {
  /** Text of the conduct.yaml; it defines one agent. */
  readonly config: string;
  /** Text of a plugin module that the configuration needs; it imports nothing but Node's own modules. */
  readonly plugin?: string;
  readonly message: string;
  /** Further messages in the same session, each sent after the previous turn. */
  readonly further?: readonly string[];
  /** What the model answers, in order. */
  readonly script: readonly (KitReply | ((request: KitRequest) => KitReply))[];
  readonly files?: { readonly [path: string]: string };
  /** The model's context window, if the runtime lets a user configure it; the configuration has the same. */
  readonly window?: number;
  /** The runtime is set up in shadow mode. */
  readonly shadow?: true;
  /** The person who writes the messages is the operator. Used only with drivers that have `operator`. */
  readonly operator?: true;
  /** Directives that the operator adds outside the runtime, by the number of the message that follows. */
  readonly directives?: { readonly [turn: number]: string };
  /** A person's answers to the questions of the run, in order. */
  readonly answers?: readonly KitAnswer[];
  /** Runtime actions by message number, from 1. `before` runs after them. */
  readonly steps?: { readonly [turn: number]: KitStep };
  readonly mcpServers?: { readonly [name: string]: KitMcpServer };
  /**
   * How Conduct fails from the first model request on; message and prompt before it succeed. A hang may end at the
   * second request, because at a stop a runtime would wait for minutes.
   */
  readonly failing?: KitFailing;
  /** Runs before each message, counted from 1; the first time Conduct is not open yet. */
  before?(turn: number, place: KitPlace): void | Promise<void>;
};

/** What happened in the runtime during a scenario. */
export type KitOutcome = {
  readonly requests: readonly KitRequest[];
  readonly events: readonly ConductEvent[];
  /** Texts shown to the person besides the model's answers, in order: Conduct's replies, notes, debug lines. */
  readonly shown: readonly string[];
  /** Number of scripted replies that were never requested. */
  readonly unplayed: number;
  /** Returns the content of a file in the workspace after the run. */
  file(path: string): string | undefined;
};

/** Runs the kit's scenarios on one runtime. Every adapter implements it. */
export interface RuntimeDriver {
  readonly name: string;
  readonly capabilities: Capabilities;
  /** Returns the runtime's own name of a tool. */
  toolName(tool: OwnTool): string;
  /** Runs one scenario and returns what happened. */
  run(run: KitRun): Promise<KitOutcome>;
  /** Ends every process that the driver started. */
  close?(): Promise<void>;
}

/** Plays a run's script: the agent's replies in order, and separately those of its subagents. */
export type KitPlayer = {
  /** The next reply to this request; `undefined` if none is left. */
  next(request: KitRequest): KitReply | undefined;
  /** Replies that were never requested, including those of subagents. */
  unplayed(): number;
};

/** For drivers with `subagents`: a subagent's request gets the next reply of the task that started it. */
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
 * For drivers: returns Conduct's answer, or fails once the failure has begun. A driver that closes its socket needs no
 * `gone`; here it is an ordinary error.
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
