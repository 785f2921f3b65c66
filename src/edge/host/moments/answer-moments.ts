import { isAbsolute } from "node:path";
import type { z } from "zod";
import { hashJson, sha256 } from "../../../base/kernel/canonical-json.ts";
import type { CallInput } from "../../../base/words/call.ts";
import type { Decision } from "../../../base/words/decision.ts";
import type { Sender } from "../../../base/words/hosting/channel.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import type { Part } from "../../../base/words/result.ts";
import { renderDenial, renderQuestion } from "../../../behavior/policy/render-denial.ts";
import { shownText } from "../../../behavior/results/result-text.ts";
import { PersistentSession } from "../../../engine/session/persistent-session.ts";
import { Session } from "../../../engine/session/session.ts";
import type { SessionMoments, SessionOrigin } from "../../../engine/session/session-moments.ts";
import { joinTexts } from "../../adapters/shared/content.ts";
import { frameworkToolMap } from "../../adapters/shared/framework/tool-map.ts";
import { rewriteMapped, toolNames } from "../../adapters/shared/pi/tool-map.ts";
import { refuseRewrite, tellFault } from "../../adapters/shared/refusals.ts";
import { answerOnce, type NamedRequest, storedReply } from "./kept-replies.ts";
import {
  type CallAnswer,
  callBody,
  type messageAnswer,
  messageBody,
  type OpenBody,
  type openAnswer,
  type promptAnswer,
  promptBody,
  type resultAnswer,
  resultBody,
  type stopAnswer,
  stopBody,
  type toolAnswer,
  toolBody,
} from "./moment-bodies.ts";
import { MomentError } from "./moment-error.ts";

/** The runtime of sessions that are opened over HTTP. Only these can be used over HTTP. */
export const API_RUNTIME = "api";

/** Stands for any call while nothing is enforced. */
const NOT_CHECKED = { tool: "", isAsked: false };
/** Deeper input than any valid one. */
const MOST_DEPTH = 100;

/**
 * The origin of a session to open. The id is new, or derived from the owner and the client's own name for the session,
 * so that nobody else can open it.
 */
export function originOf(
  body: OpenBody,
  owner: { readonly user?: string; readonly newId: () => string },
): SessionOrigin {
  const { id, cwd = "/", agent, model, window, channel = API_RUNTIME, parent } = body;
  if (!isAbsolute(cwd)) throw new MomentError(400, "BAD_INPUT", "cwd: must be an absolute path");
  const { user } = owner;
  const own = id === undefined ? owner.newId() : `s_${sha256(`${user ?? ""}\n${id}`).slice(0, 24)}`;
  return { runtime: API_RUNTIME, id: own, cwd, agent, model, window, channel, parent, user, interactive: false };
}

/** The answer to opening a session. */
export function describeSession(session: SessionMoments): z.output<typeof openAnswer> {
  return {
    session: session.id,
    agent: session instanceof PersistentSession ? session.local.agent : "",
    observing: session.observing,
    tools: session
      .tools()
      .map(({ name, description, inputSchema, access }) => ({ name, description, inputSchema, access })),
  };
}

/** The moment `message`. Without a `sender` the session's own one counts, who is never an operator. */
function answerMessage(
  session: SessionMoments,
  body: z.output<typeof messageBody>,
  sender?: Sender,
): Promise<z.output<typeof messageAnswer>> {
  return answerOnce(session, named("message", body, sender), async (on) => {
    const { text, reply, notes, modes } = await on.onMessage({ ...body, sender });
    const { think, thinkLevel, verbose, elevated } = modes;
    return { text, reply, notes, modes: { think, thinkLevel, verbose, elevated }, debug: on.takeDebug() };
  });
}

/** The moment `prompt`. */
function answerPrompt(
  session: SessionMoments,
  body: z.output<typeof promptBody>,
): Promise<z.output<typeof promptAnswer>> {
  const { tools = [] } = body;
  return answerOnce(
    session,
    named("prompt", body),
    async (on) => {
      const { text, hash, tokens } = await on.onPrompt({ tools, toolName: toolNames(tools, frameworkToolMap) });
      return { text, hash, tokens, debug: on.takeDebug() };
    },
    { isRepeatable: true },
  );
}

/**
 * The moment `call`. A question is answered with `ask` once `waitMs` is over; the same call may then be sent again. While
 * nothing is enforced, a reused id is recorded and blocks nothing.
 */
