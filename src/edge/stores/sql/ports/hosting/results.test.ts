import { beforeAll, describe, expect, it } from "vitest";
import { memoryKeys } from "../../../seal/seal.ts";
import { resultsSuite } from "../../../test/results-suite.ts";
import { findPostgres, startPostgres, type TestPostgres } from "../../../test/servers/postgres.ts";
import { openDatabase } from "../../open-database.ts";
import { sqlResults } from "./results.ts";

const programs = findPostgres();
const DAY = 24 * 3_600_000;

describe.skipIf(programs === undefined)("with a PostgreSQL of our own", () => {
  let server: TestPostgres;
  const closing: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    server = await startPostgres(programs ?? "");
    return async () => {
      for (const close of closing) await close();
      await server.stop();
    };
  });

  async function freshDatabase() {
    const { db } = await openDatabase({ kind: "postgres", url: await server.createSchema() });
    closing.push(() => db.destroy());
    return db;
  }

  resultsSuite("postgres", async (maxBytes) => sqlResults(await freshDatabase(), memoryKeys(), { maxBytes }));

  it("RES-9 a result expires after a week, and deleting a session deletes only its results", async () => {
    let now = 0;
    const results = sqlResults(await freshDatabase(), memoryKeys(), { now: () => now });
    for (const session of ["s", "t"]) await results.keep(session, "h", "text");
    await results.forget("s");
    expect([await results.read("s", "h"), await results.read("t", "h")]).toEqual([undefined, "text"]);
    now = 8 * DAY;
    expect(await results.read("t", "h")).toBeUndefined();
  });
});
