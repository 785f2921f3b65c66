import type { JsonObject } from "../../base/words/json.ts";
import type { DeclaredTool, ModelRequest } from "./model-request.ts";
import type { PlayedMessage, Usage } from "./wire-format.ts";

/**
 * A tool call the model makes. An input given as a string is sent as it is: the text of a freeform tool, or arguments
 * that are broken on purpose. Without an id the server gives one; the namespace (Responses only) is found in the
 * request when the tool is declared there.
 */
export type ScriptedCall = { id?: string; name: string; namespace?: string; input: JsonObject | string };

/** One assistant message; several calls in it are a parallel batch. */
export type ScriptedMessage = {
  text?: string;
  thinking?: string;
  calls?: readonly ScriptedCall[];
  usage?: Usage;
};

/**
 * An HTTP error in the provider's shape. Clients retry 429 and 5xx, each time with the next reply; `retry: false` stops
 * the Anthropic and OpenAI SDKs and Claude Code, but not Codex.
 */
export type ScriptedError = {
  error: {
    status: number;
    message: string;
    retry?: boolean;
    /** Sent as `retry-after-ms`. */
    retryAfterMs?: number;
  };
};

/** A stream that breaks off: silence, a closed socket, or a line that is no JSON, once `text` (where there is any) was sent. */
export type ScriptedBreak = { broken: "hangs" | "drops" | "garbles"; text?: string };

/** What the model answers to one request. */
export type ScriptedReply = ScriptedMessage | ScriptedError | ScriptedBreak;

/** A reply that depends on the request, or waits for something before it comes. */
export type ReplyTo = (request: ModelRequest) => ScriptedReply | Promise<ScriptedReply>;

/** Replies in the order of the requests, or one function that answers them all. */
export type Script = readonly (ScriptedReply | ReplyTo)[] | ReplyTo;

/** Why a request got a marker text instead of a scripted reply. */
export type ScriptFault = { code: "exhausted" | "threw"; request: number; message: string };

/** How every marker text begins, so that a transcript shows at once where a script went wrong. */
export const MARKER = "[scripted model]";

/** A script in play: what comes next, what is left, what went wrong. */
export type ScriptPlayer = {
  /** Never rejects: a script with no reply left, or one that throws, answers a marker text and records a fault. */
  next(request: ModelRequest): Promise<ScriptedReply>;
  /** Replies not yet asked for; 0 for a function. */
  remaining(): number;
};

/** Plays a script from its start; faults are added to `faults`. */
export function playScript(script: Script, faults: ScriptFault[]): ScriptPlayer {
  let played = 0;
  return {
    async next(request) {
      const entry = typeof script === "function" ? script : script[played++];
      if (entry === undefined)
        return answerFault(faults, { code: "exhausted", request: request.index, message: "script exhausted" });
      try {
        return typeof entry === "function" ? await entry(request) : entry;
      } catch (thrown) {
        return answerThrown(faults, request, thrown);
      }
    },
    remaining: () => (typeof script === "function" ? 0 : Math.max(0, script.length - played)),
  };
}

/** Records what a script's own code threw and answers its message as a marker text, so that no client retries. */
export function answerThrown(faults: ScriptFault[], request: ModelRequest, thrown: unknown): ScriptedMessage {
  const message = `script threw: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
  return answerFault(faults, { code: "threw", request: request.index, message });
}

function answerFault(faults: ScriptFault[], fault: ScriptFault): ScriptedMessage {
  faults.push(fault);
  return { text: `${MARKER} ${fault.message}` };
}

/** Fills in what the script left open: ids from `turn`, usage, and how the request declared each tool. */
export function completeMessage(message: ScriptedMessage, request: ModelRequest, turn: string): PlayedMessage {
  return {
    id: turn,
    model: request.model,
    text: message.text ?? "",
    thinking: message.thinking ?? "",
    usage: message.usage ?? { input: 10, output: 5 },
    calls: (message.calls ?? []).map((call, position) => {
      const tool = findTool(request, call);
      const namespace = call.namespace ?? tool?.namespace;
      return {
        id: call.id ?? `call_${turn}_${position}`,
        name: call.name,
        input: typeof call.input === "string" ? call.input : JSON.stringify(call.input),
        freeform: tool?.freeform ?? typeof call.input === "string",
        namespace,
      };
    }),
  };
}

function findTool(request: ModelRequest, call: ScriptedCall): DeclaredTool | undefined {
  return request.tools.find(
    (tool) => tool.name === call.name && (call.namespace === undefined || call.namespace === tool.namespace),
  );
}
