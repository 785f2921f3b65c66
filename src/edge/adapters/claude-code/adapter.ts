import { assertNever } from "../../../base/kernel/assert-never.ts";
import { callback, checkOptions, number, optional, type ShapesOf, text } from "../../../base/kernel/check-options.ts";
import { errorText } from "../../../base/kernel/error-text.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import type { SessionHost } from "../../../engine/session/session-moments.ts";
import type { HookAnswer, PreToolUse } from "../claude/native.ts";
import { partsText } from "../claude/result-shape.ts";
import { withShown } from "../claude/shown.ts";
import {
  type CallSettings,
  onBatch,
  onFailure,
  onPermissionDenied,
  onPostToolUse,
  onPreToolUse,
} from "../claude/tool-hooks.ts";
import { withContext } from "../claude/translate.ts";
import { onStop, onSubagentStop } from "../claude/turn-hooks.ts";
import { type EventOf, type Named, nameOf, readEvent } from "./events.ts";
import { answerFailure } from "./failure.ts";
import { confirmTold, type From, type LiveSession, notePlanted } from "./live-session.ts";
import { LiveSessions } from "./live-sessions.ts";
import { type Answered, onPostCompact, onSessionStart, onSubagentStart, onUserPromptSubmit } from "./messages.ts";
import { FurtherParts } from "./parts.ts";
import { CALL_SECONDS } from "./settings.ts";

export type ClaudeCodeOptions = {
  /** How long a call waits for a person where Claude Code cannot ask one; shortly less than its hook may take. */
  readonly waitMs?: number;
  /** What `~` is in Claude Code; this process' own home unless told. */
  readonly home?: string;
  /** The answer when Conduct itself failed; blocks what could run or pass unseen unless told otherwise. */
  readonly failure?: (event: string, cause: string) => HookAnswer;
};

export type ClaudeCodeHooks = {
  /** Answers one hook. Never rejects: what goes wrong is a blocking answer where something could run or pass unseen. */
  handle(event: unknown, from?: From): Promise<HookAnswer>;
  /** Runs one of Conduct's own tools for the call that Claude Code makes under this id; only when it was allowed. */
  callTool(name: string, args: JsonObject, call: string): Promise<{ readonly text: string; readonly isError: boolean }>;
  /** What is kept beside a session, as plain JSON: save it with the session, and give it back before its next event. */
  beside(session: string): JsonObject | undefined;
  restore(session: string, beside: unknown): void;
  /** Whether some call runs, or waits for a person, in Claude Code right now. */
  underWay(): boolean;
};

