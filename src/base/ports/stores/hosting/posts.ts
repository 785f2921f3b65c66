/** A question that was posted to a chat, so that its outcome can be shown there. */
export type QuestionPost = {
  readonly approval: string;
  readonly channel: string;
  /** The chat, as the channel names it. */
  readonly address: string;
  /** The channel's id of the message. */
  readonly message: string;
  /** To whom it was posted; empty if it went to the conversation's own chat. */
  readonly operator: string;
};

/** The questions that are shown in chats. Rejects if the store fails. */
export type PostsStore = {
  /** Adds a post. One that exists already stays as it is. */
  add(post: QuestionPost, at: number): Promise<void>;
  /** Oldest first. */
  list(): Promise<readonly QuestionPost[]>;
  /** Returns false if it was removed already. */
  remove(post: QuestionPost): Promise<boolean>;
};
