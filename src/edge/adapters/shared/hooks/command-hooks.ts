import { createHash, randomUUID } from "node:crypto";
import { canonicalJson } from "../../../../base/kernel/canonical-json.ts";
import { assertNever, errorText } from "../../../../base/kernel/error-text.ts";
import { isObject, withDigitsOf } from "../../../../base/kernel/json.ts";
import type { JsonObject } from "../../../../base/words/json.ts";
import { shownText } from "../../../../behavior/results/result-text.ts";
import type { SessionHost } from "../../../../engine/session/session-moments.ts";
import { CONDUCT_TOOLS } from "../../../../engine/tools/conduct-tool.ts";
import { joinTexts } from "../content.ts";
import { type OwnToolResult, runOwnTool } from "../own-tools.ts";
import { decideCall, tellFault } from "../refusals.ts";
import { confirmPrompt, givePrompt, MODES_HANDLED } from "../sent-prompt.ts";
import type { HookDialect, HookEvent, HookEventOf, HookReply, ToolUse } from "./hook-event.ts";
import { closeStep, HookSessions, type LiveSession, type OpenCall, settleCalls } from "./hook-sessions.ts";

/** Answers the command hooks of one runtime. */
export type CommandHooks = {
  /** Answers one hook. Never rejects: a failure becomes a blocking answer where something could run unchecked. */
  handle(given: unknown): Promise<JsonObject>;
  /** The sessions that have this call of a Conduct tool open: it was allowed, and has no result yet. */
  waiting(tool: string, args: JsonObject): Promise<readonly string[]>;
  /** Runs one of Conduct's own tools for a session that waits for it. */
  callTool(session: string, tool: string, args: JsonObject): Promise<OwnToolResult>;
};

type Failure = HookDialect["failure"];

/** Conduct behind a runtime's command hooks: one session for each of its sessions and subagents. */
export function commandHooks(
  host: SessionHost,
  dialect: HookDialect,
  failure: Failure = dialect.failure,
): CommandHooks {
  const sessions = new HookSessions(dialect.runtime, host);

  async function answer(event: HookEvent): Promise<JsonObject> {
    if (event.kind === "other" || (event.kind === "ended" && !(await sessions.knows(event.session)))) return {};
    const live = await sessions.of(event);
    try {
      const reply = withinLimit(await act(event, live), live, dialect.contextLimit);
      // Saved before the answer is sent: a lost decision would be made twice.
      await sessions.save(live);
      const debug = event.kind === "ended" ? undefined : live.session.takeDebug();
      const shown = joinTexts([reply.shown, debug]);
      return dialect.answer(event, { ...reply, shown: shown === "" ? undefined : shown });
    } catch (error) {
      tellFault(live.session, `${dialect.runtime} ${event.kind}`, "adapter", errorText(error));
      throw error;
    }
  }

  function act(event: Exclude<HookEvent, HookEventOf<"other">>, live: LiveSession): Promise<HookReply> | HookReply {
    switch (event.kind) {
      case "started":
        return onStarted(live, dialect);
      case "message":
        return onMessage(event, live, dialect);
      case "request":
        return onRequest(event, live, dialect);
      case "call":
        return onCall(event, live, dialect);
      case "result":
        return onResult(event, live, dialect);
      case "stop":
        return onStop(event, live, dialect);
      case "compacted":
        return onCompacted(live);
      case "ended":
        return onEnded(live);
      default:
        return assertNever(event);
    }
  }

  return {
    async handle(given) {
      try {
        const event = isObject(given) ? dialect.read(given) : { fault: "the hook's input is not a JSON object" };
        return "fault" in event ? failure(given, event.fault) : await answer(event);
      } catch (error) {
        return failure(given, errorText(error));
      }
    },
    async waiting(tool, args) {
      const own = keyOf({ name: tool, input: args });
      return (await sessions.all()).filter(({ calls }) => calls.some((call) => call.own === own)).map(idOf);
    },
    async callTool(session, tool, args) {
      const live = (await sessions.all()).find((one) => idOf(one) === session);
      if (live === undefined) return { text: "Conduct has not allowed this call.", isError: true };
      const result = await runOwnTool(live.session, tool, args);
      await sessions.save(live);
      return result;
    },
  };
}

