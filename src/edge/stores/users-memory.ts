import type { OperatorChange, OwnChange, UsersStore } from "../../base/ports/stores/users.ts";
import type { AccessKey, User } from "../../base/words/hosting/user.ts";

/** Users that end with the process. */
export function memoryUsers(): UsersStore {
  const users = new Map<string, User>();
  const keys = new Map<string, AccessKey>();
  const ofTelegram = (id: number) => [...users.values()].find(({ telegram }) => telegram === id);
  const isTaken = ({ id, telegram }: User) => telegram !== undefined && (ofTelegram(telegram)?.id ?? id) !== id;
  return {
    read: async (id) => users.get(id),
    byTelegram: async (id) => ofTelegram(id),
    async add(user) {
      if (users.has(user.id)) return "exists";
      if (isTaken(user)) return "telegram-taken";
      users.set(user.id, user);
      return "added";
    },
    async change(id, change) {
      const before = users.get(id);
      if (before === undefined) return { kind: "missing" };
      if ("by" in change && users.get(change.by)?.role !== "operator") return { kind: "not-operator" };
      const user = withChange(before, change);
      if (isTaken(user)) return { kind: "telegram-taken" };
      users.set(id, user);
      return { kind: "changed", user, before };
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

/** The user with the given fields changed; those that are left out stay. */
export function withChange({ telegram: had, ...before }: User, change: OwnChange | OperatorChange): User {
  const { name = before.name, zone = before.zone } = change;
  const { role = before.role, telegram: wanted } = "by" in change ? change : {};
  const telegram = wanted === undefined ? had : (wanted ?? undefined);
  const user: User = { ...before, name, role };
  return {
    ...user,
    ...(zone === undefined ? {} : { zone }),
    ...(telegram === undefined ? {} : { telegram }),
  };
}
