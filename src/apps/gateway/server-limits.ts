import type { ServerOptions } from "node:http";
import type { Server } from "node:net";

/** A request that is not complete after this time is closed, its headers or its body. Answers may take as long as they need. */
const RECEIVE_MS = 30_000;
/** How often unfinished requests are looked for: they are closed at most this much later. */
const CHECK_MS = 1_000;
/** More than people and programs of one gateway have, and few enough for the files that a process may have open. */
const MOST_CONNECTIONS = 2_000;

/** For Node's server. `requestTimeout` ends when the request was received, so that streams and `wait=true` are not cut. */
export const SERVER_LIMITS: ServerOptions = {
  headersTimeout: RECEIVE_MS,
  requestTimeout: RECEIVE_MS,
  connectionsCheckingInterval: CHECK_MS,
  keepAliveTimeout: 10_000,
  maxHeaderSize: 16 * 1024,
};

/** Connections beyond the most are refused at once. */
export function limitConnections(server: Pick<Server, "maxConnections">, most: number = MOST_CONNECTIONS): void {
  server.maxConnections = most;
}
