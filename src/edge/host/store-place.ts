import { join } from "node:path";
import type { StorePlace } from "../stores/sql/open-database.ts";
import { StoreError } from "../stores/sql/store-error.ts";

/** Where the store lies: as `CONDUCT_STORE` says, else in Conduct's own folder. What it says may hold a password, so it is not shown. */
export function storePlace(env: NodeJS.ProcessEnv, home: string): StorePlace {
  const named = env.CONDUCT_STORE?.trim();
  if (!named) return { kind: "sqlite", file: join(home, "conduct.db") };
  if (/^postgres(?:ql)?:\/\//i.test(named)) return { kind: "postgres", url: named };
  const fix = "Set it to postgres://USER@HOST/DATABASE, or leave it out for the file in CONDUCT_HOME.";
  throw new StoreError("STORE_UNAVAILABLE", "CONDUCT_STORE does not name a PostgreSQL database", fix);
}
