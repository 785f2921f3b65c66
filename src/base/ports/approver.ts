import type { JsonObject } from "../words/json.ts";

/** A question to a person, as the person has to see it. `input` is what the call would be made with. */
export type ApprovalQuestion = {
  readonly approval: string;
  readonly session: string;
  readonly rule: string;
  readonly tool: string;
  readonly question: string;
  readonly input: JsonObject;
  readonly expiresAt: number;
};

/** `by` names the person; it is recorded. */
export type ApprovalAnswer = { readonly answer: "yes" | "no"; readonly by: string };

export interface Approver {
  /** `undefined` when nobody is there, or the signal ends the question first: it stays open, and the call does not run. */
  ask(question: ApprovalQuestion, signal: AbortSignal): Promise<ApprovalAnswer | undefined>;
}
