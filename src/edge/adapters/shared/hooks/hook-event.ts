import type { CallInput } from "../../../../base/words/call.ts";
import type { JsonObject } from "../../../../base/words/json.ts";
import type { ToolResult } from "../../../../base/words/result.ts";
import type { Carriers } from "../tool-args.ts";

/** The origin of an event. A subagent has its own `session`; `root` is the session with the person. */
export type HookOrigin = {
  readonly session: string;
  readonly root: string;
  readonly cwd: string;
  readonly model?: string;
  /** A person types in this runtime, as the hook command saw. */
  readonly interactive?: boolean;
};

/** A native call. Some runtimes give no id: then a result belongs to the oldest open call with the same input. */
export type ToolUse = {
  readonly id?: string;
  readonly name: string;
  readonly input: JsonObject;
  /** The MCP server and the tool's name on it. */
  readonly mcp?: { readonly server: string; readonly tool: string };
};

/** A hook event in Conduct's terms. `at` is the runtime's own time in milliseconds. */
export type HookEvent = HookOrigin &
  (
    | { readonly kind: "started" }
    | { readonly kind: "message"; readonly text: string }
    /** Before a request to the model. `opening` is the first text of the conversation. */
    | { readonly kind: "request"; readonly opening: string }
    | { readonly kind: "call"; readonly use: ToolUse; readonly at?: number }
    | {
        readonly kind: "result";
        readonly use: ToolUse;
        readonly result: ToolResult;
        readonly at?: number;
        /** False where the hook cannot replace what the model reads. */
        readonly replaceable?: boolean;
      }
    | { readonly kind: "stop"; readonly output?: string }
    | { readonly kind: "compacted" }
    | { readonly kind: "ended" }
    | { readonly kind: "other" }
  );

export type HookEventOf<K extends HookEvent["kind"]> = Extract<HookEvent, { kind: K }>;

/** Conduct's answer to an event. `context` is for the model, `shown` for the person. */
export type HookReply = { readonly context?: string; readonly shown?: string } & (
  | {
      readonly kind: "pass";
      /** The prompt for this request. */
      readonly prompt?: string;
      /** The message without its mode words. */
      readonly text?: string;
      /** The changed arguments of the call. */
      readonly input?: JsonObject;
    }
  /** The message, the call or the stop is refused. */
  | { readonly kind: "refuse"; readonly why: string; readonly endTurn?: boolean }
  /** The result is replaced by this text. */
  | { readonly kind: "replace"; readonly text: string; readonly failed: boolean }
);

/** Translates one runtime's command hooks. Pure. */
export type HookDialect = {
  readonly runtime: string;
  readonly title: string;
  /** The event in Conduct's terms, or why it cannot be read. */
  read(given: JsonObject): HookEvent | { readonly fault: string };
  /** The call in Conduct's vocabulary. */
  map(use: ToolUse, cwd: string): Pick<CallInput, "tool" | "args" | "paths" | "cwd" | "actions" | "proves">;
  carriers(use: ToolUse): Carriers;
  /** The runtime's name of a tool. */
  toolName(tool: string): string;
  /**
   * The prompt is part of every request; or it is sent once and then only its changes: with messages, or when a session
   * starts and with results.
   */
  readonly prompts: "request" | "message" | "result";
  /** The most characters of context that one answer can carry. The rest follows with the next answer. */
  readonly contextLimit?: number;
  /** The part of the input that a result repeats; by default all of it. */
  identity?(use: ToolUse): JsonObject;
  readonly rewritesMessages: boolean;
  /** After this many refusals in a row the runtime ends the turn itself. */
  readonly stopCap?: number;
  /** Waits this long for a person's answer. */
  readonly waitMs: number;
  /** The hook's output. */
  answer(event: HookEvent, reply: HookReply): JsonObject;
  /** The output when Conduct fails: blocks everything that could run or pass unchecked, except a stop. */
  failure(given: unknown, cause: string): JsonObject;
};
