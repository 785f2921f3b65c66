import type { AddressInfo } from "node:net";
import { type ServerType, serve } from "@hono/node-server";
import { limitConnections, SERVER_LIMITS } from "../server-limits.ts";

type Fetch = Parameters<typeof serve>[0]["fetch"];

export type HttpServer = {
  /** Rejects if the port is taken. */
  listen(fetch: Fetch, port: number, host: string): Promise<AddressInfo>;
  /** Accepts no new connections; running requests continue. */
  stop(): void;
  /** Closes the remaining connections. */
  end(): Promise<void>;
};

export function httpServer(): HttpServer {
  let server: ServerType | undefined;
  let closed: Promise<unknown> = Promise.resolve();
  return {
    listen(fetch, port, host) {
      const fresh = serve({ fetch, port, hostname: host, serverOptions: SERVER_LIMITS });
      limitConnections(fresh);
      return new Promise((resolve, reject) => {
        fresh.once("error", reject);
        fresh.once("listening", () => {
          server = fresh;
          resolve(fresh.address() as AddressInfo);
        });
      });
    },
    stop() {
      closed = new Promise((resolve) => (server === undefined ? resolve(undefined) : server.close(resolve)));
    },
    async end() {
      if (server !== undefined && "closeAllConnections" in server) server.closeAllConnections();
      await closed;
    },
  };
}
