import { join } from "node:path";
import type { StorePlace } from "../stores/sql/open-database.ts";
import { StoreError } from "../stores/sql/store-error.ts";

/** Where Conduct's store is: the PostgreSQL that `CONDUCT_STORE` names, else `conduct.db` in Conduct's folder. */
export function storePlace(env: NodeJS.ProcessEnv, home: string): StorePlace {
  const given = env.CONDUCT_STORE?.trim() ?? "";
  if (given === "") return { kind: "sqlite", file: join(home, "conduct.db") };
  if (/^postgres(ql)?:\/\//.test(given)) return { kind: "postgres", url: given };
  throw new StoreError(
    "STORE_UNAVAILABLE",
    "CONDUCT_STORE names no store that Conduct knows",
    "Write it as postgres://user:password@host:5432/database, or leave it out for the file in CONDUCT_HOME.",
  );
}
