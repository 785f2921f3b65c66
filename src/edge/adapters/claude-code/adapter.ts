import { callback, checkOptions, number, optional, type ShapesOf, text } from "../../../base/kernel/check-options.ts";
import { assertNever, errorText } from "../../../base/kernel/error-text.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import type { SessionHost } from "../../../engine/session/session-moments.ts";
import type { HookAnswer } from "../shared/claude/native.ts";
import {
  type CallSettings,
  onBatch,
  onFailure,
  onPermissionDenied,
  onPostToolUse,
  onPreToolUse,
  onStop,
  onSubagentStop,
} from "../shared/claude/tool-hooks.ts";
import { canAsk, withContext, withShown } from "../shared/claude/translate.ts";
import { type OwnToolResult, runOwnTool } from "../shared/own-tools.ts";
import { confirmPrompt } from "../shared/sent-prompt.ts";
import { type EventOf, type Named, nameOf, readEvent } from "./events.ts";
import {
  type Answered,
  compacted,
  type From,
  type LiveSession,
  LiveSessions,
  notePlanted,
  onSessionStart,
  onSubagentStart,
  onUserPromptSubmit,
  settleCalls,
} from "./live-session.ts";
import { CALL_SECONDS } from "./settings.ts";
import { FurtherParts } from "./split-text.ts";
import { answerFailure } from "./translate.ts";

/** The agent and how its sessions are opened. */
export type ClaudeCodeOptions = {
  /** How long a call waits for a person whom Claude Code cannot ask; a little less than the hook's own timeout. */
  readonly waitMs?: number;
  /** The home for `~` in Claude Code; by default this process's own home. */
  readonly home?: string;
  /** The answer when Conduct itself fails. By default it blocks everything that could run or pass unchecked. */
  readonly failure?: (event: string, cause: string) => HookAnswer;
};

/** Answers the hooks of Claude Code. */
export type ClaudeCodeHooks = {
  /**
   * Answers one hook. Never rejects: a failure becomes a blocking answer where something could run or pass unchecked.
   */
  handle(event: unknown, from?: From): Promise<HookAnswer>;
  /** Runs one of Conduct's own tools, if the call with this id was allowed. */
  callTool(name: string, args: JsonObject, call: string): Promise<OwnToolResult>;
  /** The adapter's state of a session as JSON. Save it with the session, and restore it before the next event. */
  beside(session: string): JsonObject | undefined;
  /** Restores the open calls of a session from its saved data. */
  restore(session: string, beside: unknown): void;
  /** True while a call runs, or waits for a person, in Claude Code. */
  underWay(): boolean;
};

/** Conduct in Claude Code: one session for each of its sessions and subagents, opened at the first hook. */
export function claudeCodeHooks(host: SessionHost, options: ClaudeCodeOptions = {}): ClaudeCodeHooks {
  checkOptions("claudeCodeHooks", options, KEYS);
  const { waitMs = (CALL_SECONDS - 10) * 1_000, home, failure = answerFailure } = options;
  const lives = new LiveSessions(host);
  const parts = new FurtherParts();

  async function answer(named: Named, from: From): Promise<HookAnswer> {
    const { name, event } = named;
    // Only the SessionStart of a compaction has further parts: they must not get those of the start before it.
    const source = name === "SessionStart" ? event.source : "";
    const key = [event.session_id, name, source, event.agent_id, event.prompt_id].join(" ");
    if (from.part !== undefined && from.part > 1) {
      const part = await parts.take(key, from.part);
      const carries = name === "UserPromptSubmit" || name === "SessionStart" || name === "SubagentStart";
      return carries ? withContext(name, part) : {};
    }
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
    // A start or end alone opens no session in Conduct.
    const isEdge = name === "SessionEnd" || (name === "SessionStart" && event.source !== "compact");
    if (isEdge && !lives.has(event.session_id)) return { answer: {} };
    const live = await lives.of(event, from);
    // A late hook: nobody works in the session any more, so there is nothing to check.
    if (live.ended && LATE.has(name)) return { answer: {} };
    live.ended = name === "SessionEnd";
    if (REACHED.has(name)) confirmPrompt(live);
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
        // Follows the SessionStart of a compaction. If that event is missing, the prompt is lost all the same.
        if (live.compacting) compacted(live);
        return { answer: {} };
      case "SubagentStart":
        return onSubagentStart(live, event);
      case "SubagentStop":
        return { answer: await onSubagentStop(live.scopes, event) };
      case "Stop":
        return { answer: await stop(live, event) };
      case "SessionEnd":
        await settleCalls(live, "cancelled");
        for (const { session } of live.scopes.all()) session.notice({ kind: "left" });
        return { answer: {} };
      default:
        return assertNever(name);
    }
  }

  /** Claude Code asks the person at its terminal, also in mode `auto`; a headless one refuses such calls. */
  function callSettings({ scopes }: LiveSession, { interactive = false }: From): CallSettings {
    return { scopes, asks: (event) => canAsk(event, interactive, ["auto"]), waitMs, home, ownSource: "user" };
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
      return runOwnTool(scope.session, name, args);
    },
    beside: (session) => lives.state(session),
    restore: (session, beside) => lives.restore(session, beside),
    underWay: () => lives.all().some(({ scopes }) => scopes.all().some(({ open }) => open.size > 0)),
  };
}

/** These events prove that the model received the prompt of the last message. */
const REACHED: ReadonlySet<string> = new Set(["PreToolUse", "PostToolBatch", "SubagentStart", "Stop"]);

/** Events that may still arrive after the end of a session. */
const LATE = new Set<string>(["Stop", "SubagentStop", "SessionEnd", "PostToolBatch", "PreCompact", "PostCompact"]);

/** Events whose answer can show the person a text; Claude Code shows no output of a subagent's hooks. */
const SHOWS = new Set<string>(["PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch", "Stop"]);

async function stop({ scopes }: LiveSession, event: EventOf<"Stop">): Promise<HookAnswer> {
  const answer = await onStop(scopes, event);
  const { last_assistant_message: text } = event;
  if (answer.decision === undefined && text !== undefined && text !== "") {
    scopes.main.session.notice({ kind: "reply", text });
  }
  return answer;
}

const KEYS: ShapesOf<ClaudeCodeOptions> = {
  waitMs: optional(number),
  home: optional(text),
  failure: optional(callback),
};
