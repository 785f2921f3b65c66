import type { AccessKey, Role, User } from "../../words/hosting/user.ts";

/** Fields that people change themselves. Fields that are left out keep the value they have when it is written. */
export type OwnChange = { readonly name?: string | undefined; readonly zone?: string | undefined };

/** `by` must be an operator when it is written, not only when it was asked for. `telegram: null` removes the Telegram id. */
export type OperatorChange = OwnChange & {
  readonly role?: Role | undefined;
  readonly telegram?: number | null | undefined;
  readonly by: string;
};

export type UserChanged =
  | { readonly kind: "changed"; readonly user: User; readonly before: User }
  | { readonly kind: "missing" }
  | { readonly kind: "telegram-taken" }
  /** `by` is not an operator, or not any more. */
  | { readonly kind: "not-operator" };

/**
 * Keeps users and their keys. Rejects when it cannot tell: a failed read is not "none". No method replaces a whole user, so
 * that nobody can write back a role that was read before it was taken away.
 */
export type UsersStore = {
  read(id: string): Promise<User | undefined>;
  byTelegram(id: number): Promise<User | undefined>;
  /** Nothing is written unless it is `added`. */
  add(user: User): Promise<"added" | "exists" | "telegram-taken">;
  /** Writes only the fields that are given. Concurrent changes follow each other, whatever fields they write. */
  change(id: string, change: OwnChange | OperatorChange): Promise<UserChanged>;
  /** By id, those after `after`. */
  list(query: { readonly limit: number; readonly after?: string }): Promise<readonly User[]>;
  addKey(key: AccessKey): Promise<void>;
  readKey(hash: string): Promise<AccessKey | undefined>;
  /** Takes the key away; gives it to one caller only. */
  takeKey(hash: string): Promise<AccessKey | undefined>;
  /** The newest first. */
  keysOf(user: string): Promise<readonly AccessKey[]>;
};
