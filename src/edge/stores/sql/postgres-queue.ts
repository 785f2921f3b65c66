import type { PostgresPool, PostgresPoolClient } from "kysely";

/** As `pg` says it when no connection can be had in time. */
const LATE = "timeout exceeded when trying to connect";

/**
 * A pool whose users wait in a line of their own, the first first. `pg` has one limit for reaching a server and for waiting until
 * another query is done: a server that is only busy would be taken for one that is away.
 */
export function queuedPool(pool: PostgresPool, most: number, waitMs: number): PostgresPool {
  const waiting: (() => void)[] = [];
  let free = most;

  function takePlace(): Promise<void> {
    if (free > 0) {
      free -= 1;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(next), 1);
        reject(new Error(LATE));
      }, waitMs);
      const next = () => {
        clearTimeout(timer);
        resolve();
      };
      waiting.push(next);
    });
  }

  function givePlace(): void {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  }

  return {
    ...(pool.Client === undefined ? {} : { Client: pool.Client }),
    options: pool.options,
    async connect(): Promise<PostgresPoolClient> {
      await takePlace();
      try {
        const client = await pool.connect();
        // Set anew by `pg` each time that it gives the client out.
        const release = client.release.bind(client);
        client.release = (destroy) => {
          release(destroy);
          givePlace();
        };
        return client;
      } catch (error) {
        givePlace();
        throw error;
      }
    },
    end: () => pool.end(),
  };
}
