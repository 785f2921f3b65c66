import { errorText } from "../../../base/kernel/error-text.ts";
import type { CallInput } from "../../../base/words/call.ts";
import type { Denial, Question } from "../../../base/words/decision.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import type { ToolResult } from "../../../base/words/result.ts";
import { newDenial, renderDenial, renderQuestion } from "../../../behavior/policy/render-denial.ts";
import type { Delivered } from "../../../engine/moments/result.ts";
import type { SessionMoments } from "../../../engine/session/session-moments.ts";
import { feedbackOf } from "../shared/content.ts";
import type { Answer } from "./elicitations.ts";

/** Texts for the model before and after a result. */
type Beside = { readonly before: readonly string[]; readonly after: readonly string[] };

/** A call that ran: its result and how to answer with it, or an immediate answer with the result to follow. */
export type Ran<T> =
  | { readonly result: ToolResult; readonly replaceable?: false; answer(delivered: Delivered, beside: Beside): T }
  | { readonly later: T };

type CallHandling<T> = {
  /** Runs the call with the arguments as rewritten by rules. A rejection leaves the outcome unknown. */
  run(input: JsonObject | undefined): Promise<Ran<T>>;
  refuse(text: string): T;
  /** Puts a question to a person, if the client can. */
  readonly ask?: (question: Question) => Promise<Answer>;
  /** Otherwise, how long a question waits for Conduct's own approver. */
  readonly waitMs: number;
  /** Aborted when the client no longer wants an answer. */
  readonly signal: AbortSignal;
};

const OVER =
  "Conduct has ended this turn because a denied call was tried too often. No more calls run.\nNext: stop calling tools, tell the person what happened, and wait for their answer.";

/** Takes one call through the moments `call` and `result`. Rejects only when the server is gone. */
export async function handleCall<T>(
  session: SessionMoments,
  turns: Turns,
  made: CallInput,
  handling: CallHandling<T>,
): Promise<T> {
  const step = await turns.enter();
  try {
    if (step === undefined) return handling.refuse(OVER);
    return await decideAndRun(session, turns, { ...made, step }, handling);
  } finally {
    turns.leave();
  }
}

async function decideAndRun<T>(
  session: SessionMoments,
  turns: Turns,
  call: CallInput,
  handling: CallHandling<T>,
): Promise<T> {
  const { refuse, ask, signal } = handling;
  const decision = await session.decide(call, { waitMs: ask === undefined ? handling.waitMs : 0 });
  if (decision.kind === "deny") {
    if (decision.endTurn) turns.end();
    return refuse(renderDenial(decision));
  }
  const settle = (outcome: "denied" | "cancelled") => session.onResult(call, { outcome, parts: [] });
  if (decision.kind === "ask") {
    const answer = (await ask?.(decision)) ?? "later";
    if (answer === "no") {
      await settle("denied");
      return refuse(renderDenial(humanNo(decision)));
    }
    if (answer === "later") {
      await settle("cancelled");
      return refuse(renderQuestion(decision));
    }
    if (answer === "always") await session.resolve(decision.approval, answer, "the person at the client");
  }
  if (signal.aborted) {
    await settle("cancelled");
    return refuse("The call was cancelled before it ran.");
  }
  const advice = decision.kind === "allow" ? decision.advice.map(({ text }) => text) : [];
  let ran: Ran<T>;
  try {
    ran = await handling.run(decision.input);
  } catch (error) {
    // The call was allowed, and its outcome is unknown.
    await session.onResult(call, { outcome: "unknown", parts: [{ kind: "text", text: errorText(error) }] });
    throw error;
  }
  if ("later" in ran) return ran.later;
  const delivered = await session.onResult(call, ran.result, { replaceable: ran.replaceable ?? true });
  return ran.answer(delivered, { before: advice, after: feedbackOf(delivered) });
}

/** A turn ends after this long without a call, and after `LONGEST_MS` in any case: MCP has no turns. */
const QUIET_MS = 60_000;
const LONGEST_MS = 600_000;

/**
 * Turns and steps, estimated by the clock. A burst of calls is a turn, so that denials and the budget of results restart.
 * Calls before the first result of their step belong to one step: none can depend on another's result.
 */
export class Turns {
  readonly #session: SessionMoments;
  readonly #now: () => number;
  readonly #name: string;
  #began: number;
  #last: number;
  #underWay = 0;
  #steps = 0;
  #open = false;
  #over = false;
  #ready: Promise<void> = Promise.resolve();

  constructor(session: SessionMoments, { now, name }: { readonly now: () => number; readonly name: string }) {
    this.#session = session;
    this.#now = now;
    this.#name = name;
    this.#began = now();
    this.#last = this.#began;
  }

  /** Registers a call, and returns its step, if the turn was not ended. Call `leave` when its result was sent. */
  async enter(): Promise<string | undefined> {
    const now = this.#now();
    const isNew = this.#underWay === 0 && (now - this.#last > QUIET_MS || now - this.#began > LONGEST_MS);
    this.#underWay += 1;
    this.#last = now;
    if (isNew) this.begin();
    if (!this.#open) this.#steps += 1;
    this.#open = true;
    const step = `${this.#name}-${this.#steps}`;
    await this.#ready;
    return this.#over ? undefined : step;
  }

  leave(): void {
    this.#underWay -= 1;
    this.#open = false;
    this.#last = this.#now();
  }

  /** The agent keeps trying a denied call: no more calls run in this turn. */
  end(): void {
    this.#over = true;
  }

  /** Begins a turn with an empty message: text of the model is never a person's message. */
  begin(): Promise<void> {
    this.#began = this.#now();
    this.#over = false;
    // If Conduct is unreachable, the next call is denied with the reason.
    this.#ready = this.#ready.then(async () => {
      await this.#session.onMessage({ text: "" }).catch(() => undefined);
    });
    return this.#ready;
  }
}

/** The denial of a call that a person was asked about and refused. */
function humanNo({ id, rule, question }: Question): Denial {
  const next = "Do it another way, or ask the person what they want instead.";
  return newDenial({ id, rule, code: "human-no", reason: `A person was asked and said no: ${question}`, next });
}
