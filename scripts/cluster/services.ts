import { postgresPrograms, startPostgres, type TestPostgres } from "../../src/edge/stores/test/servers/postgres.ts";
import { redisProgram, startRedis, type TestRedis } from "../../src/edge/stores/test/servers/redis.ts";

/** A PostgreSQL and a Redis of our own on loopback, each in a temporary folder, and an empty database. */
export type Services = {
  readonly postgres: TestPostgres;
  readonly redis: TestRedis;
  readonly database: string;
  close(): Promise<void>;
};

/** One sentence for each server that is not installed, with the command that installs it. */
export function missingServices(find = { postgres: postgresPrograms, redis: redisProgram }): readonly string[] {
  const missing: string[] = [];
  if (find.postgres() === undefined)
    missing.push(
      "PostgreSQL is not installed (no initdb and postgres on the PATH). Install it: sudo apt-get install postgresql (Debian, Ubuntu) or brew install postgresql (macOS).",
    );
  if (find.redis() === undefined)
    missing.push(
      "Redis is not installed (no redis-server on the PATH). Install it: sudo apt-get install redis-server (Debian, Ubuntu) or brew install redis (macOS).",
    );
  return missing;
}

/** Starts both servers. Rejects with the sentences of `missingServices` if one is not installed. */
export async function startServices(): Promise<Services> {
  const [programs, program] = [postgresPrograms(), redisProgram()];
  if (programs === undefined || program === undefined) throw new Error(missingServices().join("\n"));
  // Durable, because a promise about a killed server is only worth something if commits reach the disk.
  const postgres = await startPostgres(programs, { durable: true });
  try {
    const redis = await startRedis(program);
    return {
      postgres,
      redis,
      database: await postgres.createDatabase(),
      async close() {
        await redis.stop();
        await postgres.stop();
      },
    };
  } catch (error) {
    await postgres.stop();
    throw error;
  }
}
