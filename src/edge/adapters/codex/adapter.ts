import {
  callback,
  checkOptions,
  name,
  number,
  object,
  optional,
  type ShapesOf,
} from "../../../base/kernel/check-options.ts";
import { assertNever, errorText } from "../../../base/kernel/error-text.ts";
import { asObject, asString, isObject, withDigitsOf } from "../../../base/kernel/json.ts";
import type { Conduct } from "../../../engine/session/conduct.ts";
import { NO_USER } from "../../../engine/tools/tool-run.ts";
import { type OwnToolResult, runOwnTool } from "../shared/own-tools.ts";
import { decideCall, tellFault } from "../shared/refusals.ts";
import { confirmPrompt } from "../shared/sent-prompt.ts";
import { type CodexEvent, type CodexEventOf, isCodeMode, readCodexEvent } from "./events.ts";
import { CALL_WAIT_MS } from "./hooks-json.ts";
import {
  type LiveSession,
  LiveSessions,
  type OpenOptions,
  onMessage,
  onSessionStart,
  onSubagentStart,
  writeState,
} from "./live-session.ts";
import { isStillRunning, resultOfUse, resultWithoutHook, traceCall } from "./outcome-map.ts";
import { carriersOf, mapCall, shellWanted } from "./tool-map.ts";
import type { CodexAnswer } from "./translate.ts";
import { answerAllow, answerFailure, answerResult, answerStop, denial, withShown } from "./translate.ts";

/** Answers the hooks of Codex. */
export type CodexHooks = {
  /**
   * Answers one hook. Never rejects: a failure becomes a blocking answer where something could run or pass unchecked.
   */
  handle(event: unknown): Promise<CodexAnswer>;
  /** Runs one of Conduct's own tools for the MCP server that offers them (`conduct-mcp.ts`), if the call was allowed. */
  callTool(request: unknown): Promise<OwnToolResult>;
};

type CodexHooksOptions = OpenOptions & {
  /** The answer when Conduct itself fails. By default it blocks everything that could run or pass unchecked. */
  readonly failure?: (event: string, cause: string) => CodexAnswer;
};

/** Conduct in Codex: one session for each of its sessions and subagents, opened at the first hook. */
export function codexHooks(conduct: Conduct, options: CodexHooksOptions): CodexHooks {
  checkOptions("codexHooks", options, KEYS);
  const { failure = answerFailure } = options;
  const lives = new LiveSessions(conduct, options);

  const save = async (live: LiveSession) => options.host?.saveAdapterData?.(live.session.id, writeState(live));

  async function answer(event: CodexEvent): Promise<CodexAnswer> {
    if (event.kind === "other" || (event.kind === "SessionEnd" && lives.find(event.root) === undefined)) return {};
    // A late hook: nobody works in the session any more, so there is nothing to check.
    if (LATE.has(event.kind) && lives.isParked(event.root)) return {};
    const live = await lives.of(event);
    const answered = await act(event, live);
    // Saved before the answer is sent: a lost decision would be made twice.
    await save(live);
    return SHOWS.has(event.kind) ? withShown(answered, live.session.takeDebug()) : answered;
  }

  async function act(event: Exclude<CodexEvent, { kind: "other" }>, live: LiveSession): Promise<CodexAnswer> {
    switch (event.kind) {
      case "SessionStart":
        return onSessionStart(event, live, conduct);
      case "UserPromptSubmit":
        return onMessage(event, live, conduct);
      case "PreModelRequest":
        confirmPrompt(live);
        await settleUnseen(event, live, false);
        live.step += 1;
        live.session.notice({ kind: "step-closed" });
        return {};
      case "PostModelRequest":
        live.session.notice({ kind: "usage", ...event.usage });
        return {};
      case "PreToolUse":
        return onCall(event, live);
      case "PostToolUse":
        return onResult(event, live);
      case "PostCompact":
        // Codex may end before the next turn, and then no SessionStart reports the compaction.
        live.prompt = {};
        live.session.notice({ kind: "compacted" });
        return {};
      case "Stop":
      case "SubagentStop":
        return onStop(event, live);
      case "SessionEnd":
        await settleUnseen(event, live, true);
        await lives.park(event.root);
        return {};
      case "SubagentStart":
        return onSubagentStart(event, live, conduct);
      default:
        return assertNever(event);
    }
  }

  return {
    async handle(given) {
      const event = readCodexEvent(given);
      if ("fault" in event) return failure(nameOf(given), event.fault);
      try {
        return await answer(event);
      } catch (error) {
        const message = errorText(error);
        tellFault(conduct.find(event.session), `codex ${nameOf(given)}`, "adapter", message);
        return failure(nameOf(given), message);
      }
    },
    async callTool(request) {
      if (!isObject(request)) return { text: "This is not a tool call.", isError: true };
      const live = await lives.find(String(request.thread_id));
      const allowed = [...(live?.calls.values() ?? [])].some((call) => call.tool === request.conduct_tool);
      if (live === undefined || !allowed) return { text: "Conduct has not allowed this call.", isError: true };
      const name = asString(request.conduct_tool);
      if (!live.session.tools().some((tool) => tool.name === name))
        // Codex lists the same tools for every session.
        return { text: conduct.find(live.session.id)?.view.user === undefined ? NO_USER : NOT_GIVEN, isError: true };
      const result = await runOwnTool(live.session, name, asObject(request.arguments));
      await save(live);
      return result;
    },
  };
}

