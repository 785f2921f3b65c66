import type { Selectable } from "kysely";
import type { AgentsStore, AgentVersion, AgentWrite } from "../../../../base/ports/stores/agents.ts";
import { StoreError } from "../store-error.ts";
import type { SqlDatabase, Tables } from "../tables.ts";
import { nameKey } from "../values.ts";

/** The largest version in both databases. */
const MAX_VERSION = 2 ** 31 - 1;

/** Stores every version of the agents' definitions in a database. */
export function sqlAgents(db: SqlDatabase): AgentsStore {
  const versions = (name: string) => db.selectFrom("conduct_agents").selectAll().where("agent", "=", nameKey(name));

  async function read(name: string): Promise<AgentVersion | undefined> {
    const row = await versions(name).orderBy("version", "desc").limit(1).executeTakeFirst();
    return row === undefined ? undefined : versionOf(row);
  }

  return {
    read,
    async put(name, after, { definition, at, by, reason }) {
      if (((await read(name))?.version ?? 0) !== after || after >= MAX_VERSION) return false;
      const body = JSON.stringify({ name, definition, by, reason });
      // The unique key lets one writer per version win.
      const { numInsertedOrUpdatedRows } = await db
        .insertInto("conduct_agents")
        .values({ agent: nameKey(name), version: after + 1, at, body })
        .onConflict((conflict) => conflict.columns(["agent", "version"]).doNothing())
        .executeTakeFirstOrThrow();
      return numInsertedOrUpdatedRows === 1n;
    },
    async version(name, version) {
      if (!Number.isSafeInteger(version) || version < 1 || version > MAX_VERSION) return undefined;
      const row = await versions(name).where("version", "=", version).executeTakeFirst();
      return row === undefined ? undefined : versionOf(row);
    },
    async list() {
      const rows = await db
        .selectFrom("conduct_agents as one")
        .selectAll()
        .where("version", "=", (where) =>
          where
            .selectFrom("conduct_agents as any")
            .select((select) => select.fn.max("any.version").as("newest"))
            .whereRef("any.agent", "=", "one.agent"),
        )
        .execute();
      return rows.map(versionOf).sort(byName);
    },
  };
}

function versionOf({ agent, version, at, body }: Selectable<Tables["conduct_agents"]>): AgentVersion {
  try {
    const kept = JSON.parse(body) as Omit<AgentWrite, "at"> & { readonly name: string };
    return { name: kept.name, version, definition: kept.definition, at, by: kept.by, reason: kept.reason };
  } catch (error) {
    const what = `Version ${version} of the agent ${agent} is damaged`;
    throw new StoreError("STORE_DAMAGED", what, "Put back a copy of the store.", error);
  }
}

function byName(a: AgentVersion, b: AgentVersion): number {
  return a.name < b.name ? -1 : 1;
}
