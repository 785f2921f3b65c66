import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { callback, checkOptions, number, type ShapesOf, text } from "../../../../base/kernel/check-options.ts";
import { errorText } from "../../../../base/kernel/error-text.ts";
import { asObject, parseObject } from "../../../../base/kernel/json.ts";
import { type Guard, refuseRequest } from "./http-guard.ts";
import {
  CONNECTION_CLOSED,
  errorMessage,
  INVALID_PARAMS,
  METHOD_NOT_FOUND,
  PARSE_ERROR,
  type Received,
  type Rpc,
  type RpcId,
  readLine,
} from "./json-rpc.ts";
import {
  claimOf,
  HEADER_MISMATCH,
  headerValue,
  mirroredHeaders,
  plainValue,
  STATELESS,
  UNSUPPORTED_VERSION,
} from "./stateless.ts";
import { HANDSHAKES, type ToolServer } from "./tool-server.ts";

/** One client's server, and the cleanup after the client is gone. */
export type Served = { readonly server: ToolServer; end(): Promise<void> };

export type HttpOptions = Guard & {
  readonly port: number;
  readonly serve: () => Served;
  readonly log: (line: string) => void;
};

export type HttpServing = { readonly url: string; close(): Promise<void> };

const PATH = "/mcp";
/** Limits: clients at a time, the idle time of one, and the size of a message. */
const MAX_CLIENTS = 64;
const IDLE_MS = 30 * 60_000;
const MAX_BODY = 4 * 1024 * 1024;

type Client = Served & { readonly session?: string; seen: number };
type Refused = { readonly status: number; readonly why: string; readonly code?: number; readonly id?: RpcId };

const UNKNOWN: Refused = { status: 404, why: "this session is unknown or has ended: initialize again" };

/** Serves over streamable HTTP, each client with a session of its own. */
export async function serveHttp(options: HttpOptions): Promise<HttpServing> {
  checkOptions("serveHttp", options, KEYS);
  const { host, port, serve, log } = options;
  const clients = new Map<string, Client>();

  const forget = async (key: string) => {
    const client = clients.get(key);
    clients.delete(key);
    client?.server.close();
    await client?.end();
  };

  async function admit(key: string, session?: string): Promise<Client | Refused> {
    for (const [known, { seen }] of clients) if (Date.now() - seen > IDLE_MS) await forget(known);
    if (clients.size >= MAX_CLIENTS) return { status: 503, why: `too many clients: the limit is ${MAX_CLIENTS}` };
    const client = { ...serve(), session, seen: Date.now() };
    clients.set(key, client);
    return client;
  }

  /** Finds a client by its session, or by its name where the protocol has no sessions. */
  async function clientOf({ headers }: IncomingMessage, rpc: Rpc | undefined): Promise<Client | Refused> {
    const { "mcp-session-id": session, "mcp-protocol-version": version } = headers;
    const claim = rpc?.kind === "request" ? claimOf(rpc.params) : undefined;
    // No session id contains a line end.
    if (claim !== undefined) return clients.get(`\n${claim.client}`) ?? admit(`\n${claim.client}`);
    if (version === STATELESS)
      return { status: 400, why: `a request of ${STATELESS} needs _meta`, code: INVALID_PARAMS };
    if (typeof version === "string" && !HANDSHAKES.includes(version)) {
      return { status: 400, why: `the protocol version '${version}' is not supported` };
    }
    if (session !== undefined) return clients.get(String(session)) ?? UNKNOWN;
    const isFirst = rpc?.kind === "request" && rpc.method === "initialize";
    const made = randomUUID();
    return isFirst ? admit(made, made) : { status: 400, why: "there is no session yet: initialize first" };
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refused = refuseRequest(request.headers, options);
    if (refused !== undefined) return refuse(response, refused);
    if (new URL(request.url ?? "/", "http://x").pathname !== PATH)
      return refuse(response, { status: 404, why: `not found: the endpoint is ${PATH}` });
    const session = request.headers["mcp-session-id"];
    if (session !== undefined && !clients.has(String(session))) return refuse(response, UNKNOWN);
    if (request.method === "DELETE") {
      await forget(String(session));
      return void response.end();
    }
    // Requests to the client are part of the response to its call, so there is no stream to GET.
    if (request.method !== "POST") return refuse(response, { status: 405, why: "use POST" });
    const received = readLine(await readBody(request));
    if (received === undefined)
      return refuse(response, { status: 400, why: "this is not a JSON-RPC message", code: PARSE_ERROR });
    const client = mismatch(request, received) ?? (await clientOf(request, received[0]?.rpc));
    if ("status" in client) return refuse(response, client);
    client.seen = Date.now();
    await reply(response, client, received);
  }

  const http = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      log(`a request failed: ${errorText(error)}`);
      if (!response.headersSent) refuse(response, { status: 500, why: "the request failed" });
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
      await Promise.all([...clients.keys()].map(forget));
      await new Promise<void>((resolve) => {
        http.close(() => resolve());
        http.closeAllConnections();
      });
    },
  };
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > MAX_BODY) throw new Error("a message is too long");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Why a request is refused whose headers differ from its body. */
function mismatch({ headers }: IncomingMessage, received: readonly Received[]): Refused | undefined {
  for (const { rpc } of received) {
    for (const [name, value] of Object.entries(mirroredHeaders(rpc))) {
      if (headerValue(plainValue(String(headers[name] ?? ""))) === value) continue;
      const id = rpc.kind === "request" ? rpc.id : undefined;
      return { status: 400, why: `the header ${name} differs from the message`, code: HEADER_MISMATCH, id };
    }
  }
  return undefined;
}

/** HTTP statuses of errors in the protocol without sessions. */
const STATUSES: { readonly [code: number]: number } = { [METHOD_NOT_FOUND]: 404, [UNSUPPORTED_VERSION]: 400 };

/** Answers with one JSON text, or with a stream if the client is asked something before. */
async function reply(response: ServerResponse, client: Client, received: readonly Received[]): Promise<void> {
  const { server, session } = client;
  const own = session === undefined ? {} : { "mcp-session-id": session };
  const send = (message: string) => {
    if (!response.headersSent) response.writeHead(200, { "content-type": "text/event-stream", ...own });
    response.write(`data: ${message}\n\n`);
  };
  const gone = new AbortController();
  // Without sessions, a client cancels a call by closing the connection.
  if (session === undefined) response.once("close", () => response.writableFinished || gone.abort());
  const answering = received.map(({ rpc }) => server.receive(rpc, { send, signal: gone.signal }));
  const answers = (await Promise.all(answering)).filter((one) => one !== undefined);
  if (response.headersSent) {
    for (const one of answers) send(one);
    response.end();
    return;
  }
  const [first] = answers;
  if (first === undefined) return void response.writeHead(202, own).end();
  const { code = 0 } = asObject(parseObject(first)?.error);
  const status = session === undefined ? (STATUSES[Number(code)] ?? 200) : 200;
  response.writeHead(status, { "content-type": "application/json", ...own });
  response.end(answers.length === 1 ? first : `[${answers.join(",")}]`);
}

function refuse(response: ServerResponse, { status, why, code = CONNECTION_CLOSED, id }: Refused): void {
  const more = status === 401 ? { "www-authenticate": "Bearer" } : status === 405 ? { allow: "POST, DELETE" } : {};
  response.writeHead(status, { "content-type": "application/json", ...more });
  response.end(errorMessage(id ?? null, code, why));
}

const KEYS: ShapesOf<HttpOptions> = { host: text, token: text, port: number, serve: callback, log: callback };
