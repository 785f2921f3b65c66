import type { OperatorChange, OwnChange, UsersStore } from "../../../../base/ports/stores/users.ts";
import type { AccessKey, User } from "../../../../base/words/hosting/user.ts";
import { isConflict } from "../store-error.ts";
import type { SqlDatabase, SqlKind } from "../tables.ts";
import { exclusively } from "../transactions.ts";
import { nameKey, readBody } from "../values.ts";

/** Stores users and their keys in a database. */
export function sqlUsers(db: SqlDatabase, kind: SqlKind): UsersStore {
  const userOf = (row: { readonly body: string } | undefined) =>
    row === undefined ? undefined : readBody<User>(row.body, "A user");
  const keyOf = (row: { readonly body: string } | undefined) =>
    row === undefined ? undefined : readBody<AccessKey>(row.body, "An access key");

  async function readUser(from: SqlDatabase, id: string): Promise<User | undefined> {
    return userOf(
      await from.selectFrom("conduct_users").select("body").where("user_id", "=", nameKey(id)).executeTakeFirst(),
    );
  }

  return {
    read: (id) => readUser(db, id),
    async byTelegram(id) {
      return userOf(
        await db.selectFrom("conduct_users").select("body").where("telegram", "=", String(id)).executeTakeFirst(),
      );
    },
    async add(user) {
      try {
        const { numInsertedOrUpdatedRows } = await db
          .insertInto("conduct_users")
          .values({ user_id: nameKey(user.id), ...rowOf(user) })
          .onConflict((conflict) => conflict.column("user_id").doNothing())
          .executeTakeFirstOrThrow();
        return numInsertedOrUpdatedRows === 1n ? "added" : "exists";
      } catch (error) {
        if (isConflict(error)) return "telegram-taken";
        throw error;
      }
    },
    async change(id, change) {
      try {
        return await exclusively(db, kind, "conduct_users", async (trx) => {
          const before = await readUser(trx, id);
          if (before === undefined) return { kind: "missing" };
          if ("by" in change && (await readUser(trx, change.by))?.role !== "operator") return { kind: "not-operator" };
          const user = withChange(before, change);
          await trx.updateTable("conduct_users").set(rowOf(user)).where("user_id", "=", nameKey(id)).execute();
          return { kind: "changed", user, before };
        });
      } catch (error) {
        if (isConflict(error)) return { kind: "telegram-taken" };
        throw error;
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
      // Of concurrent takers one gets the row.
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

function rowOf(user: User): { readonly telegram: string | null; readonly body: string } {
  return { telegram: user.telegram === undefined ? null : String(user.telegram), body: JSON.stringify(user) };
}

/** Fields that are left out stay. */
function withChange({ telegram: had, ...before }: User, change: OwnChange | OperatorChange): User {
  const { name = before.name, zone = before.zone } = change;
  const { role = before.role, telegram: wanted } = "by" in change ? change : {};
  const telegram = wanted === undefined ? had : (wanted ?? undefined);
  return { ...before, name, role, zone, telegram };
}
