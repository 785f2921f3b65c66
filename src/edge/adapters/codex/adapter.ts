import { assertNever } from "../../../base/kernel/assert-never.ts";
import {
  callback,
  checkOptions,
  name,
  number,
  object,
  optional,
  type ShapesOf,
} from "../../../base/kernel/check-options.ts";
import { errorText } from "../../../base/kernel/error-text.ts";
import { isObject } from "../../../base/kernel/json.ts";
import type { Decision } from "../../../base/words/decision.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import { shownText } from "../../../behavior/results/shown-text.ts";
import type { Conduct } from "../../../engine/moments/conduct.ts";
import { NO_USER } from "../../../engine/tools/user-context.ts";
import { answerable } from "../../host/daemon/answerable.ts";
import { rewriteInput, rewriteRefusal } from "../rewrite-input.ts";
import type { CodexAnswer } from "./answer.ts";
import { CALL_WAIT_MS } from "./call-times.ts";
import { type CodexEvent, type CodexEventOf, type CodexOrigin, isCodeMode, readCodexEvent } from "./events.ts";
import { keepLive } from "./kept-live.ts";
import type { LiveSession, OpenOptions } from "./live-session.ts";
import { LiveSessions } from "./live-sessions.ts";
import { onMessage, onSessionStart, onSubagentStart } from "./messages.ts";
import { isStillRunning, resultOfUse, resultWithoutHook } from "./outcome-map.ts";
import { traceCall } from "./rollout.ts";
import { carriersOf, mapCall, shellWanted } from "./tool-map.ts";
import { answerCall, answerFailure, answerResult, answerStop, denial, withShown } from "./translate.ts";

export type CodexHooks = {
  /** Answers one hook. Never rejects: what goes wrong is a blocking answer where something could run or pass unseen. */
  handle(event: unknown): Promise<CodexAnswer>;
  /** Runs one of Conduct's own tools for the MCP server that hosts them (`conduct-mcp.ts`); only for an allowed call. */
  callTool(request: unknown): Promise<{ readonly text: string; readonly isError: boolean }>;
  /** Takes a person's word to a session, be it under way or kept. Rejects when the question cannot be answered. */
  answer(session: CodexOrigin, word: ApprovalWord): Promise<void>;
};

/** What a person says to a question of a session. */
export type ApprovalWord = {
  readonly approval: string;
  readonly answer: "yes" | "no";
  readonly by: string;
  readonly reason?: string;
};

export type CodexHooksOptions = OpenOptions & {
  /** The answer when Conduct itself failed; blocks what could run or pass unseen unless told otherwise. */
  readonly failure?: (event: string, cause: string) => CodexAnswer;
};

/** Conduct in Codex: one session for each session and each subagent of Codex, opened when its first hook comes. */
export function codexHooks(conduct: Conduct, options: CodexHooksOptions): CodexHooks {
  checkOptions("codexHooks", options, KEYS);
  const { failure = answerFailure } = options;
  const lives = new LiveSessions(conduct, options);

  const save = async (live: LiveSession) => options.keeper?.save(live.session, keepLive(live));

  async function answer(event: CodexEvent): Promise<CodexAnswer> {
    // A session that nobody knows has nothing to be kept for.
    if (event.kind === "other" || (event.kind === "SessionEnd" && lives.find(event.root) === undefined)) return {};
    const live = await lives.of(event);
    const answered = await act(event, live);
    // Before anybody hears of it: what was decided and then forgotten would be decided twice.
    await save(live);
    return isShown(event) ? withShown(answered, live.session.takeDebug()) : answered;
  }

  async function act(event: Exclude<CodexEvent, { kind: "other" }>, live: LiveSession): Promise<CodexAnswer> {
    switch (event.kind) {
      case "SessionStart":
        return onSessionStart(event, live, conduct);
      case "UserPromptSubmit":
        return onMessage(event, live, conduct);
      case "PreModelRequest":
        await onModelRequest(event, live);
        return {};
      case "PostModelRequest":
        live.session.notice({ kind: "usage", ...event.usage });
        return {};
      case "PreToolUse":
        return onCall(event, live, {
          onAsking: () => void save(live).catch(() => undefined),
          ask: options.keeper === undefined ? (question) => question : answerable,
        });
      case "PostToolUse":
        return onResult(event, live);
      case "PostCompact":
        // Whoever compacts may end before the next turn, so that no SessionStart says it.
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
        const fault = { where: `codex ${nameOf(given)}`, code: "adapter", message };
        conduct.find(event.session)?.notice({ kind: "fault", fault });
        return failure(nameOf(given), message);
      }
    },
    async callTool(request) {
      if (!isObject(request)) return { text: "This is no tool call.", isError: true };
      const live = await lives.find(String(request.thread_id));
      const allowed = [...(live?.calls.values() ?? [])].some((call) => call.tool === request.conduct_tool);
      if (live === undefined || !allowed) return { text: "Conduct has not allowed this call.", isError: true };
      const tool = live.session.tools().find(({ name }) => name === request.conduct_tool);
      if (tool === undefined) return { text: notGiven(live), isError: true };
      const args: JsonObject = isObject(request.arguments) ? request.arguments : {};
      const { outcome, parts } = await tool.run(args);
      await save(live);
      return { text: shownText(parts), isError: outcome !== "ok" };
    },
    async answer(session, { approval, answer, by, reason }) {
      const live = await (lives.find(session.session) ?? lives.of(session));
      live.session.resolve(approval, answer, by, reason);
      await save(live);
    },
  };
}

