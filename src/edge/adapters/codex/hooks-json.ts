import { guarded, type HookShell, type OnFailure } from "../shared/hooks/guarded-command.ts";

/** Codex cuts a `reason` in the middle at 2,500 tokens, which it counts as 10,000 bytes. */
export const REASON_BYTES = 9_900;

/** Tokens of `additionalContext` that our hooks.json asks Codex to accept; it counts four bytes per token. */
export const CONTEXT_TOKENS = 50_000;

/** How long a call waits for a person: our hook has 15 seconds in all. */
export const CALL_WAIT_MS = 10_000;

/** The hook's timeout for the daemon: longer than the wait for a person, shorter than the hook's own timeout. */
export const CALL_ANSWER_MS = CALL_WAIT_MS + 3_000;

type Registered = {
  readonly seconds: number;
  readonly failure: OnFailure;
  readonly context?: boolean;
  /** Codex's own timeout; by default longer than that of our command. */
  readonly codexSeconds?: number;
};

/** `seconds` is the timeout of our own command. Codex runs the tool when a hook times out, so it has to wait longer. */
const EVENTS: { readonly [event: string]: Registered } = {
  SessionStart: { seconds: 15, failure: "tell", context: true },
  UserPromptSubmit: { seconds: 15, failure: "block", context: true },
  PreModelRequest: { seconds: 15, failure: "tell" },
  PostModelRequest: { seconds: 15, failure: "tell" },
  PreToolUse: { seconds: 15, failure: "block", context: true },
  PostToolUse: { seconds: 15, failure: "block", context: true },
  PostCompact: { seconds: 15, failure: "tell" },
  SubagentStart: { seconds: 15, failure: "tell", context: true },
  SubagentStop: { seconds: 130, failure: "tell" },
  Stop: { seconds: 130, failure: "tell" },
  SessionEnd: { seconds: 2, failure: "tell", codexSeconds: 3 },
};

/** The events that must be registered and trusted. */
export const CODEX_EVENTS: readonly string[] = Object.keys(EVENTS);

/**
 * The text of `hooks.json` in `CODEX_HOME`. `command` is the shell command for `conduct hook codex`. `passes` is a
 * command that succeeds while Codex is in shadow mode, where a failure blocks nothing. Both are written for `shell`.
 */
export function codexHooksJson(command: string, passes?: string, shell?: HookShell): string {
  const hooks = Object.entries(EVENTS).map(([event, { seconds, failure, context, codexSeconds }]) => {
    const hook = {
      type: "command",
      command: guarded(command, seconds, failure, passes, shell),
      timeout: codexSeconds ?? seconds + 15,
      additionalContextLimit: context === true ? CONTEXT_TOKENS : undefined,
    };
    return [event, [{ hooks: [hook] }]];
  });
  return `${JSON.stringify({ hooks: Object.fromEntries(hooks) }, null, 2)}\n`;
}
