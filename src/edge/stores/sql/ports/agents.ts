import type { Selectable } from "kysely";
import type { AgentsStore, AgentVersion, AgentWrite } from "../../../../base/ports/stores/agents.ts";
import type { SqlDatabase, Tables } from "../tables.ts";
import { didWrite, firstOf, isVersion, nameKey, readBody } from "../values.ts";

/** Stores every version of the agents' definitions in a database. */
export function sqlAgents(db: SqlDatabase): AgentsStore {
  const versions = (name: string) => db.selectFrom("conduct_agents").selectAll().where("agent", "=", nameKey(name));
  const read = (name: string) => firstOf(versions(name).orderBy("version", "desc").limit(1), versionOf);

  return {
    read,
    async put(name, after, { definition, at, by, reason }) {
      if (((await read(name))?.version ?? 0) !== after || !isVersion(after + 1)) return false;
      const body = JSON.stringify({ name, definition, by, reason });
      // The unique key lets one writer per version win.
      return didWrite(
        db
          .insertInto("conduct_agents")
          .values({ agent: nameKey(name), version: after + 1, at, body })
          .onConflict((conflict) => conflict.columns(["agent", "version"]).doNothing()),
      );
    },
    version: async (name, version) =>
      isVersion(version) ? firstOf(versions(name).where("version", "=", version), versionOf) : undefined,
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
      return rows.map(versionOf).sort((a, b) => (a.name < b.name ? -1 : 1));
    },
  };
}

function versionOf({ agent, version, at, body }: Selectable<Tables["conduct_agents"]>): AgentVersion {
  const what = `Version ${version} of the agent ${agent}`;
  return { ...readBody<Omit<AgentWrite, "at"> & { readonly name: string }>(body, what), version, at };
}
