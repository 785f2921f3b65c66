import { errorText } from "../../../base/kernel/error-text.ts";
import { asObject, asString } from "../../../base/kernel/json.ts";
import type { Notice } from "../../../base/words/event.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import type { SessionMoments } from "../../../engine/session/session-moments.ts";
import { promptNews, type ToldPrompt, toldPrompt } from "../codex/told-prompt.ts";
import { errorMessage, parseExactly, type RpcId, resultMessage } from "../mcp/json-rpc.ts";
import { forget, type LiveSession } from "./live-session.ts";
import { INTERNAL_ERROR } from "./native.ts";
import { type Around, show } from "./permit.ts";
import {
  commandIn,
  hasAttachments,
  INTRODUCTION,
  isCompaction,
  ownPrompt,
  promptWith,
  refusalPrompt,
  typedText,
} from "./translate.ts";
import { tellCompacted } from "./updates.ts";
import type { Response } from "./wire.ts";

/** More prompts than this in one turn are not a conversation any more. */
const FOLLOW_UPS = 25;

type Prompted = {
  readonly live: LiveSession;
  readonly id: RpcId;
  readonly params: JsonObject;
  readonly raw: string | Buffer;
  readonly around: Around & { ownToolName(tool: string): string };
};

/** A turn: from the person's message to the answer that Conduct lets pass. Prompts of one session wait for each other. */
export function onPrompt(prompted: Prompted): Promise<void> {
  const { live, id, around } = prompted;
  live.turns = live.turns
    .then(() => playTurn(prompted))
    .catch((error: unknown) => {
      const text = `Conduct could not take this message: ${errorText(error)}. The message was not sent.`;
      around.wire.toClient(errorMessage(id, INTERNAL_ERROR, text));
    })
    .finally(() => {
      live.turn = "none";
    });
  return live.turns;
}

async function playTurn(prompted: Prompted): Promise<void> {
  const { live, id, params, raw, around } = prompted;
  const { wire } = around;
  const text = typedText(params);
  if (isCompaction(commandIn(text))) {
    const answer = await wire.askAgent(id, raw);
    tellCompacted(live);
    return wire.toClient(answer.raw);
  }
  const session = await live.moments();
  live.turn = "open";
  let heard = await session.onMessage({ text });
  show(live, around, ...heard.notes, session.takeDebug(), heard.reply);
  if (heard.reply !== undefined) {
    if (!hasAttachments(params)) return wire.toClient(resultMessage(id, { stopReason: "end_turn" }));
    // What was attached is for the model all the same.
    heard = { ...(await session.onMessage({ text: "" })), text: "" };
  }
  const prompt = await session.onPrompt({ toolName: around.ownToolName });
  // A command is one only at the very start: what the agent is to be told comes with the next message.
  const isCommand = live.commands.has(commandIn(heard.text) ?? "");
  const news = isCommand || prompt.text === "" ? undefined : promptNews(live.told, prompt);
  const before = isCommand ? [] : [...introduced(news, live.told), ...owed(live)];
  const cut = text.length - heard.text.length;
  const told = news === undefined ? live.told : toldPrompt(prompt);
  const first = before.length === 0 && cut === 0 ? raw : withParams(raw, promptWith(exactParams(raw), before, cut));
  const answer = await goOn(prompted, session, first, told);
  wire.toClient(answer);
}

/** What has come up since the last prompt. */
function owed({ denials, advice }: LiveSession): readonly string[] {
  const refused = denials.splice(0);
  return [...(refused.length === 0 ? [] : [refusalPrompt(refused)]), ...advice.splice(0)];
}

function introduced(news: string | undefined, told: ToldPrompt | undefined): readonly string[] {
  if (news === undefined) return [];
  return [told === undefined ? `${INTRODUCTION}\n\n${news}` : news];
}

/** Prompts until the turn may end; gives the answer for the client. */
async function goOn(
  { live, id, params, raw, around }: Prompted,
  session: SessionMoments,
  first: string | Buffer,
  told: ToldPrompt | undefined,
): Promise<string | Buffer> {
  let message = first;
  for (let sent = 0; ; sent += 1) {
    beginPrompt(live);
    const answer = await around.wire.askAgent(id, message);
    await endPrompt(live, session);
    const stopReason = asString(asObject(answer.body.result).stopReason);
    tellUsage(session, answer);
    // What of it the model still has then is not known.
    live.told = told;
    if (answer.body.error !== undefined || stopReason === "cancelled" || stopReason === "refusal") forget(live);
    if (live.turn === "ended") return endedAnswer(answer);
    if (answer.body.error !== undefined || isCancelled(live) || stopReason === "cancelled") return answer.raw;
    const more = await followUp(live, session, stopReason, sent, around);
    // The person may have cancelled while that was decided.
    if (isCancelled(live)) return resultMessage(id, { stopReason: "cancelled" });
    if (more === undefined) return answer.raw;
    message = withParams(raw, ownPrompt(params, [...live.advice.splice(0), more]));
  }
}

/** What the agent has to be told before the turn may end: why it was refused something, or that it is not done. */
async function followUp(
  live: LiveSession,
  session: SessionMoments,
  reason: string,
  sent: number,
  around: Around,
): Promise<string | undefined> {
  const denials = live.denials.splice(0);
  if (denials.length > 0 && sent < FOLLOW_UPS) return refusalPrompt(denials);
  const decision = await session.onStop({ reason: reason || "end_turn", output: live.text });
  show(live, around, session.takeDebug());
  if (!decision.done) return decision.feedback;
  session.notice({ kind: "reply", text: live.text });
  const why = decision.feedback ?? decision.why;
  // In shadow nobody is told why.
  if (decision.status !== "complete" && why !== undefined) {
    show(live, around, `Conduct: the turn ended ${decision.status}. ${why}`);
  }
  return undefined;
}

function isCancelled(live: LiveSession): boolean {
  return live.turn === "cancelled";
}

function beginPrompt(live: LiveSession): void {
  live.text = "";
  for (const list of [live.seen, live.done, live.handled]) list.clear();
}

/** Calls that nobody has told the end of are over too. */
async function endPrompt(live: LiveSession, session: SessionMoments): Promise<void> {
  await live.settling;
  for (const call of [...live.granted.values()].flat()) {
    await session.onResult(call, { outcome: "unknown", parts: [] }, { replaceable: false });
  }
  live.granted.clear();
}

/** The client has not cancelled anything: for it the turn is simply over. */
function endedAnswer({ raw }: Response): string {
  const exact = asObject(parseExactly(raw.toString()));
  const { error: _, ...rest } = exact;
  return JSON.stringify({ ...rest, result: { ...asObject(exact.result), stopReason: "end_turn" } });
}

function tellUsage(session: SessionMoments, { body }: Response): void {
  const { inputTokens, outputTokens } = asObject(asObject(body.result).usage);
  if (typeof inputTokens !== "number" && typeof outputTokens !== "number") return;
  const notice: Notice = {
    kind: "usage",
    ...(typeof inputTokens === "number" ? { inputTokens } : {}),
    ...(typeof outputTokens === "number" ? { outputTokens } : {}),
  };
  session.notice(notice);
}

function exactParams(raw: string | Buffer): JsonObject {
  return asObject(asObject(parseExactly(raw.toString())).params);
}

function withParams(raw: string | Buffer, params: JsonObject): string {
  return JSON.stringify({ ...asObject(parseExactly(raw.toString())), params });
}