/** What Codex lists all the same, because its list is the same for every session. */
function notGiven({ session }: LiveSession): string {
  return session.view.user === undefined
    ? NO_USER
    : "This agent keeps nothing of the kind: the tool is switched off here.";
}

/** Where Codex takes a `systemMessage` beside what we answer. A message that is held back shows its reason alone. */
function isShown({ kind }: CodexEvent): boolean {
  return kind === "PreToolUse" || kind === "PostToolUse" || kind === "Stop" || kind === "SubagentStop";
}

/** A model request ends the step before it. */
async function onModelRequest(event: CodexEvent, live: LiveSession): Promise<void> {
  if (live.prompt.given !== undefined) live.prompt = { had: live.prompt.given };
  await settleUnseen(event, live, false);
  live.step += 1;
  live.session.notice({ kind: "step-closed" });
}

async function onCall(
  event: CodexEventOf<"PreToolUse">,
  live: LiveSession,
  { onAsking, ask }: { readonly onAsking: () => void; readonly ask: (decision: Decision) => Decision },
): Promise<CodexAnswer> {
  const { use, cwd } = event;
  if (live.endedTurn !== undefined && live.endedTurn === event.turn) {
    return denial("Conduct has ended this turn: nothing more runs in it. Tell the person what happened and stop");
  }
  const written = use.name === "Bash" && !isCodeMode(use) ? await traceCall(event.transcript, use.id, hasCall) : {};
  const place = { root: live.root, cwd, shell: shellWanted(written.call?.arguments) };
  const call = { ...mapCall(use, place), step: `step-${live.step}` };
  const decision = ask(await live.session.decide(call, { waitMs: CALL_WAIT_MS, onAsking }));
  const input = decision.kind === "allow" ? decision.input : undefined;
  const rewritten = input === undefined ? { input } : rewriteInput(use.input, call.args, input, carriersOf(use, call));
  if (decision.kind === "ask" || "cannot" in rewritten) {
    await live.session.onResult(call, { outcome: "cancelled", parts: [] });
  }
  if ("cannot" in rewritten) return cannotRewrite(live, call.tool, rewritten.cannot);
  if (decision.kind === "allow") live.calls.set(use.id, { use, tool: call.tool, folder: cwd });
  if (decision.kind === "deny" && decision.endTurn) live.endedTurn = event.turn;
  return answerCall(decision, live.owed.splice(0), rewritten.input);
}

/** Rules have changed the call into one that Codex cannot make: it does not run as the model made it either. */
function cannotRewrite(live: LiveSession, tool: string, cannot: readonly string[]): CodexAnswer {
  const message = rewriteRefusal(tool, "Codex", cannot);
  live.session.notice({ kind: "fault", fault: { where: "codex PreToolUse", code: "rewrite", message } });
  return denial(message, live.owed.splice(0));
}

function hasCall({ call }: { readonly call?: JsonObject }): boolean {
  return call !== undefined;
}

function hasItem({ item }: { readonly item?: JsonObject }): boolean {
  return item !== undefined;
}

async function onResult(event: CodexEventOf<"PostToolUse">, live: LiveSession): Promise<CodexAnswer> {
  const { use, cwd } = event;
  const { tool, folder } = live.calls.get(use.id) ?? { ...mapCall(use, { root: live.root, cwd }), folder: cwd };
  const trace = await traceCall(event.transcript, use.id, hasItem);
  const codeMode = isCodeMode(use);
  const result = resultOfUse(use, event.response, trace, folder);
  const delivered = await live.session.onResult({ id: use.id, tool }, result, { replaceable: !codeMode });
  live.calls.delete(use.id);
  return answerResult(delivered, { codeMode, riders: live.owed.splice(0) });
}

/** Codex calls no hook for a call that fails before it runs, such as a patch that does not apply. */
async function settleUnseen(event: CodexEvent, live: LiveSession, last: boolean): Promise<void> {
  for (const [id, { use, tool, folder }] of live.calls) {
    const trace = await traceCall(event.transcript, id, ({ output }) => output !== undefined);
    if (!last && isStillRunning(trace)) continue;
    const result = resultWithoutHook(use, trace, folder);
    if (result === undefined) continue;
    live.calls.delete(id);
    // The model has it already.
    const { feedback } = await live.session.onResult({ id, tool }, result, { replaceable: false });
    if (feedback !== undefined) live.owed.push(feedback);
  }
}

async function onStop(event: CodexEventOf<"Stop" | "SubagentStop">, live: LiveSession): Promise<CodexAnswer> {
  await settleUnseen(event, live, true);
  if (live.endedTurn !== undefined && live.endedTurn === event.turn) return {};
  const output = event.output === undefined ? {} : { output: event.output };
  const decision = await live.session.onStop({ reason: "end_turn", ...output });
  // What is only watched ends as it would without us, and nobody is told.
  return live.session.observing === undefined ? answerStop(decision) : {};
}

/** The event's own name, for an answer to something that could not be read; a call when in doubt. */
function nameOf(given: unknown): string {
  return isObject(given) && typeof given.hook_event_name === "string" ? given.hook_event_name : "PreToolUse";
}

const KEYS: ShapesOf<CodexHooksOptions> = {
  failure: optional(callback),
  agent: name,
  sessionOptions: optional(callback),
  keep: optional(number),
  keeper: optional(object),
};
