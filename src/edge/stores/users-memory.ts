import type { UsersStore } from "../../base/ports/users.ts";
import type { AccessKey, User } from "../../base/words/user.ts";

/** Users that end with the process. */
export function memoryUsers(): UsersStore {
  const users = new Map<string, User>();
  const keys = new Map<string, AccessKey>();
  const ofTelegram = (id: number) => [...users.values()].find(({ telegram }) => telegram === id);
  return {
    read: async (id) => users.get(id),
    byTelegram: async (id) => ofTelegram(id),
    async put(user) {
      const other = user.telegram === undefined ? undefined : ofTelegram(user.telegram);
      if (other !== undefined && other.id !== user.id)
        throw new Error(`Telegram id ${user.telegram} belongs to user '${other.id}'`);
      users.set(user.id, user);
    },
    list: async ({ limit, after = "" }) =>
      [...users.values()]
        .filter(({ id }) => id > after)
        .sort((a, b) => (a.id < b.id ? -1 : 1))
        .slice(0, limit),
    async addKey(key) {
      keys.set(key.hash, key);
    },
    readKey: async (hash) => keys.get(hash),
    async takeKey(hash) {
      const key = keys.get(hash);
      keys.delete(hash);
      return key;
    },
    keysOf: async (user) => [...keys.values()].filter((key) => key.user === user).sort((a, b) => b.at - a.at),
  };
}
