import { statSync } from "node:fs";
import { homedir } from "node:os";
import { conductHome } from "../../../../edge/host/workspace/conduct-home.ts";
import { storePlace } from "../../../../edge/host/workspace/store-place.ts";
import type { StorePlace } from "../../../../edge/stores/sql/open-database.ts";
import { openSqlStore } from "../../../../edge/stores/sql/open-sql-store.ts";
import type { SqlStore } from "../../../../edge/stores/sql/sql-store.ts";
import { StoreError } from "../../../../edge/stores/sql/store-error.ts";
import type { NextAction, Outcome } from "../../line/outcome.ts";
import { quoted } from "../../line/quoted.ts";

/** What the commands that look at the journal need of the world; a test gives its own. */
export type JournalWorld = {
  readonly env: NodeJS.ProcessEnv;
  readonly home: string;
  readonly now: () => number;
  /** That of the machine unless told. */
  readonly zone?: string;
};

export function processWorld(): JournalWorld {
  return { env: process.env, home: conductHome(), now: Date.now };
}

/** To begin with something, where nothing has happened yet. */
export const TRY_DEMO: NextAction = { command: "conduct demo", description: "See what Conduct does, without a key" };

/** Opens the store for one command. A file that is not there is not made by looking at it: then `absent` answers. */
export async function withStore(
  world: JournalWorld,
  use: (store: SqlStore, where: string) => Promise<Outcome>,
  absent: (where: string) => Outcome | Promise<Outcome>,
): Promise<Outcome> {
  try {
    const place = storePlace(world.env, world.home);
    if (!isThere(place)) return await absent(shownPlace(place));
    const store = await openSqlStore(place);
    try {
      return await use(store, shownPlace(place));
    } finally {
      await store.close();
    }
  } catch (error) {
    if (error instanceof StoreError) return storeFailure(error);
    throw error;
  }
}

/** Is there a store, as far as can be told without asking it? */
export function isThere(place: StorePlace): boolean {
  return place.kind === "postgres" || statSync(place.file, { throwIfNoEntry: false }) !== undefined;
}

/** A place as people may see it, without a password. */
function shownPlace(place: StorePlace): string {
  if (place.kind === "sqlite") {
    const home = homedir();
    return place.file.startsWith(`${home}/`) ? `~${place.file.slice(home.length)}` : place.file;
  }
  if (!URL.canParse(place.url)) return "PostgreSQL";
  const { host, pathname } = new URL(place.url);
  return `${host || "localhost"}${pathname}`;
}

function storeFailure({ code, message, fix }: StoreError): Outcome {
  const what = message.endsWith(`. ${fix}`) ? message.slice(0, -fix.length - 2) : message;
  return { ok: false, code, message: what, fix, next: [] };
}

/** The same word again on a command line. */
export function commandOf(...words: readonly string[]): string {
  return ["conduct", ...words.map(quoted)].join(" ");
}