const OWN: ReadonlySet<string> = new Set(CONDUCT_TOOLS.map(({ name }) => name));

const PASS: HookReply = { kind: "pass" };

function idOf({ session }: LiveSession): string {
  return session.id;
}

async function onMessage(event: HookEventOf<"message">, live: LiveSession, dialect: HookDialect): Promise<HookReply> {
  const { refusal } = live;
  live.refusal = undefined;
  // The runtime submits the reason of a refused stop as a message; no person wrote it.
  if (refusal !== undefined && event.text.trim() === refusal.trim()) return PASS;
  await settleCalls(live);
  closeStep(live);
  live.endedTurn = false;
  // A program may continue a person's session, and a model writes a subagent's task: neither may elevate or direct.
  const isForeign = event.session !== event.root || (live.interactive && event.interactive !== true);
  const sender = isForeign ? ({ role: "viewer" } as const) : undefined;
  const { text, reply, notes } = await live.session.onMessage({ text: event.text, sender });
  if (reply !== undefined) return { kind: "refuse", why: [...notes, reply].join("\n\n") };
  const changed = text === event.text ? undefined : text;
  const note = changed === undefined || dialect.rewritesMessages ? undefined : MODES_HANDLED;
  if (dialect.prompts === "result") {
    // The answer to a message carries no context.
    live.owed = [...live.owed, ...(note === undefined ? [] : [note])];
    return { kind: "pass", text: changed, shown: notes.join("\n") };
  }
  const prompt = dialect.prompts === "message" ? await promptNews(live, dialect) : undefined;
  const context = joinTexts([note, prompt, ...takeOwed(live)]);
  return { kind: "pass", text: changed, context, shown: notes.join("\n") };
}

async function onStarted(live: LiveSession, dialect: HookDialect): Promise<HookReply> {
  return { kind: "pass", context: dialect.prompts === "result" ? await promptNews(live, dialect) : undefined };
}

/** Cuts a context that is too long at the end of a line; the rest is owed. */
function withinLimit(reply: HookReply, live: LiveSession, limit = Number.POSITIVE_INFINITY): HookReply {
  const { context = "" } = reply;
  if (context.length <= limit) return reply;
  const line = context.lastIndexOf("\n", limit);
  const end = line > 0 ? line : limit;
  live.owed = [context.slice(end).replace(/^\n+/, ""), ...live.owed];
  return { ...reply, context: context.slice(0, end) };
}

async function promptNews(live: LiveSession, { toolName }: HookDialect): Promise<string | undefined> {
  return givePrompt(live, await live.session.onPrompt({ toolName }));
}

async function onRequest(event: HookEventOf<"request">, live: LiveSession, dialect: HookDialect): Promise<HookReply> {
  // A subagent's requests look like the agent's own, and are made while its task is open.
  const isMain = !live.calls.some(({ tool }) => tool === "task");
  if (isMain) {
    await settleCalls(live);
    closeStep(live);
    const opening = hashOf(event.opening);
    if (live.opening !== undefined && live.opening !== opening) live.session.notice({ kind: "compacted" });
    live.opening = opening;
  }
  const { text } = await live.session.onPrompt({ toolName: dialect.toolName });
  return { kind: "pass", prompt: text === "" ? undefined : text };
}

