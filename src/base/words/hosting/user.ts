/** Operators decide, users talk to agents and own what is theirs, viewers look. */
export type Role = "operator" | "user" | "viewer";

/** A person that the gateway knows. `at` is milliseconds since the epoch. */
export type User = {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  /** Time zone, such as Europe/London. */
  readonly zone?: string;
  /** Their numeric id in Telegram. */
  readonly telegram?: number;
  readonly at: number;
};

/** How somebody proves who they are. Only the hash of the secret is kept. */
export type AccessKey = {
  /** SHA-256 of the secret, in hex. */
  readonly hash: string;
  readonly user: string;
  /** A `login` works once and becomes a `cookie`; a `token` is for programs. */
  readonly kind: "login" | "cookie" | "token";
  readonly label?: string;
  readonly at: number;
  readonly expiresAt?: number;
};
