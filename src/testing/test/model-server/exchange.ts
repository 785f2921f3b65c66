import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate, zstdDecompress } from "node:zlib";
import type { JsonObject } from "../../../base/words/json.ts";
import type { ScriptedBreak } from "./script.ts";
import type { ServerSentEvent } from "./wire-format.ts";

const DECODERS: Readonly<Record<string, (bytes: Buffer) => Promise<Buffer>>> = {
  identity: async (bytes) => bytes,
  gzip: promisify<Buffer, Buffer>(gunzip),
  deflate: promisify<Buffer, Buffer>(inflate),
  br: promisify<Buffer, Buffer>(brotliDecompress),
  zstd: promisify<Buffer, Buffer>(zstdDecompress),
};

/** Returns the decompressed body; `undefined` if it cannot be decompressed. */
export async function readBody(incoming: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const decode = DECODERS[incoming.headers["content-encoding"] ?? "identity"];
  try {
    return (await decode?.(Buffer.concat(chunks)))?.toString("utf8");
  } catch {
    return undefined;
  }
}

export function plainHeaders(incoming: IncomingMessage): Record<string, string> {
  return Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, [value].flat().join(", ")]));
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: JsonObject,
  headers: Record<string, string | undefined> = {},
): void {
  response.statusCode = status;
  response.setHeader("content-type", "application/json");
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) response.setHeader(name, value);
  response.end(JSON.stringify(body));
}

/** Sends each event in a separate write, then ends the response. */
export function sendEvents(response: ServerResponse, events: readonly ServerSentEvent[]): void {
  writeEvents(response, events);
  response.end();
}

export function breakEvents(
  response: ServerResponse,
  events: readonly ServerSentEvent[],
  how: ScriptedBreak["broken"],
): void {
  writeEvents(response, events);
  if (how === "garbles") response.end(`${nameOf(events.at(-1)?.event)}data: {"type": "cont\n\n`);
  // Data already written must arrive before the socket closes.
  if (how === "drops") response.write(": \n\n", () => setImmediate(() => response.destroy()));
}

function writeEvents(response: ServerResponse, events: readonly ServerSentEvent[]): void {
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" });
  response.flushHeaders();
  for (const { event, data } of events) {
    response.write(`${nameOf(event)}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`);
  }
}

function nameOf(event: string | undefined): string {
  return event === undefined ? "" : `event: ${event}\n`;
}

/** Listens on a free loopback port and returns the address. */
export function listenOnLoopback(server: Server): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      if (address === null || typeof address === "string") return reject(new Error("the server has no port"));
      resolve(`http://127.0.0.1:${address.port}`);
    });
  });
}