async function answerCall(
  session: SessionMoments,
  body: z.output<typeof callBody>,
  signal?: AbortSignal,
): Promise<CallAnswer> {
  const { id, tool, waitMs = 0, ...rest } = body;
  const { input } = body;
  const request = { key: `call/${id}`, asked: hashJson([tool, input, rest.step, rest.cwd]) };
  const mapped = frameworkToolMap(tool, input);
  const native = { runtime: API_RUNTIME, name: tool, input };
  const call: CallInput = { ...mapped, id, step: rest.step, cwd: rest.cwd, native };
  try {
    const { advice: _, ...answer } = await answerOnce(
      session,
      request,
      async (on) => {
        const onAsking = () => void session.flush().catch(() => undefined);
        const decision = commandOf(session, await on.decide(call, { waitMs, signal, onAsking }));
        return { ...(await decided(on, call, input, decision)), debug: on.takeDebug() };
      },
      { isFinal: ({ kind }) => kind !== "ask" },
    );
    return answer;
  } catch (error) {
    if (!(error instanceof MomentError)) throw error;
    tellFault(session, "call", "id-reused", error.message);
    const { observing } = session;
    if (observing === undefined) throw error;
    return { kind: "allow", decision: `d_${observing}`, because: observing };
  }
}

async function decided(
  session: SessionMoments,
  call: CallInput,
  input: JsonObject,
  decision: Decision,
): Promise<CallAnswer & { readonly advice?: readonly string[] }> {
  const { id: made } = decision;
  if (decision.kind === "deny") {
    const { rule, code, endTurn } = decision;
    return { kind: "deny", decision: made, rule, code, text: renderDenial(decision), endTurn };
  }
  if (decision.kind === "ask") {
    const { rule, approval, question, expiresAt, answer } = decision;
    return { kind: "ask", decision: made, rule, approval, question, expiresAt, answer, text: renderQuestion(decision) };
  }
  const advice = decision.advice.map(({ text }) => text);
  const allowed = { kind: "allow", decision: made, because: decision.because, advice } as const;
  if (decision.input === undefined) return allowed;
  const name = call.native?.name ?? call.tool;
  const rewritten = rewriteMapped({ name, input, args: call.args }, decision.input, frameworkToolMap);
  if ("input" in rewritten) return { ...allowed, input: rewritten.input };
  const way = { runtime: API_RUNTIME, where: "call", cannot: rewritten.cannot };
  const text = await refuseRewrite(session, call, way);
  return { kind: "deny", decision: made, rule: "conduct", code: "bad-call", text, endTurn: false };
}

/** The moment `result`. A call that is not open has no result, and one that was never allowed can only be cancelled. */
function answerResult(
  session: SessionMoments,
  body: z.output<typeof resultBody>,
): Promise<z.output<typeof resultAnswer>> {
  const { id, outcome, exitCode, requirements } = body;
  const parts = body.parts as readonly Part[];
  return answerOnce(session, { key: `result/${id}`, asked: hashJson(body) }, async (on) => {
    const open = (on instanceof Session ? on.openCall(id) : undefined) ?? (on.observing && NOT_CHECKED);
    if (open === undefined) throw noCall(on, id);
    if (open.isAsked && on.observing === undefined && outcome !== "cancelled") throw neverAllowed(on, id);
    const { tool } = open;
    const delivered = await on.onResult({ id, tool }, { outcome, exitCode, parts, requirements });
    const advice = storedReply(session, `call/${id}`)?.advice;
    const told = Array.isArray(advice) ? advice.map(String) : [];
    const { feedback } = delivered;
    const debug = on.takeDebug();
    const changed = delivered.changed || feedback !== undefined || told.length > 0;
    if (!changed) return { changed, debug };
    const shown = delivered.result.parts.filter((one) => one.kind !== "bytes");
    return { changed, text: joinTexts([...told, shownText(shown), feedback]), parts: shown, debug };
  });
}

/** The moment `stop`. */
async function answerStop(
  session: SessionMoments,
  body: z.output<typeof stopBody>,
): Promise<z.output<typeof stopAnswer>> {
  const answer = await answerOnce(session, named("stop", body), async (on) => {
    const { output, reason, inputTokens = 0, outputTokens = 0, cost = 0 } = body;
    if (inputTokens + outputTokens + cost > 0) on.notice({ kind: "usage", inputTokens, outputTokens, cost });
    const decision = await on.onStop({ output, reason });
    if (decision.done && typeof output === "string") on.notice({ kind: "reply", text: output });
    return { ...decision, debug: on.takeDebug() };
  });
  // The moment ran in memory, which flushes nothing.
  if (session instanceof PersistentSession) await session.flushEvents();
  return answer;
}

