import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { callback, checkOptions, number, type ShapesOf, text } from "../../../../base/kernel/check-options.ts";
import { errorText } from "../../../../base/kernel/error-text.ts";
import { type Guard, refuseRequest } from "./http-guard.ts";
import { CONNECTION_CLOSED, errorMessage } from "./json-rpc.ts";

/** One client's server, and the cleanup after the client is gone. */
export type Served = { readonly server: Server; end(): Promise<void> };

export type HttpOptions = Guard & {
  readonly port: number;
  readonly serve: () => Served;
  readonly log: (line: string) => void;
};

export type HttpServing = { readonly url: string; close(): Promise<void> };

const PATH = "/mcp";
/** Limits: clients at a time, and the idle time of one. */
const MAX_CLIENTS = 64;
const IDLE_MS = 30 * 60_000;

type Client = { readonly transport: StreamableHTTPServerTransport; readonly served: Served; seen: number };

/** Serves over streamable HTTP, each client with a session of its own. */
export async function serveHttp(options: HttpOptions): Promise<HttpServing> {
  checkOptions("serveHttp", options, KEYS);
  const { host, port, serve, log } = options;
  const clients = new Map<string, Client>();

  const forget = async (id: string) => {
    const client = clients.get(id);
    clients.delete(id);
    await client?.served.end();
  };

  async function admit(): Promise<StreamableHTTPServerTransport | undefined> {
    for (const [id, { transport, seen }] of clients) {
      if (Date.now() - seen > IDLE_MS) await transport.close().then(() => forget(id));
    }
    if (clients.size >= MAX_CLIENTS) return undefined;
    const served = serve();
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => void clients.set(id, { transport, served, seen: Date.now() }),
      onsessionclosed: forget,
    });
    // The SDK's own types differ in their optional fields.
    await served.server.connect(transport as Transport);
    return transport;
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refused = refuseRequest(request.headers, options);
    if (refused !== undefined) return say(response, refused.status, refused.why);
    if (new URL(request.url ?? "/", "http://x").pathname !== PATH)
      return say(response, 404, `not found: the endpoint is ${PATH}`);
    const id = request.headers["mcp-session-id"];
    if (typeof id === "string") {
      const client = clients.get(id);
      if (client === undefined) return say(response, 404, "this session is unknown or has ended: initialize again");
      client.seen = Date.now();
      return client.transport.handleRequest(request, response);
    }
    const transport = await admit();
    if (transport === undefined) return say(response, 503, `too many clients: the limit is ${MAX_CLIENTS}`);
    await transport.handleRequest(request, response);
    // The request did not initialise a session.
    if (transport.sessionId === undefined) await transport.close();
  }

  const http = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      log(`a request failed: ${errorText(error)}`);
      if (!response.headersSent) say(response, 500, "the request failed");
    });
  });
  await new Promise<void>((resolve, reject) => {
    http.once("error", reject);
    http.listen(port, host, () => resolve());
  });
  const { address, family, port: taken } = http.address() as AddressInfo;
  return {
    url: `http://${family === "IPv6" ? `[${address}]` : address}:${taken}${PATH}`,
    async close() {
      for (const { transport } of [...clients.values()]) await transport.close();
      await Promise.all([...clients.keys()].map(forget));
      await new Promise<void>((resolve) => {
        http.close(() => resolve());
        http.closeAllConnections();
      });
    },
  };
}

function say(response: ServerResponse, status: number, why: string): void {
  const authenticate = status === 401 ? { "www-authenticate": "Bearer" } : {};
  response.writeHead(status, { "content-type": "application/json", ...authenticate });
  response.end(errorMessage(null, CONNECTION_CLOSED, why));
}

const KEYS: ShapesOf<HttpOptions> = { host: text, token: text, port: number, serve: callback, log: callback };
