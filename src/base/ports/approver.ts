import type { PersonAnswer } from "../words/decision.ts";
import type { JsonObject } from "../words/json.ts";

/** A question as shown to a person. `input` is the input that the call would run with. */
export type ApprovalQuestion = {
  readonly approval: string;
  readonly session: string;
  readonly rule: string;
  readonly tool: string;
  readonly question: string;
  readonly input: JsonObject;
  readonly expiresAt: number;
  /** "always" is a possible answer. */
  readonly remember?: true;
};

/** `by` names the person; it is recorded. */
export type ApprovalAnswer = { readonly answer: PersonAnswer; readonly by: string };

/** Puts a question to a person. */
export interface Approver {
  /**
   * Returns `undefined` if nobody is available or the signal aborts first. The question stays open and the call does
   * not run.
   */
  ask(question: ApprovalQuestion, signal: AbortSignal): Promise<ApprovalAnswer | undefined>;
}
