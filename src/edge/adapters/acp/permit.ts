import { errorText } from "../../../base/kernel/error-text.ts";
import type { CallInput } from "../../../base/words/call.ts";
import type { Decision } from "../../../base/words/decision.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import { renderDenial, renderQuestion } from "../../../behavior/policy/render-denial.ts";
import type { SessionMoments } from "../../../engine/session/session-moments.ts";
import { humanNo } from "../mcp/translate.ts";
import type { LiveSession } from "./live-session.ts";
import { answerIn, type Question, questionParams, shownUpdate } from "./translate.ts";
import type { Wire } from "./wire.ts";

/** What everything that stands between the two sides works with. */
export type Around = {
  readonly wire: Wire;
  readonly newId: () => string;
  /** How long a call waits for Conduct's approver, before the person at the client is asked. */
  readonly waitMs: number;
  readonly log: (line: string) => void;
};

/** `asked`: the person at the client has said yes to this very call. */
export type Permitted =
  | {
      readonly kind: "run";
      readonly input?: JsonObject;
      readonly advice: readonly string[];
      readonly asked: boolean;
      readonly watched: boolean;
    }
  | { readonly kind: "refused"; readonly text: string };

const TURN_ENDED = "Not run: Conduct has ended this turn. Tell the person what happened, and stop.";

/** May it do this? Never rejects: what cannot be decided is refused. */
export async function permit(live: LiveSession, call: CallInput, around: Around): Promise<Permitted> {
  if (live.turn === "ended") return { kind: "refused", text: TURN_ENDED };
  try {
    await live.settling;
    const session = await live.moments();
    const { decision, asked } = await decide(live, session, call, around);
    show(live, around, session.takeDebug());
    if (decision.kind === "allow") {
      const { advice, input, because } = decision;
      const watched = because === "shadow" || because === "paused";
      return {
        kind: "run",
        advice: advice.map(({ text }) => text),
        asked,
        watched,
        ...(input === undefined ? {} : { input }),
      };
    }
    if (decision.kind === "ask") {
      await session.onResult(call, { outcome: "cancelled", parts: [] });
      return { kind: "refused", text: renderQuestion(decision) };
    }
    if (decision.endTurn) endTurn(live, around);
    return { kind: "refused", text: renderDenial(decision) };
  } catch (error) {
    const text = `Denied by conduct: this call could not be decided: ${errorText(error)}.\nNext: tell the operator; nothing was run.`;
    return { kind: "refused", text };
  }
}

async function decide(
  live: LiveSession,
  session: SessionMoments,
  call: CallInput,
  around: Around,
): Promise<{ readonly decision: Decision; readonly asked: boolean }> {
  const decision = await session.decide(call, { waitMs: around.waitMs });
  if (decision.kind !== "ask") return { decision, asked: false };
  const params = questionParams(live.id, `conduct-${decision.approval}`, decision, {
    ...(decision.input ?? call.args),
  });
  const { body } = await around.wire.askPerson(params);
  const answer = answerIn(body);
  if (answer === "later") return { decision, asked: true };
  return { decision: await answered(session, decision, call, answer), asked: true };
}

/** Where the session can be told it goes into the record; behind the daemon's socket it cannot, and holds all the same. */
async function answered(
  session: SessionMoments,
  question: Question,
  call: CallInput,
  answer: "yes" | "no",
): Promise<Decision> {
  if ("resolve" in session && typeof session.resolve === "function") {
    session.resolve(question.approval, answer, "the person at the client");
    return session.decide(call, { waitMs: 0 });
  }
  if (answer === "yes") {
    const { id, input } = question;
    return { kind: "allow", id, advice: [], ...(input === undefined ? {} : { input }) };
  }
  await session.onResult(call, { outcome: "denied", parts: [] });
  return humanNo(question);
}

/** The agent will not let go of something it was denied. */
export function endTurn(live: LiveSession, { wire }: Around): void {
  if (live.turn === "ended") return;
  live.turn = "ended";
  wire.notifyAgent("session/cancel", { sessionId: live.id });
}

/** For the person; nothing of it goes to the agent. */
export function show(live: LiveSession, { wire }: Around, ...texts: readonly (string | undefined)[]): void {
  for (const text of texts) {
    if (text !== undefined && text !== "") wire.toClient(JSON.stringify(shownUpdate(live.id, text)));
  }
}
