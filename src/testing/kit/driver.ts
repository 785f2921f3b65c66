import type { ConductEvent } from "../../base/words/event.ts";
import type { Agent } from "../../base/words/hosting/agent.ts";
import type { JsonObject } from "../../base/words/json.ts";
import type { ConductPorts } from "../../engine/moments/conduct.ts";
import type { SessionOptions } from "../../engine/moments/session-options.ts";

/** What an adapter may be able to enforce in its runtime. */
export type Capability =
  | "prompt" // what the agent is told reaches the model
  | "deny" // a call is blocked and the reason reaches the model
  | "rewrite" // a call runs with the arguments that rules have given it
  | "end-turn" // a turn that will not let go of a denied call is ended
  | "outcome" // a failing command is told from a succeeding one
  | "batch" // calls of one model response are known to belong together
  | "truncate" // a result is shortened before the model sees it
  | "read-result" // the agent can page through what was shortened
  | "feedback" // advice reaches the model in the same turn
  | "stop" // a stop is refused and the agent goes on
  | "stop-bound" // refusals end, and the turn's status says so
  | "modes" // a message of modes only is answered without a model request
  | "rewrite-message" // mode words do not reach the model; the rest does, byte for byte
  | "think-level" // the level of /think is in the model request
  | "verbose" // the person is shown debug lines
  | FurtherCapability;

/** What a driver may leave out of its list; it has not proven it then. */
export type FurtherCapability =
  | "survives-compaction" // all that the agent is told is in every request after the conversation was compacted
  | "survives-resume" // it is, and evidence holds, after the runtime was ended and started again on the conversation
  | "approval" // a person is asked, and the call waits for the answer
  | "subagents" // what holds for the agent holds for those it hands work to
  | "mcp" // tools of an MCP server are calls like any other, as `server/name`
  | "shadow" // a session that is only watched: everything is recorded, and nothing reaches the model
  | "fail-closed" // a call that Conduct fails to decide, or does not decide in time, does not run
  | "no-daemon"; // with nobody there to ask, no call runs

/** True, or why this runtime cannot do it: a skip always has a reason. */
export type Can = true | { readonly cannot: string };
export type Capabilities = { readonly [C in Exclude<Capability, FurtherCapability>]: Can } & {
  readonly [C in FurtherCapability]?: Can;
};

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