/** Conduct in Claude Code: one session for each session and each subagent there, opened when its first hook comes. */
export function claudeCodeHooks(host: SessionHost, options: ClaudeCodeOptions = {}): ClaudeCodeHooks {
  checkOptions("claudeCodeHooks", options, KEYS);
  const { waitMs = (CALL_SECONDS - 10) * 1_000, home, failure = answerFailure } = options;
  const lives = new LiveSessions(host);
  const parts = new FurtherParts();

  async function answer(named: Named, from: From): Promise<HookAnswer> {
    const { name, event } = named;
    const key = [event.session_id, name, event.agent_id, event.prompt_id].join(" ");
    if (from.part !== undefined && from.part > 1) return carried(name, await parts.take(key, from.part));
    try {
      const { answer: given, further = [] } = await begin(named, from);
      parts.give(key, further);
      return given;
    } catch (error) {
      parts.give(key, []);
      throw error;
    }
  }

  async function begin(named: Named, from: From): Promise<Answered> {
    const { name, event } = named;
    // A session is opened by what is said in it; there is nothing to do for one that only starts or ends.
    const isEdge = name === "SessionEnd" || (name === "SessionStart" && event.source !== "compact");
    if (isEdge && !lives.has(event.session_id)) return { answer: {} };
    const live = await lives.of(event, from);
    if (REACHED.has(name)) confirmTold(live);
    const answered = await act(named, live, from);
    if (!SHOWS.has(name) || event.agent_id !== undefined) return answered;
    return { ...answered, answer: withShown(answered.answer, [live.scopes.takeDebug()]) };
  }

  async function act({ name, event }: Named, live: LiveSession, from: From): Promise<Answered> {
    const calls = callSettings(live, from);
    switch (name) {
      case "SessionStart":
        return onSessionStart(live, event);
      case "UserPromptSubmit":
        return onUserPromptSubmit(live, event, from);
      case "PreToolUse":
        notePlanted(live, event);
        return { answer: await onPreToolUse(calls, event) };
      case "PostToolUse":
        return { answer: await onPostToolUse(calls, event) };
      case "PostToolUseFailure":
        return { answer: await onFailure(calls, event) };
      case "PostToolBatch":
        return { answer: await onBatch(calls, event) };
      case "PermissionDenied":
        return { answer: await onPermissionDenied(calls, event) };
      case "PreCompact":
        live.compacting = true;
        return { answer: {} };
      case "PostCompact":
        onPostCompact(live);
        return { answer: {} };
      case "SubagentStart":
        return onSubagentStart(live, event);
      case "SubagentStop":
        return { answer: await onSubagentStop(live.scopes, event) };
      case "Stop":
        return { answer: await stop(live, event) };
      case "SessionEnd":
        await settle(live);
        return { answer: {} };
      default:
        return assertNever(name);
    }
  }

  /** Claude Code asks a person wherever one sits before it; headless it refuses what would have to be asked. */
  function callSettings({ scopes }: LiveSession, { interactive = false }: From): CallSettings {
    const asks = ({ permission_mode = "default" }: PreToolUse) => interactive && ASKING_MODES.has(permission_mode);
    return { scopes, asks, waitMs, ...(home === undefined ? {} : { home }), ownSource: "user" };
  }

  return {
    async handle(given, from = {}) {
      const named = readEvent(given);
      if (named === "other") return {};
      if ("fault" in named) return failure(nameOf(given), named.fault);
      try {
        return await answer(named, from);
      } catch (error) {
        lives.find(named.event.session_id)?.scopes.tell(named.name, error);
        return failure(named.name, errorText(error));
      }
    },
    async callTool(name, args, call) {
      const scope = lives.all().flatMap((live) => live.scopes.holding(call) ?? [])[0];
      if (scope?.open.get(call)?.tool !== name) return { text: "Conduct has not allowed this call.", isError: true };
      const tool = scope.session.tools().find((one) => one.name === name);
      if (tool === undefined) return { text: `This session has no tool '${name}'.`, isError: true };
      const { outcome, parts: said } = await tool.run(args);
      return { text: partsText(said), isError: outcome !== "ok" };
    },
    beside: (session) => lives.beside(session),
    restore: (session, beside) => lives.restore(session, beside),
    underWay: () => lives.all().some(({ scopes }) => scopes.all().some(({ open }) => open.size > 0)),
  };
}

/** The modes in which Claude Code puts a hook's question to the person who sits before it. */
const ASKING_MODES = new Set(["default", "acceptEdits", "plan", "auto"]);

/** These come only when the model was asked with what the message before them brought along. */
const REACHED: ReadonlySet<string> = new Set(["PreToolUse", "PostToolBatch", "SubagentStart", "Stop"]);

/** Whose answers can show the person something; Claude Code shows nothing of a subagent's hooks. */
const SHOWS: ReadonlySet<string> = new Set([
  "PreToolUse",
  "PostToolUse",
  "PostToolUseFailure",
  "PostToolBatch",
  "Stop",
]);

function carried(name: string, part: string | undefined): HookAnswer {
  if (name !== "UserPromptSubmit" && name !== "SessionStart" && name !== "SubagentStart") return {};
  return withContext(name, part);
}

async function stop({ scopes }: LiveSession, event: EventOf<"Stop">): Promise<HookAnswer> {
  const answer = await onStop(scopes, event);
  const { last_assistant_message: text } = event;
  if (answer.decision === undefined && text !== undefined && text !== "") {
    scopes.main.session.notice({ kind: "reply", text });
  }
  return answer;
}

/** What still runs when Claude Code ends has no result any more. */
async function settle({ scopes }: LiveSession): Promise<void> {
  for (const { session, open } of scopes.all()) {
    for (const [id, { tool }] of open) await session.onResult({ id, tool }, { outcome: "cancelled", parts: [] });
    open.clear();
  }
}

const KEYS: ShapesOf<ClaudeCodeOptions> = {
  waitMs: optional(number),
  home: optional(text),
  failure: optional(callback),
};