/** Runs one of Conduct's own tools, whose call was allowed before. */
function answerTool(session: SessionMoments, body: z.output<typeof toolBody>): Promise<z.output<typeof toolAnswer>> {
  const { input } = body;
  return answerOnce(session, named("tool", body), async (on) => {
    const tool = on.tools().find(({ name }) => name === body.tool);
    const open = on instanceof Session && on.observing === undefined ? on.openCall(body.id) : NOT_CHECKED;
    if (open === undefined) throw noCall(on, body.id);
    if (open.isAsked || (open !== NOT_CHECKED && open.tool !== body.tool)) throw neverAllowed(on, body.id);
    if (tool === undefined)
      throw new MomentError(404, "NOT_FOUND", `This agent has no tool '${body.tool}' of Conduct.`);
    const { outcome, parts } = await tool.run(input);
    return { outcome, parts: parts.filter((one) => one.kind !== "bytes") };
  });
}

/** What a request may do besides its moment. */
export type MomentContext = { readonly sender?: Sender; readonly signal?: AbortSignal };

/** Answers a request by the name of its moment. Rejects with a `ZodError` for a body that is not valid. */
export async function answerMoment(
  session: SessionMoments,
  moment: string,
  body: unknown,
  { sender, signal }: MomentContext = {},
): Promise<object> {
  checkPlain(body);
  switch (moment) {
    case "message":
      return answerMessage(session, messageBody.parse(body), sender);
    case "prompt":
      return answerPrompt(session, promptBody.parse(body ?? {}));
    case "call":
      return answerCall(session, callBody.parse(body), signal);
    case "result":
      return answerResult(session, resultBody.parse(body));
    case "stop":
      return answerStop(session, stopBody.parse(body ?? {}));
    case "tool":
      return answerTool(session, toolBody.parse(body));
    case "close":
      return closeSession(session);
    default:
      throw new MomentError(404, "NOT_FOUND", `There is no moment '${moment}'.`);
  }
}

/** Ends the session. Open calls are cancelled. */
async function closeSession(session: SessionMoments): Promise<{ readonly closed: true }> {
  session.notice({ kind: "ended" });
  await session.flush();
  return { closed: true };
}

/** A request counts once if the client named it. */
function named(moment: string, body: { readonly id?: string }, sender?: Sender): NamedRequest | undefined {
  const { id, ...rest } = body;
  return id === undefined ? undefined : { key: `${moment}/${id}`, asked: hashJson([rest, sender?.role ?? null]) };
}

function commandOf(session: SessionMoments, decision: Decision): Decision {
  return session instanceof PersistentSession ? session.withCommand(decision) : decision;
}

function noCall(session: SessionMoments, id: string): MomentError {
  const message = `No call '${id}' is running in this session, so its result proves nothing.`;
  tellFault(session, "result", "result-without-call", message);
  return new MomentError(409, "NO_CALL", message, "Ask for the call first, and report its result once.");
}

function neverAllowed(session: SessionMoments, id: string): MomentError {
  const message = `The call '${id}' waits for a person and was not allowed, so it has no result.`;
  tellFault(session, "result", "result-without-call", message);
  return new MomentError(409, "NOT_ALLOWED", message, "Send the call again, or report it as cancelled.");
}

/**
 * For bodies from the wire: rejects `__proto__` keys, which validation would drop, and input that is nested too deep.
 * Iterative, because deep input would overflow the stack.
 */
export function checkPlain(value: unknown): void {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MOST_DEPTH)
      throw new MomentError(400, "BAD_JSON", `The body is nested more than ${MOST_DEPTH} levels deep.`);
    const next: unknown[] = [];
    for (const one of level) {
      if (typeof one !== "object" || one === null) continue;
      if (Object.hasOwn(one, "__proto__")) throw new MomentError(400, "BAD_JSON", "The body has a key '__proto__'.");
      for (const below of Object.values(one)) if (typeof below === "object" && below !== null) next.push(below);
    }
    level = next;
  }
}
