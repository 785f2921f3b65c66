import type { Selectable } from "kysely";
import { wellFormed } from "../../../../base/kernel/text.ts";
import type { InstructionsStore } from "../../../../base/ports/stores/instructions.ts";
import type { InstructionItem, Instructions } from "../../../../base/words/hosting/instructions.ts";
import type { Seal } from "../../seal/seal.ts";
import type { StoreKeys } from "../../seal/store-keys.ts";
import { StoreError } from "../store-error.ts";
import type { SqlDatabase, Tables } from "../tables.ts";
import { keepable, ownerOf } from "../values.ts";

const NEVER_WRITTEN: Instructions = { version: 0, items: [], at: 0, by: "", change: "none" };
/** The largest version in both databases. */
const MAX_VERSION = 2 ** 31 - 1;

/** Stores every version of the instructions in a database, sealed. */
export function sqlInstructions(db: SqlDatabase, keys: Pick<StoreKeys, "seal">): InstructionsStore {
  const versions = (owner: string) => db.selectFrom("conduct_instructions").selectAll().where("owner", "=", owner);

  async function newest(owner: string): Promise<Instructions> {
    const row = await versions(owner).orderBy("version", "desc").limit(1).executeTakeFirst();
    return row === undefined ? NEVER_WRITTEN : instructionsOf(row, await keys.seal());
  }

  return {
    async read(owner) {
      return newest(ownerOf(owner).owner);
    },
    async write(owner, after, { items, at, by, change }) {
      const named = ownerOf(owner);
      if ((await newest(named.owner)).version !== after || after >= MAX_VERSION) return false;
      const seal = await keys.seal();
      const own = items.map(({ id, text }) => ({ id, text: wellFormed(text) }));
      // The unique key lets one writer per version win.
      const { numInsertedOrUpdatedRows } = await db
        .insertInto("conduct_instructions")
        .values({
          ...named,
          version: after + 1,
          items: seal.close("conduct_instructions.items", [named.owner, after + 1], JSON.stringify(own)),
          at,
          session: keepable(by, "The session's name"),
          change,
        })
        .onConflict((conflict) => conflict.columns(["owner", "version"]).doNothing())
        .executeTakeFirstOrThrow();
      return numInsertedOrUpdatedRows === 1n;
    },
    async version(owner, version) {
      if (!Number.isSafeInteger(version) || version < 1 || version > MAX_VERSION) return undefined;
      const row = await versions(ownerOf(owner).owner).where("version", "=", version).executeTakeFirst();
      return row === undefined ? undefined : instructionsOf(row, await keys.seal());
    },
  };
}

function instructionsOf(row: Selectable<Tables["conduct_instructions"]>, seal: Seal): Instructions {
  const { version, at, session: by } = row;
  const items = seal.open("conduct_instructions.items", [row.owner, version], row.items);
  return { version, items: itemsOf({ ...row, items }), at, by, change: row.change as Instructions["change"] };
}

function itemsOf({ items, version, owner_name }: { items: string; version: number; owner_name: string }) {
  try {
    return JSON.parse(items) as readonly InstructionItem[];
  } catch (error) {
    const what = `Version ${version} of the instructions of ${owner_name} is damaged`;
    throw new StoreError("STORE_DAMAGED", what, "Put back a copy of the store.", error);
  }
}