async function onCall(event: HookEventOf<"call">, live: LiveSession, dialect: HookDialect): Promise<HookReply> {
  const { use, at = Number.POSITIVE_INFINITY } = event;
  confirmPrompt(live);
  if (live.endedTurn) return { kind: "refuse", why: ENDED };
  if (dialect.prompts !== "request" && live.resultAt !== undefined && at > live.resultAt) closeStep(live);
  const native = { runtime: dialect.runtime, server: use.mcp?.server, name: use.name, input: use.input };
  const id = use.id ?? randomUUID();
  const call = { id, native, step: `step-${live.step}`, ...dialect.map(use, event.cwd) };
  const way = {
    runtime: dialect.title,
    where: `${dialect.runtime} call`,
    native: use.input,
    carriers: dialect.carriers(use),
  };
  const decided = await decideCall(live.session, call, { waitMs: dialect.waitMs }, way);
  if (decided.kind === "refused") {
    const endTurn = decided.decision?.kind === "deny" && decided.decision.endTurn;
    live.endedTurn ||= endTurn;
    return { kind: "refuse", why: decided.why, endTurn };
  }
  const input = decided.input && withDigitsOf(use.input, decided.input);
  const key = keyOf(identified({ ...use, input: input ?? use.input }, dialect));
  const own = OWN.has(call.tool) ? keyOf({ name: call.tool, input: decided.decision.input ?? call.args }) : undefined;
  live.calls = [...live.calls, { id, tool: call.tool, key, own }];
  live.owed = [...live.owed, ...decided.decision.advice.map(({ text }) => text)];
  return { kind: "pass", input };
}

const ENDED = "Conduct has ended this turn, so no more calls run. Tell the person what happened and stop.";

function identified(use: ToolUse, dialect: HookDialect): Pick<ToolUse, "name" | "input"> {
  return { name: use.name, input: dialect.identity?.(use) ?? use.input };
}

/** Results have no call id in some runtimes: the native name and input identify the call. */
function keyOf({ name, input }: Pick<ToolUse, "name" | "input">): string {
  return hashOf(`${name} ${canonicalJson(input)}`);
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}

async function onResult(event: HookEventOf<"result">, live: LiveSession, dialect: HookDialect): Promise<HookReply> {
  const { use, result, at, replaceable = true } = event;
  const key = keyOf(identified(use, dialect));
  const open = live.calls.find((call) => (use.id === undefined ? call.key === key : call.id === use.id));
  live.calls = live.calls.filter((call) => call !== open);
  live.resultAt ??= at ?? 0;
  const { id, tool }: Pick<OpenCall, "id" | "tool"> = open ?? {
    id: use.id ?? randomUUID(),
    tool: dialect.map(use, event.cwd).tool,
  };
  // Another hook may have changed the input after the decision; such a call proves nothing.
  const isDecided = open?.key === key;
  const ended = isDecided ? result : { outcome: "unknown" as const, parts: result.parts };
  const delivered = await live.session.onResult({ id, tool }, ended, { replaceable });
  const isLost = dialect.prompts === "message" && live.prompt.had === undefined && live.prompt.given === undefined;
  const prompt = isLost || dialect.prompts === "result" ? await promptNews(live, dialect) : undefined;
  const context = joinTexts([...takeOwed(live), delivered.feedback, prompt]);
  if (!delivered.changed || !replaceable) return { kind: "pass", context };
  const failed = delivered.result.outcome !== "ok";
  return { kind: "replace", text: shownText(delivered.result.parts) || "(no output)", failed, context };
}

function takeOwed(live: LiveSession): readonly string[] {
  const { owed } = live;
  live.owed = [];
  return owed;
}

async function onStop(event: HookEventOf<"stop">, live: LiveSession, { stopCap }: HookDialect): Promise<HookReply> {
  confirmPrompt(live);
  await settleCalls(live);
  closeStep(live);
  // The completion check is the parent's.
  if (live.endedTurn || event.session !== event.root) return PASS;
  const decision = await live.session.onStop({ reason: "end_turn", output: event.output, bound: stopCap });
  // In shadow mode the turn ends silently.
  if (live.session.observing !== undefined) return PASS;
  if (!decision.done) {
    live.refusal = decision.feedback;
    return { kind: "refuse", why: decision.feedback };
  }
  if (event.output !== undefined) live.session.notice({ kind: "reply", text: event.output });
  if (decision.status === "complete") return PASS;
  return { kind: "pass", shown: joinTexts([`Conduct: the turn ended ${decision.status}.`, decision.feedback]) };
}

function onCompacted(live: LiveSession): HookReply {
  live.prompt = {};
  live.session.notice({ kind: "compacted" });
  return PASS;
}

async function onEnded(live: LiveSession): Promise<HookReply> {
  await settleCalls(live);
  live.session.notice({ kind: "left" });
  return PASS;
}
