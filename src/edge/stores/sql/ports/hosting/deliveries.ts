import type { DeliveriesStore, Delivery, DeliveryDraft } from "../../../../../base/ports/stores/hosting/deliveries.ts";
import type { Seal } from "../../../seal/seal.ts";
import type { StoreKeys } from "../../../seal/store-keys.ts";
import type { SqlDatabase } from "../../tables.ts";
import { chunks, didWrite, firstOf, keepable, nameKey } from "../../values.ts";

const COLUMN = "conduct_deliveries.body";
const SHOWN = ["delivery", "webhook", "type", "body", "at", "state", "attempts", "next_at", "result"] as const;

/** The outbox of the webhooks in a database. */
export function sqlDeliveries(db: SqlDatabase, keys: Pick<StoreKeys, "seal">): DeliveriesStore {
  const all = () => db.selectFrom("conduct_deliveries").select(SHOWN);
  const change = (id: string) => db.updateTable("conduct_deliveries").where("delivery", "=", nameKey(id));

  async function add(into: SqlDatabase, seal: Seal, drafts: readonly DeliveryDraft[]): Promise<void> {
    const rows = drafts.map(({ id, webhook, type, body, at }) => {
      const delivery = nameKey(id);
      const sealed = seal.close(COLUMN, [delivery], keepable(body, "A delivery"));
      const state = { state: "waiting", attempts: 0, next_at: at, result: null };
      return { delivery, webhook, type, at, body: sealed, ...state };
    });
    for (const some of chunks(rows))
      await into
        .insertInto("conduct_deliveries")
        .values(some)
        .onConflict((conflict) => conflict.column("delivery").doNothing())
        .execute();
  }

  return {
    async position(source) {
      const row = db.selectFrom("conduct_projections").select("position").where("name", "=", positionOf(source));
      return (await row.executeTakeFirst())?.position;
    },
    async advance(source, from, to, drafts) {
      // Before the transaction, which has the only connection of SQLite.
      const seal = await keys.seal();
      return db.transaction().execute(async (trx) => {
        const name = positionOf(source);
        const moved =
          from === undefined
            ? trx
                .insertInto("conduct_projections")
                .values({ name, position: to })
                .onConflict((conflict) => conflict.column("name").doNothing())
            : trx
                .updateTable("conduct_projections")
                .set({ position: to })
                .where("name", "=", name)
                .where("position", "=", from);
        if (!(await didWrite(moved))) return false;
        await add(trx, seal, drafts);
        return true;
      });
    },
    add: async (drafts) => add(db, await keys.seal(), drafts),
    async due(now, limit, webhook) {
      const seal = await keys.seal();
      const rows = all().where("webhook", "=", webhook).where("state", "=", "waiting").where("next_at", "<=", now);
      return (await rows.orderBy("next_at").orderBy("delivery").limit(limit).execute()).map((row) =>
        deliveryOf(row, seal),
      );
    },
    async record(id, { state, nextAt, attempts, result = null }) {
      await change(id).set({ state, next_at: nextAt, attempts, result }).execute();
    },
    async find(id) {
      const seal = await keys.seal();
      return firstOf(all().where("delivery", "=", nameKey(id)), (row) => deliveryOf(row, seal));
    },
    async list({ limit, webhook, state }) {
      const seal = await keys.seal();
      let rows = all();
      if (webhook !== undefined) rows = rows.where("webhook", "=", webhook);
      if (state !== undefined) rows = rows.where("state", "=", state);
      return (await rows.orderBy("at", "desc").orderBy("delivery").limit(limit).execute()).map((row) =>
        deliveryOf(row, seal),
      );
    },
    retry: (id, now) => didWrite(change(id).set({ state: "waiting", attempts: 0, next_at: now, result: null })),
    async expire(before) {
      await db.deleteFrom("conduct_deliveries").where("at", "<", before).execute();
    },
  };
}

const positionOf = (source: string) => `webhooks.${source}`;

type Row = {
  readonly [K in "delivery" | "webhook" | "type" | "body" | "state"]: string;
} & { readonly [K in "at" | "attempts" | "next_at"]: number } & { readonly result: string | null };

function deliveryOf({ delivery, body, state, next_at, result, ...rest }: Row, seal: Seal): Delivery {
  return {
    ...rest,
    id: delivery,
    body: seal.open(COLUMN, [delivery], body),
    state: state as Delivery["state"],
    nextAt: next_at,
    result: result ?? undefined,
  };
}
