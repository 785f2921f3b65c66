import type { ServerOptions } from "node:http";
import type { Server } from "node:net";

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
