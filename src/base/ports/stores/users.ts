import type { AccessKey, Role, User } from "../../words/hosting/user.ts";

/** Fields that people change themselves. Omitted fields stay unchanged. */
export type OwnChange = { readonly name?: string | undefined; readonly zone?: string | undefined };

/**
 * `by` must be an operator at the time of the write, not only of the request. `telegram: null` and `slack: null`
 * remove the id.
 */
export type OperatorChange = OwnChange & {
  readonly role?: Role | undefined;
  readonly telegram?: number | null | undefined;
  readonly slack?: string | null | undefined;
  readonly by: string;
};

export type UserChanged =
  | { readonly kind: "changed"; readonly user: User; readonly before: User }
  | { readonly kind: "missing" }
  | { readonly kind: "telegram-taken" | "slack-taken" }
  | { readonly kind: "not-operator" };

/**
 * Stores users and their keys. Rejects if the store fails, so a failed read never looks like "none". No method
 * replaces a whole user, so a revoked role cannot be written back by accident.
 */
export type UsersStore = {
  read(id: string): Promise<User | undefined>;
  byTelegram(id: number): Promise<User | undefined>;
  bySlack(id: string): Promise<User | undefined>;
  /** Writes only if the result is `added`. */
  add(user: User): Promise<"added" | "exists" | "telegram-taken" | "slack-taken">;
  /** Writes only the given fields. Concurrent changes are serialised. */
  change(id: string, change: OwnChange | OperatorChange): Promise<UserChanged>;
  /** Sorted by id, starting after `after`. */
  list(query: { readonly limit: number; readonly after?: string }): Promise<readonly User[]>;
  addKey(key: AccessKey): Promise<void>;
  readKey(hash: string): Promise<AccessKey | undefined>;
  /** Removes and returns the key; only one caller gets it. */
  takeKey(hash: string): Promise<AccessKey | undefined>;
  /** Newest first. */
  keysOf(user: string): Promise<readonly AccessKey[]>;
};

/** The time zones that users set for themselves. Rejects if the store fails. */
export type UserZones = {
  /** `undefined` if the user has set none. */
  read(user: string): Promise<string | undefined>;
  write(user: string, zone: string): Promise<void>;
};
