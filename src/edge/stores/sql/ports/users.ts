import type { OperatorChange, OwnChange, UsersStore } from "../../../../base/ports/stores/users.ts";
import type { AccessKey, User } from "../../../../base/words/hosting/user.ts";
import type { SqliteReader } from "../dialects/sqlite-reader.ts";
import { isConflict } from "../store-error.ts";
import type { SqlDatabase, SqlKind } from "../tables.ts";
import { exclusively } from "../transactions.ts";
import { didWrite, firstOf, nameKey, readBody } from "../values.ts";

/** Stores users and their keys in a database. `direct` reads them for SQLite, because every request and turn does. */
export function sqlUsers(db: SqlDatabase, kind: SqlKind, direct?: SqliteReader): UsersStore {
  const userOf = ({ body }: { readonly body: string }) => readBody<User>(body, "A user");
  const keyOf = ({ body }: { readonly body: string }) => readBody<AccessKey>(body, "An access key");
  const users = (from: SqlDatabase) => from.selectFrom("conduct_users").select("body");
  const readUser = (from: SqlDatabase, id: string) => firstOf(users(from).where("user_id", "=", nameKey(id)), userOf);

  async function readDirectly<T>(
    reader: SqliteReader,
    { sql, key }: { readonly sql: string; readonly key: string },
    convert: (row: { readonly body: string }) => T,
  ): Promise<T | undefined> {
    const [row] = await reader(sql, key);
    return row === undefined ? undefined : convert({ body: String(row.body) });
  }

  /** Which id of a chat service belongs to another user. */
  async function taken({ id, slack }: { readonly id: string; readonly slack?: string | null | undefined }) {
    const other = slack == null ? undefined : await firstOf(users(db).where("slack", "=", slack), userOf);
    return other === undefined || other.id === id ? "telegram-taken" : "slack-taken";
  }

  return {
    read: (id) =>
      direct === undefined
        ? readUser(db, id)
        : readDirectly(direct, { sql: "select body from conduct_users where user_id = ?", key: nameKey(id) }, userOf),
    bySlack: (id) => firstOf(users(db).where("slack", "=", id), userOf),
    byTelegram: (id) => firstOf(users(db).where("telegram", "=", String(id)), userOf),
    async add(user) {
      try {
        const insert = db.insertInto("conduct_users").values({ user_id: nameKey(user.id), ...rowOf(user) });
        const isNew = await didWrite(insert.onConflict((conflict) => conflict.column("user_id").doNothing()));
        return isNew ? "added" : "exists";
      } catch (error) {
        if (isConflict(error)) return taken(user);
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
        if (isConflict(error)) return { kind: await taken({ id, ...("by" in change ? change : {}) }) };
        throw error;
      }
    },
    async list({ limit, after = "" }) {
      return (await users(db).execute())
        .map(userOf)
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
    readKey: (hash) =>
      direct === undefined
        ? firstOf(db.selectFrom("conduct_keys").select("body").where("hash", "=", hash), keyOf)
        : readDirectly(direct, { sql: "select body from conduct_keys where hash = ?", key: hash }, keyOf),
    // Of concurrent takers one gets the row.
    takeKey: (hash) => firstOf(db.deleteFrom("conduct_keys").where("hash", "=", hash).returning("body"), keyOf),
    async keysOf(user) {
      const own = db.selectFrom("conduct_keys").select("body").where("user_id", "=", nameKey(user));
      return (await own.orderBy("at", "desc").execute()).map(keyOf);
    },
  };
}

function rowOf(user: User) {
  const { telegram, slack = null } = user;
  return { telegram: telegram === undefined ? null : String(telegram), slack, body: JSON.stringify(user) };
}

/** Fields that are left out stay. */
function withChange(before: User, change: OwnChange | OperatorChange): User {
  const { name = before.name, zone = before.zone } = change;
  const { role = before.role, telegram = before.telegram, slack = before.slack } = "by" in change ? change : {};
  return { ...before, name, role, zone, telegram: telegram ?? undefined, slack: slack ?? undefined };
}
