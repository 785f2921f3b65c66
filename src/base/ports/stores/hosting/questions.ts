import type { PersonAnswer } from "../../../words/decision.ts";
import type { PendingApproval } from "../../../words/hosting/question.ts";

export type GivenAnswer = { readonly answer: PersonAnswer; readonly by: string };

/**
 * The questions to people: who asks, by which rule, until when, and who answered. Every process on the store sees the
 * same ones. Rejects if the store fails.
 */
export type QuestionsStore = {
  /** Adds a question. One that exists already stays as it is. */
  add(question: PendingApproval, at: number): Promise<void>;
  find(approval: string): Promise<PendingApproval | undefined>;
  /** Questions without an answer that have not expired, oldest first. */
  open(now: number): Promise<readonly PendingApproval[]>;
  /** Questions answered with "always" that nobody has ended, oldest first. */
  always(): Promise<readonly PendingApproval[]>;
  /** Adds what is allowed for the rest of a session. */
  addAlways(question: PendingApproval, by: string, at: number): Promise<void>;
  /** The first answer wins. Returns false if the question is unknown, expired or answered. */
  answer(approval: string, given: GivenAnswer, now: number): Promise<boolean>;
  /** Opens a question again whose answer could not be delivered. */
  reopen(approval: string): Promise<void>;
  /** Ends an "always". Returns false if there is none. */
  endAlways(approval: string, by: string, now: number): Promise<boolean>;
  /** Deletes the questions of a session. */
  forget(session: string): Promise<void>;
  /** Deletes questions that expired or were answered before this time, except what is always allowed. */
  expire(before: number): Promise<void>;
};
