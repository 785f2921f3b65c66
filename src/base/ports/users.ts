import type { AccessKey, User } from "../words/user.ts";

/** Keeps users and their keys. Rejects when it cannot tell: a failed read is not "none". */
export type UsersStore = {
  read(id: string): Promise<User | undefined>;
  byTelegram(id: number): Promise<User | undefined>;
  /** Adds the user or puts it in the place of the one with its id. Rejects when its Telegram id is another user's. */
  put(user: User): Promise<void>;
  /** By id, those after `after`. */
  list(query: { readonly limit: number; readonly after?: string }): Promise<readonly User[]>;
  addKey(key: AccessKey): Promise<void>;
  readKey(hash: string): Promise<AccessKey | undefined>;
  /** Takes the key away; gives it to one caller only. */
  takeKey(hash: string): Promise<AccessKey | undefined>;
  /** The newest first. */
  keysOf(user: string): Promise<readonly AccessKey[]>;
};
