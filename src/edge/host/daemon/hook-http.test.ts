import { request } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { type HookRoute, type HttpServer, hookHttp, listenForHttp, type RawRequest } from "./hook-http.ts";

const routes: readonly HookRoute[] = [
  {
    method: "POST",
    path: "/hooks/x",
    handle: async ({ body, query }) => ({ status: 200, body: { body, part: query.get("part") } }),
  },
  { method: "POST", path: "/broken", handle: async () => Promise.reject(new Error("the store is gone")) },
  { method: "GET", path: "/health", open: true, handle: async () => ({ status: 200, body: { ok: true } }) },
];
const answer = hookHttp("s3cret", routes);
const good: RawRequest = {
  method: "POST",
  url: "/hooks/x?part=2",
  headers: { host: "127.0.0.1:7717", authorization: "Bearer s3cret", "content-type": "application/json" },
  body: '{"a":1}',
};
const bare: RawRequest = { ...good, method: "GET", url: "/health", headers: { host: "localhost" }, body: "" };

describe("hookHttp", () => {
  it("HTTP-1 a request with the token gets the route's response", async () => {
    expect(await answer(good)).toEqual({ status: 200, body: { body: { a: 1 }, part: "2" } });
    expect(await answer(bare)).toEqual({ status: 200, body: { ok: true } });
  });

  it.each([
    { why: "no token", change: { headers: { ...good.headers, authorization: undefined } }, status: 401 },
    { why: "another token", change: { headers: { ...good.headers, authorization: "Bearer s3cres" } }, status: 401 },
    {
      why: "a token that begins alike",
      change: { headers: { ...good.headers, authorization: "Bearer" } },
      status: 401,
    },
    { why: "an unknown path, without a token", change: { url: "/none", headers: { host: "[::1]:1" } }, status: 401 },
    { why: "an unknown path", change: { url: "/none" }, status: 404 },
    { why: "another method", change: { method: "GET" }, status: 405 },
    {
      why: "a foreign name for this host",
      change: { headers: { ...good.headers, host: "evil.example:7717" } },
      status: 403,
    },
    {
      why: "a name that begins alike",
      change: { headers: { ...good.headers, host: "127.0.0.1.evil.example" } },
      status: 403,
    },
    { why: "no host", change: { headers: { ...good.headers, host: undefined } }, status: 403 },
    { why: "a form's body", change: { headers: { ...good.headers, "content-type": "text/plain" } }, status: 415 },
    { why: "no JSON", change: { body: "{" }, status: 400 },
    { why: "a handler that fails", change: { url: "/broken" }, status: 500 },
  ])("HTTP-2 $why is rejected with $status", async ({ change, status }) => {
    expect((await answer({ ...good, ...change })).status).toBe(status);
  });

  it("HTTP-3 a client with the token gets the error message", async () => {
    expect((await answer({ ...good, url: "/broken" })).body).toEqual({ error: "the store is gone" });
  });
});

describe("listenForHttp", () => {
  let server: HttpServer | undefined;
  afterEach(() => server?.close());

  it("HTTP-4 the HTTP server listens on loopback and rejects a body that is too long", async () => {
    server = await listenForHttp(answer, { maxBytes: 1_000 });
    const url = `http://127.0.0.1:${server.port}/hooks/x`;
    const headers = { authorization: "Bearer s3cret", "content-type": "application/json" };
    const post = (body: string) => fetch(url, { method: "POST", headers, body });
    expect(await (await post("[2]")).json()).toEqual({ body: [2], part: null });
    expect((await post(`"${"x".repeat(2_000)}"`)).status).toBe(413);
    expect((await fetch(`http://127.0.0.1:${server.port}/health`)).status).toBe(200);
  });

  it("HTTP-5 a port that is taken is an error", async () => {
    server = await listenForHttp(answer);
    await expect(listenForHttp(answer, { port: server.port })).rejects.toThrow("EADDRINUSE");
  });

  it("HTTP-6 closing the server does not wait for unfinished requests", async () => {
    server = await listenForHttp(answer);
    const half = request({ port: server.port, host: "127.0.0.1", path: "/hooks/x", method: "POST" });
    half.on("error", () => undefined);
    half.write("{");
    await new Promise((resolve) => half.once("socket", (socket) => socket.once("connect", resolve)));
    await server.close();
    server = undefined;
    half.destroy();
  });
});
