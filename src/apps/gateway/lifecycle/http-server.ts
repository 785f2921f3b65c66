import type { ServerOptions } from "node:http";
import { type AddressInfo, isIP, type Server } from "node:net";
import { networkInterfaces } from "node:os";
import { type ServerType, serve } from "@hono/node-server";

/** Requests that are incomplete after this time are closed. Responses have no limit. */
const RECEIVE_MS = 30_000;
/** How often incomplete requests are looked for. */
const CHECK_MS = 1_000;
/** Well below the usual limit of open files. */
const MOST_CONNECTIONS = 2_000;

/** `requestTimeout` ends with the request body, so streams and `wait=true` are not cut. */
export const SERVER_LIMITS: ServerOptions = {
  headersTimeout: RECEIVE_MS,
  requestTimeout: RECEIVE_MS,
  connectionsCheckingInterval: CHECK_MS,
  keepAliveTimeout: 10_000,
  maxHeaderSize: 16 * 1024,
};

export function limitConnections(server: Pick<Server, "maxConnections">, most: number = MOST_CONNECTIONS): void {
  server.maxConnections = most;
}

const LOOPBACK = ["127.0.0.1", "localhost", "[::1]"];

/** The `Host` values that this gateway answers to. If it listens on all interfaces, these are the machine's own addresses. */
export function hostsOf(host: string, port: number): readonly string[] {
  const bracketed = (address: string) => (isIP(address) === 6 ? `[${address}]` : address.toLowerCase());
  const everywhere = host === "0.0.0.0" || host === "::" || host === "";
  const names = everywhere
    ? [
        ...LOOPBACK,
        ...Object.values(networkInterfaces()).flatMap((all = []) => all.map((one) => bracketed(one.address))),
      ]
    : LOOPBACK.includes(bracketed(host))
      ? LOOPBACK
      : [bracketed(host)];
  return names.flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`]));
}

type Fetch = Parameters<typeof serve>[0]["fetch"];

export function httpServer() {
  let server: ServerType | undefined;
  let closed: Promise<unknown> | undefined;
  return {
    /** Rejects if the port is taken. */
    listen(fetch: Fetch, port: number, host: string): Promise<AddressInfo> {
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
    /** Accepts no new connections; running requests continue. */
    stop(): void {
      closed ??= new Promise((resolve) => (server === undefined ? resolve(undefined) : server.close(resolve)));
    },
    /** Closes the remaining connections. */
    async end(): Promise<void> {
      if (server !== undefined && "closeAllConnections" in server) server.closeAllConnections();
      await closed;
    },
  };
}
