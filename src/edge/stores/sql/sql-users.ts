import type { UsersStore } from "../../../base/ports/users.ts";
import type { AccessKey, User } from "../../../base/words/user.ts";
import { nameKey } from "./names.ts";
import { readBody } from "./read-body.ts";
import { isConflict } from "./store-error.ts";
import type { SqlDatabase } from "./tables.ts";

/** Keeps users and their keys in a database. */
export function sqlUsers(db: SqlDatabase): UsersStore {
  const userOf = (row: { readonly body: string } | undefined) =>
    row === undefined ? undefined : readBody<User>(row.body, "A user");
  const keyOf = (row: { readonly body: string } | undefined) =>
    row === undefined ? undefined : readBody<AccessKey>(row.body, "An access key");

  return {
    async read(id) {
      return userOf(
        await db.selectFrom("conduct_users").select("body").where("user_id", "=", nameKey(id)).executeTakeFirst(),
      );
    },
    async byTelegram(id) {
      return userOf(
        await db.selectFrom("conduct_users").select("body").where("telegram", "=", String(id)).executeTakeFirst(),
      );
    },
    async put(user) {
      const row = {
        telegram: user.telegram === undefined ? null : String(user.telegram),
        body: JSON.stringify(user),
      };
      try {
        await db
          .insertInto("conduct_users")
          .values({ user_id: nameKey(user.id), ...row })
          .onConflict((conflict) => conflict.column("user_id").doUpdateSet(row))
          .execute();
      } catch (error) {
        if (!isConflict(error)) throw error;
        throw new Error(`Telegram id ${user.telegram} belongs to another user`, { cause: error });
      }
    },
    async list({ limit, after = "" }) {
      const rows = await db.selectFrom("conduct_users").select("body").execute();
      return rows
        .map((row) => readBody<User>(row.body, "A user"))
        .filter(({ id }) => id > after)
        .sort((a, b) => (a.id < b.id ? -1 : 1))
        .slice(0, limit);
    },
    async addKey(key) {
      const { hash, user, at } = key;
      await db
        .insertInto("conduct_keys")
        .values({ hash, user_id: nameKey(user), at, body: JSON.stringify(key) })
        .execute();
    },
    async readKey(hash) {
      return keyOf(await db.selectFrom("conduct_keys").select("body").where("hash", "=", hash).executeTakeFirst());
    },
    async takeKey(hash) {
      // Of those who take it at once one gets the row.
      return keyOf(await db.deleteFrom("conduct_keys").where("hash", "=", hash).returning("body").executeTakeFirst());
    },
    async keysOf(user) {
      const rows = await db
        .selectFrom("conduct_keys")
        .select("body")
        .where("user_id", "=", nameKey(user))
        .orderBy("at", "desc")
        .execute();
      return rows.map((row) => readBody<AccessKey>(row.body, "An access key"));
    },
  };
}
