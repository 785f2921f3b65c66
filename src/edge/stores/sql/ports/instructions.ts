import type { Selectable } from "kysely";
import { wellFormed } from "../../../../base/kernel/text.ts";
import type { InstructionsStore } from "../../../../base/ports/stores/instructions.ts";
import type { InstructionItem, Instructions } from "../../../../base/words/hosting/instructions.ts";
import type { StoreKeys } from "../../seal/store-keys.ts";
import type { SqliteReader } from "../dialects/sqlite-reader.ts";
import type { SqlDatabase, Tables } from "../tables.ts";
import { didWrite, firstOf, isVersion, keepable, ownerOf, readBody } from "../values.ts";

const ANY = "select 1 from conduct_instructions where owner = ? limit 1";
const NEVER_WRITTEN: Instructions = { version: 0, items: [], at: 0, by: "", change: "none" };

/** Stores every version of the instructions in a database, sealed. `direct` is for SQLite, because each prompt reads them. */
export function sqlInstructions(
  db: SqlDatabase,
  keys: Pick<StoreKeys, "seal">,
  direct?: SqliteReader,
): InstructionsStore {
  const versions = (owner: string) => db.selectFrom("conduct_instructions").selectAll().where("owner", "=", owner);

  async function instructionsOf(row: Selectable<Tables["conduct_instructions"]>): Promise<Instructions> {
    const { owner, owner_name, version, at, session: by } = row;
    const items = (await keys.seal()).open("conduct_instructions.items", [owner, version], row.items);
    const what = `Version ${version} of the instructions of ${owner_name}`;
    const change = row.change as Instructions["change"];
    return { version, items: readBody<readonly InstructionItem[]>(items, what), at, by, change };
  }
  async function newest(owner: string): Promise<Instructions> {
    return (await firstOf(versions(owner).orderBy("version", "desc").limit(1), instructionsOf)) ?? NEVER_WRITTEN;
  }

  return {
    async read(named) {
      const { owner } = ownerOf(named);
      // Most people have none.
      if (direct !== undefined && (await direct(ANY, owner)).length === 0) return NEVER_WRITTEN;
      return newest(owner);
    },
    async write(owner, after, { items, at, by, change }) {
      const named = ownerOf(owner);
      const version = after + 1;
      if ((await newest(named.owner)).version !== after || !isVersion(version)) return false;
      const own = JSON.stringify(items.map(({ id, text }) => ({ id, text: wellFormed(text) })));
      const sealed = (await keys.seal()).close("conduct_instructions.items", [named.owner, version], own);
      const session = keepable(by, "The session's name");
      // The unique key lets one writer per version win.
      return didWrite(
        db
          .insertInto("conduct_instructions")
          .values({ ...named, version, items: sealed, at, session, change })
          .onConflict((conflict) => conflict.columns(["owner", "version"]).doNothing()),
      );
    },
    version: async (owner, version) =>
      isVersion(version)
        ? firstOf(versions(ownerOf(owner).owner).where("version", "=", version), instructionsOf)
        : undefined,
  };
}
