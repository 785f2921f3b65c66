import { CONTEXT_TOKENS } from "./answer.ts";

/** In every command that we register, so that ours are told from others in the same file. */
const MARK = "The Conduct hook did not answer";

export function isConductHook(command: unknown): boolean {
  return typeof command === "string" && command.includes(MARK);
}

/** What a hook that fails makes of its event: stops it, or is only told to the person. */
type OnFailure = "block" | "tell";
type Registered = {
  readonly seconds: number;
  readonly failure: OnFailure;
  readonly context?: boolean;
  /** What Codex waits; longer than we do unless it allows less. */
  readonly codexSeconds?: number;
};

/** Seconds are what our own command gets. Codex lets a tool run when a hook takes too long, so it waits longer than we do. */
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

/** The events that must be registered and trusted for Conduct to bind. */
export const CODEX_EVENTS: readonly string[] = Object.keys(EVENTS);

export type CodexHooksFile = {
  readonly hooks: { readonly [event: string]: readonly { readonly hooks: readonly CodexHandler[] }[] };
};
export type CodexHandler = {
  readonly type: "command";
  readonly command: string;
  readonly timeout: number;
  readonly additionalContextLimit?: number;
};

/**
 * The text of `hooks.json` in `CODEX_HOME`. `command` is a shell command that does what `conduct hook codex` does; `passes` is one
 * that succeeds when a failure blocks nothing, because Codex is only watched.
 */
export function codexHooksJson(command: string, passes?: string): string {
  const hooks = Object.entries(EVENTS).map(([event, registered]) => [
    event,
    [{ hooks: [handler(command, registered, passes)] }],
  ]);
  return `${JSON.stringify({ hooks: Object.fromEntries(hooks) } satisfies CodexHooksFile, null, 2)}\n`;
}

function handler(
  command: string,
  { seconds, failure, context, codexSeconds }: Registered,
  passes: string | undefined,
): CodexHandler {
  return {
    type: "command",
    command: guarded(command, seconds, failure, passes),
    timeout: codexSeconds ?? seconds + 15,
    ...(context === true ? { additionalContextLimit: CONTEXT_TOKENS } : {}),
  };
}

/**
 * Only exit 2 blocks in Codex: a command that is missing, crashes or hangs would let the tool run. Run by `sh`, whatever
 * the person's own shell is; where there is no `timeout`, the command's own time limit has to do. Exit 3 says that the command has
 * explained itself.
 */
export function guarded(command: string, seconds: number, failure: OnFailure, passes?: string): string {
  const means = failure === "block" ? "blocked to be safe" : "this event was not seen";
  const say = `[ $rc -eq 3 ] || echo "${MARK} (exit $rc); ${means}." >&2`;
  const pass = passes === undefined ? "" : `{ ${passes}; } && exit 0; `;
  const script = [
    "t=$(command -v timeout || command -v gtimeout)",
    `out=$(\${t:+$t ${seconds}} ${command}) && printf %s "$out" || { rc=$?; ${pass}[ $rc -eq 2 ] && exit 2; ${say}; exit ${failure === "block" ? 2 : 1}; }`,
  ].join("; ");
  return `sh -c '${script.replaceAll("'", `'\\''`)}'`;
}
