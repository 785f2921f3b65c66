import { CALL_ANSWER_MS } from "../../../../edge/adapters/codex/hooks-json.ts";
import { CALL_WAIT_MS as COPILOT_WAIT_MS, failureOutput } from "../../../../edge/adapters/copilot/hooks-file.ts";
import {
  CALL_WAIT_MS as CURSOR_WAIT_MS,
  failureOutput as cursorFailure,
} from "../../../../edge/adapters/cursor/hooks-file.ts";
import { CALL_WAIT_MS as GEMINI_WAIT_MS } from "../../../../edge/adapters/gemini/settings.ts";
import {
  CODEX_TERMINAL,
  COPILOT_TERMINAL,
  CURSOR_TERMINAL,
  GEMINI_TERMINAL,
  type TerminalAgent,
} from "../../../../edge/host/trust/typed-in-agent.ts";

type Moment = "message" | "call" | "result" | "stop" | "subagent-stop";

/** How `conduct hook` serves a runtime. Every hook loads this file, so it imports little. */
export type HookRuntime = {
  readonly title: string;
  readonly moments: { readonly [event: string]: Moment | "other" };
  /** Events at which a session may begin, or a person may have typed. */
  readonly opening: readonly string[];
  readonly terminal: TerminalAgent;
  /** How long a call's hook waits for the daemon: longer than the daemon waits for a person. */
  readonly callMs: number;
  /** The output that blocks, for a runtime that does not show the model what a failing hook has printed. */
  readonly failure?: (event: string, text: string) => string;
};

export type HookRuntimeName = "codex" | "copilot" | "cursor" | "gemini";

export const HOOK_RUNTIMES: { readonly [N in HookRuntimeName]: HookRuntime } = {
  codex: {
    title: "Codex",
    moments: {
      SessionStart: "other",
      UserPromptSubmit: "message",
      PreModelRequest: "other",
      PostModelRequest: "other",
      PreToolUse: "call",
      PostToolUse: "result",
      PostCompact: "other",
      SubagentStart: "other",
      SubagentStop: "subagent-stop",
      Stop: "stop",
      SessionEnd: "other",
    },
    opening: ["SessionStart", "UserPromptSubmit"],
    terminal: CODEX_TERMINAL,
    callMs: CALL_ANSWER_MS,
  },
  copilot: {
    title: "Copilot CLI",
    moments: {
      sessionStart: "other",
      userPromptSubmitted: "message",
      preToolUse: "call",
      postToolUse: "result",
      postToolUseFailure: "other",
      preCompact: "other",
      agentStop: "stop",
      sessionEnd: "other",
    },
    opening: ["sessionStart", "userPromptSubmitted"],
    terminal: COPILOT_TERMINAL,
    callMs: COPILOT_WAIT_MS + 5_000,
    failure: (event, text) => JSON.stringify(failureOutput(event, text)),
  },
  cursor: {
    title: "Cursor",
    moments: {
      sessionStart: "other",
      beforeSubmitPrompt: "message",
      preToolUse: "call",
      postToolUse: "result",
      postToolUseFailure: "other",
      preCompact: "other",
      stop: "stop",
      sessionEnd: "other",
    },
    opening: ["sessionStart", "beforeSubmitPrompt"],
    terminal: CURSOR_TERMINAL,
    callMs: CURSOR_WAIT_MS + 5_000,
    failure: (event, text) => JSON.stringify(cursorFailure(event, text)),
  },
  gemini: {
    title: "Gemini CLI",
    moments: {
      SessionStart: "other",
      BeforeAgent: "message",
      BeforeModel: "other",
      BeforeTool: "call",
      AfterTool: "result",
      AfterAgent: "stop",
      SessionEnd: "other",
    },
    opening: ["SessionStart", "BeforeAgent"],
    terminal: GEMINI_TERMINAL,
    callMs: GEMINI_WAIT_MS + 5_000,
  },
};

/** An event without a name is treated as a call; an unknown one cannot run anything. */
export function momentOf({ moments }: HookRuntime, event: string): Moment | "other" {
  return event === "" ? "call" : (moments[event] ?? "other");
}
