import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import type { PipeEnd } from "../shared/mcp/pipe.ts";
import { connectServer } from "./server-url.ts";

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A pipe to a server that is played by the test. */
async function connected(answer: (request: IncomingMessage, response: ServerResponse, body: string) => void) {
  const http = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    answer(request, response, body);
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  closing.push(async () => {
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  });
  const pipe = connectServer(new URL(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`), {});
  closing.push(() => pipe.close());
  const lines: string[] = [];
  const ends: PipeEnd[] = [];
  pipe.listen({
    message: (line) => lines.push(line.toString()),
    end: (end) => ends.push(end),
    drained: () => undefined,
  });
  const ask = (id: number, method: string, params: object = {}) =>
    pipe.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
  const heard = async (count: number) => {
    await expect.poll(() => lines.length, { timeout: 10_000 }).toBe(count);
    return lines;
  };
  return { pipe, ask, heard };
}

const STREAM = { "content-type": "text/event-stream" };
const answerTo = (id: number, more = "") => `{"jsonrpc":"2.0","id":${id},"result":{${more}}}`;
const _meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

describe("a server behind a URL", () => {
  it.each(["\n", "\r\n", "\r"])(
    "MU-1 events are read whatever their line ends (%j), pieces and fields",
    async (end) => {
      const text = [
        ": a comment",
        "event: other",
        "data: not a message",
        "",
        'data: {"jsonrpc":"2.0",',
        'data:"method":"é","params":{"n":12345678901234567890.10}}',
        "",
        "event: message",
        `data: ${answerTo(1)}`,
        "",
        "",
      ].join(end);
      const { ask, heard } = await connected(async (_request, response) => {
        response.writeHead(200, STREAM);
        for (const byte of Buffer.from(text)) {
          response.write(Buffer.from([byte]));
          await new Promise(setImmediate);
        }
        response.end();
      });
      ask(1, "x");
      expect(await heard(2)).toEqual([
        '{"jsonrpc":"2.0","method":"é","params":{"n":12345678901234567890.10}}',
        answerTo(1),
      ]);
    },
  );

  it("MU-2 an answer becomes one line, with every number as written", async () => {
    const pretty = answerTo(1, '\n "n": 1.00, "big": 18446744073709551615\n');
    const { ask, heard } = await connected((_request, response) =>
      response.writeHead(200, { "content-type": "application/json" }).end(pretty),
    );
    ask(1, "x");
    expect(await heard(1)).toEqual([answerTo(1, '"n":1.00,"big":18446744073709551615')]);
  });

  it("MU-3 a broken stream is resumed after its last event", async () => {
    const resumed: unknown[] = [];
    const { ask, heard } = await connected((request, response) => {
      response.writeHead(200, STREAM);
      if (request.method === "POST") {
        response.write("id: e7\ndata: \n\n", () => response.destroy());
        return;
      }
      resumed.push(request.headers["last-event-id"]);
      response.end(`data: ${answerTo(1)}\n\n`);
    });
    ask(1, "x");
    expect(await heard(1)).toEqual([answerTo(1)]);
    expect(resumed).toEqual(["e7"]);
  });

  it.each([
    { what: "a stream that ends", status: 200, type: STREAM, body: "", says: "closed before the answer" },
    { what: "a refusal", status: 403, type: {}, body: "no", says: "status 403 no" },
    {
      what: "an error of the server",
      status: 400,
      type: {},
      body: `{"jsonrpc":"2.0","id":1,"error":{"code":7,"message":"why"}}`,
      says: '"message":"why"',
    },
  ])("MU-4 $what is an error of the request", async ({ status, type, body, says }) => {
    const { ask, heard } = await connected((_request, response) => response.writeHead(status, type).end(body));
    ask(1, "x");
    expect((await heard(1))[0]).toContain(says);
  });

  it("MU-5 without a handshake a cancelled request closes its connection", async () => {
    const gone = Promise.withResolvers<void>();
    const came = Promise.withResolvers<void>();
    const methods: unknown[] = [];
    const { pipe, ask, heard } = await connected((request, response) => {
      methods.push(request.headers["mcp-method"]);
      response.once("close", gone.resolve);
      response.writeHead(200, STREAM).flushHeaders();
      came.resolve();
    });
    ask(1, "tools/call", { name: "slow", _meta });
    await came.promise;
    pipe.send(JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } }));
    await gone.promise;
    expect((await heard(1))[0]).toContain('"error"');
    expect(methods).toEqual(["tools/call"]);
  });

  it("MU-6 after a handshake every request has the session and the version, and the end deletes the session", async () => {
    const seen: unknown[][] = [];
    const { pipe, ask, heard } = await connected((request, response, body) => {
      seen.push([request.method, request.headers["mcp-session-id"], request.headers["mcp-protocol-version"]]);
      if (request.method !== "POST") return void response.writeHead(405).end();
      const { id } = JSON.parse(body);
      if (id === undefined) return void response.writeHead(202).end();
      const headers = { "content-type": "application/json", "mcp-session-id": "S" };
      response.writeHead(200, headers).end(answerTo(id, '"protocolVersion":"2025-06-18"'));
    });
    ask(1, "initialize");
    await heard(1);
    pipe.send(JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }));
    ask(2, "tools/list");
    await heard(2);
    await pipe.close();
    const known = ["S", "2025-06-18"];
    expect(seen[0]).toEqual(["POST", undefined, undefined]);
    expect(seen.slice(1).sort()).toEqual([
      ["DELETE", ...known],
      ["GET", ...known],
      ["POST", ...known],
      ["POST", ...known],
    ]);
  });
});
