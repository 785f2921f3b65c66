import { join } from "node:path";
import { sha256 } from "../../../base/kernel/canonical-json.ts";
import type { StorePlace } from "../../stores/sql/open-database.ts";
import { StoreError } from "../../stores/sql/store-error.ts";

/** Location of Conduct's store: the PostgreSQL in `CONDUCT_STORE`, else `conduct.db` in Conduct's folder. */
export function storePlace(env: NodeJS.ProcessEnv, home: string): StorePlace {
  const given = env.CONDUCT_STORE?.trim() ?? "";
  if (given === "") return { kind: "sqlite", file: join(home, "conduct.db") };
  if (/^postgres(ql)?:\/\//.test(given)) return { kind: "postgres", url: given, heads: headsIn(home, given) };
  throw new StoreError(
    "STORE_UNAVAILABLE",
    "CONDUCT_STORE is not the URL of a supported store",
    "Write it as postgres://user:password@host:5432/database, or leave it out for the file in CONDUCT_HOME.",
  );
}

/** One file for each database that this home has used, whichever account signs in to it. */
function headsIn(home: string, url: string): string {
  const { host, pathname, search } = URL.canParse(url) ? new URL(url) : { host: "", pathname: url, search: "" };
  return join(home, `governance-${sha256(`${host}${pathname}${search}`).slice(0, 12)}.heads`);
}
