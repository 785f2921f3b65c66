/** An open question to a person. */
export type PendingApproval = {
  readonly approval: string;
  readonly session: string;
  readonly agent: string;
  /** The owner of the conversation. */
  readonly user: string;
  readonly rule: string;
  readonly tool: string;
  readonly question: string;
  readonly expiresAt: number;
  /** Asked by a session of a coding runtime on this machine: the call was denied, and a yes allows one retry. */
  readonly at?: "runtime";
  /** "always" is a possible answer. */
  readonly remember?: true;
};