const NOT_GIVEN = "The operator has turned this tool off for this agent.";

/** Events that may still arrive after the end of a session. */
const LATE: ReadonlySet<string> = new Set<CodexEvent["kind"]>(["Stop", "SubagentStop", "SessionEnd"]);

/** Events whose answer can have a `systemMessage`. A blocked message shows only its reason. */
const SHOWS: ReadonlySet<string> = new Set(["PreToolUse", "PostToolUse", "Stop", "SubagentStop"]);

async function onCall(event: CodexEventOf<"PreToolUse">, live: LiveSession): Promise<CodexAnswer> {
  const { use, cwd } = event;
  if (live.endedTurn !== undefined && live.endedTurn === event.turn) {
    return denial("Conduct has ended this turn, so no more calls run. Tell the person what happened and stop");
  }
  const isShell = use.name === "Bash" && !isCodeMode(use);
  const written = isShell ? await traceCall(event.transcript, use.id, ({ call }) => call !== undefined) : {};
  const place = { root: live.root, cwd, shell: shellWanted(written.call?.arguments) };
  const call = { ...mapCall(use, place), step: `step-${live.step}` };
  const way = { runtime: "Codex", where: "codex PreToolUse", native: use.input, carriers: carriersOf(use, call) };
  const decided = await decideCall(live.session, call, { waitMs: CALL_WAIT_MS }, way);
  const owed = live.owed.splice(0);
  if (decided.kind === "refused") {
    if (decided.decision?.kind === "deny" && decided.decision.endTurn) live.endedTurn = event.turn;
    return denial(decided.why, owed);
  }
  live.calls.set(use.id, { use, tool: call.tool, folder: cwd });
  const input = decided.input && withDigitsOf(use.input, decided.input);
  return answerAllow([...decided.decision.advice.map(({ text }) => text), ...owed], input);
}

async function onResult(event: CodexEventOf<"PostToolUse">, live: LiveSession): Promise<CodexAnswer> {
  const { use, cwd } = event;
  const { tool, folder } = live.calls.get(use.id) ?? { ...mapCall(use, { root: live.root, cwd }), folder: cwd };
  const trace = await traceCall(event.transcript, use.id, ({ item }) => item !== undefined);
  const codeMode = isCodeMode(use);
  const result = resultOfUse(use, event.response, trace, folder);
  const delivered = await live.session.onResult({ id: use.id, tool }, result, { replaceable: !codeMode });
  live.calls.delete(use.id);
  return answerResult(delivered, { codeMode, riders: live.owed.splice(0) });
}

/** Reports calls that failed before they ran, such as a patch that does not apply: Codex has no hook for them. */
async function settleUnseen(event: CodexEvent, live: LiveSession, last: boolean): Promise<void> {
  for (const [id, { use, tool, folder }] of live.calls) {
    const trace = await traceCall(event.transcript, id, ({ output }) => output !== undefined);
    if (!last && isStillRunning(trace)) continue;
    const result = resultWithoutHook(use, trace, folder);
    if (result === undefined) continue;
    live.calls.delete(id);
    const { feedback } = await live.session.onResult({ id, tool }, result, { replaceable: false });
    if (feedback !== undefined) live.owed.push(feedback);
  }
}

async function onStop(event: CodexEventOf<"Stop" | "SubagentStop">, live: LiveSession): Promise<CodexAnswer> {
  await settleUnseen(event, live, true);
  if (live.endedTurn !== undefined && live.endedTurn === event.turn) return {};
  const decision = await live.session.onStop({ reason: "end_turn", output: event.output });
  // In shadow mode the turn ends silently.
  return live.session.observing === undefined ? answerStop(decision) : {};
}

/** The event's name, for the answer to an unreadable event; a call if in doubt. */
function nameOf(given: unknown): string {
  return isObject(given) && typeof given.hook_event_name === "string" ? given.hook_event_name : "PreToolUse";
}

const KEYS: ShapesOf<CodexHooksOptions> = {
  failure: optional(callback),
  agent: name,
  sessionOptions: optional(callback),
  keep: optional(number),
  host: optional(object),
};
