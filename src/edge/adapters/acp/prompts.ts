import { errorText } from "../../../base/kernel/error-text.ts";
import { asList, asObject, asString, parseExactly } from "../../../base/kernel/json.ts";
import type { SessionMoments } from "../../../engine/session/session-moments.ts";
import { numberOf, textBlock } from "../shared/content.ts";
import { changeParams, errorMessage, type Response, resultMessage } from "../shared/mcp/json-rpc.ts";
import { promptNews, type SentPrompt, sentPrompt } from "../shared/sent-prompt.ts";
import type { LiveSession } from "./live-session.ts";
import { type Around, type Asked, show } from "./permissions.ts";
import {
  commandIn,
  INTERNAL_ERROR,
  INTRODUCTION,
  isCompaction,
  promptWith,
  refusalPrompt,
  typedText,
} from "./translate.ts";
import { tellCompacted } from "./updates.ts";

const FOLLOW_UPS = 25;

/** Runs a turn, from the person's message to an accepted answer. Prompts of one session run in sequence. */
export function onPrompt(prompted: Asked): Promise<void> {
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

async function playTurn(prompted: Asked): Promise<void> {
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
    const attached = asList(params.prompt).some((block) => asObject(block).type !== "text");
    if (!attached) return wire.toClient(resultMessage(id, { stopReason: "end_turn" }));
    // The attachments are for the model anyway.
    heard = { ...(await session.onMessage({ text: "" })), text: "" };
  }
  const prompt = await session.onPrompt({ toolName: around.ownToolName });
  // A command must come first, so the prompt is sent with the next message.
  const isCommand = live.commands.has(commandIn(heard.text) ?? "");
  const news = isCommand || prompt.text === "" ? undefined : promptNews(live.sent, prompt);
  const before = isCommand ? [] : [...introduced(news, live.sent), ...owed(live)];
  const cut = text.length - heard.text.length;
  const sent = news === undefined ? live.sent : sentPrompt(prompt);
  const first = before.length === 0 && cut === 0 ? raw : changeParams(raw, (exact) => promptWith(exact, before, cut));
  const answer = await goOn(prompted, session, first, sent);
  wire.toClient(answer);
}

/** Refusals and advice since the last prompt. */
function owed({ denials, advice }: LiveSession): readonly string[] {
  const refused = denials.splice(0);
  return [...(refused.length === 0 ? [] : [refusalPrompt(refused)]), ...advice.splice(0)];
}

function introduced(news: string | undefined, sent: SentPrompt | undefined): readonly string[] {
  if (news === undefined) return [];
  return [sent === undefined ? `${INTRODUCTION}\n\n${news}` : news];
}

/** Prompts until the turn may end; returns the answer for the client. */
async function goOn(
  { live, id, params, raw, around }: Asked,
  session: SessionMoments,
  first: string | Buffer,
  prompt: SentPrompt | undefined,
): Promise<string | Buffer> {
  let message = first;
  for (let sent = 0; ; sent += 1) {
    live.text = "";
    for (const list of [live.seen, live.done, live.handled]) list.clear();
    const answer = await around.wire.askAgent(id, message);
    await endPrompt(live, session);
    const stopReason = asString(asObject(answer.body.result).stopReason);
    tellUsage(session, answer);
    // After a failed prompt it is unknown whether the model received it.
    live.sent = prompt;
    if (answer.body.error !== undefined || stopReason === "cancelled" || stopReason === "refusal")
      live.sent = undefined;
    if (live.turn === "ended") return endedAnswer(answer);
    if (answer.body.error !== undefined || isCancelled(live) || stopReason === "cancelled") return answer.raw;
    const more = await followUp(live, session, stopReason, sent, around);
    // The person may have cancelled while that was decided.
    if (isCancelled(live)) return resultMessage(id, { stopReason: "cancelled" });
    if (more === undefined) return answer.raw;
    const blocks = [...live.advice.splice(0), more].map(textBlock);
    message = changeParams(raw, () => ({ sessionId: params.sessionId ?? "", prompt: blocks }));
  }
}

/** The next prompt of the turn: refusals, or why the agent may not stop. */
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
  // In shadow mode there is no reason to show.
  if (decision.status !== "complete" && why !== undefined) {
    show(live, around, `Conduct: the turn ended ${decision.status}. ${why}`);
  }
  return undefined;
}

function isCancelled(live: LiveSession): boolean {
  return live.turn === "cancelled";
}

/** Also closes calls whose end was not reported. */
async function endPrompt(live: LiveSession, session: SessionMoments): Promise<void> {
  await live.settling;
  for (const call of [...live.granted.values()].flat()) {
    await session.onResult(call, { outcome: "unknown", parts: [] }, { replaceable: false });
  }
  live.granted.clear();
}

/** The client has not cancelled anything: for the client, the turn has simply ended. */
function endedAnswer({ raw }: Response): string {
  const { error: _, ...answer } = asObject(parseExactly(raw.toString()));
  return JSON.stringify({ ...answer, result: { ...asObject(answer.result), stopReason: "end_turn" } });
}

function tellUsage(session: SessionMoments, { body }: Response): void {
  const usage = asObject(asObject(body.result).usage);
  const inputTokens = numberOf(usage.inputTokens);
  const outputTokens = numberOf(usage.outputTokens);
  if (inputTokens !== undefined || outputTokens !== undefined) {
    session.notice({ kind: "usage", inputTokens, outputTokens });
  }
}
