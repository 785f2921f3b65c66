/** `theirs`: another process that is alive answers the message. */
export type AnswerClaim = "mine" | "theirs" | "answered";

export type OwedAnswer = { readonly message: string; readonly turn: string };

/**
 * Messages of a channel whose answer has not been sent yet, and the process that sends it. The duty of a process that is
 * gone goes to another one, so that a restart or a crash loses no answer. Rejects if the store fails.
 */
export type AnswersStore = {
  /** Takes the duty to answer a message, unless it was answered or a process that is alive has the duty. */
  claim(message: string, by: string, at: number): Promise<AnswerClaim>;
  /** Names the turn whose end is the answer. Before that, nobody takes the duty over: the channel sends the message again. */
  attach(message: string, by: string, turn: string): Promise<void>;
  /** Takes over the duties of processes that are gone. */
  takeOver(by: string): Promise<readonly OwedAnswer[]>;
  /** Whether the duty is still `by`'s. Ask right before sending. */
  isOwed(message: string, by: string): Promise<boolean>;
  settle(message: string, by: string, at: number): Promise<void>;
  /** Forgets messages that came before this time. */
  expire(before: number): Promise<void>;
};
