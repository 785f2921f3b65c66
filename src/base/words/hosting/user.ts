/** Operators decide, users talk to agents and own their data, viewers have read-only access. */
export type Role = "operator" | "user" | "viewer";

/** A person known to the gateway. `at` is milliseconds since the epoch. */
export type User = {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  /** Time zone, such as Europe/London. */
  readonly zone?: string;
  readonly telegram?: number;
  /** Slack's id of the person, such as U012AB3CD. */
  readonly slack?: string;
  readonly at: number;
};

/** `operator-messages`: messages that a program relays count as the operator's own words. */
export type TokenScope = "operator-messages";

/** A credential. Only the hash of the secret is stored. */
export type AccessKey = {
  /** SHA-256 of the secret, in hex. */
  readonly hash: string;
  readonly user: string;
  /** A `login` works once and becomes a `cookie`; a `token` is for programs. */
  readonly kind: "login" | "cookie" | "token";
  readonly label?: string;
  /** Only for a `token`; none by default. */
  readonly scopes?: readonly TokenScope[];
  readonly at: number;
  readonly expiresAt?: number;
};
