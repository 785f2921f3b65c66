import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { serve } from "@hono/node-server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readBody } from "./http/request.ts";
import { limitConnections, SERVER_LIMITS } from "./lifecycle/http-server.ts";

const LIMIT_MS = 300;

describe("unfinished requests", () => {
  const app = async (request: Request): Promise<Response> => {
    if (request.method === "POST") return new Response(await readBody(request, 1_000));
    // Longer than a request may take to come in.
    await sleep(LIMIT_MS * 3);
    return new Response("slow answer");
  };
  const serverOptions = {
    ...SERVER_LIMITS,
    headersTimeout: LIMIT_MS,
    requestTimeout: LIMIT_MS,
    connectionsCheckingInterval: 50,
  };
  const server = serve({ fetch: app, port: 0, hostname: "127.0.0.1", serverOptions });
  let port = 0;
  beforeAll(async () => {
    if (!server.listening) await once(server, "listening");
    port = (server.address() as AddressInfo).port;
  });
  afterAll(() => server.close());

  it.each([
    ["headers", "GET / HTTP/1.1\r\nHost: x\r\n"],
    ["a body", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc"],
    ["a chunked body", "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"],
  ])("LIM-1 a connection that never completes %s is closed", async (_, text) => {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => undefined);
    socket.resume();
    socket.write(text);
    await once(socket, "close");
  });

  it("LIM-2 a response may take longer than a request", async () => {
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe("slow answer");
  });

  it("LIM-3 the default request limits are 30 seconds, and the number of connections has a maximum", () => {
    expect(SERVER_LIMITS).toMatchObject({ headersTimeout: 30_000, requestTimeout: 30_000 });
    expect(SERVER_LIMITS.connectionsCheckingInterval).toBeLessThanOrEqual(1_000);
    const limited = { maxConnections: 0 };
    limitConnections(limited);
    expect(limited.maxConnections).toBe(2_000);
  });

  it("LIM-4 a body is read up to its size and time limits, also without a server", async () => {
    const slow = new Request("http://x/", {
      method: "POST",
      body: new ReadableStream(),
      duplex: "half",
    } as RequestInit);
    await expect(readBody(slow, 10, 20)).rejects.toMatchObject({ status: 408, code: "TOO_SLOW" });
    const large = new Request("http://x/", { method: "POST", body: "x".repeat(11) });
    await expect(readBody(large, 10)).rejects.toMatchObject({ status: 413 });
    expect(await readBody(new Request("http://x/", { method: "POST", body: "äö" }), 10)).toBe("äö");
    expect(await readBody(new Request("http://x/"), 10)).toBe("");
  });
});
