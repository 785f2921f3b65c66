import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { type Balancer, startBalancer } from "./balancer.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A stand-in for a gateway that counts what reaches it. */
async function replica(answer: RequestListener) {
  const seen: string[] = [];
  let ready = 200;
  const server = createServer((incoming, outgoing) => {
    if (incoming.url === "/api/health/ready") {
      if (ready === 0) return;
      outgoing.writeHead(ready).end();
      return;
    }
    seen.push(`${incoming.method} ${incoming.url}`);
    answer(incoming, outgoing);
  });
  const origin = await listen(server);
  return {
    origin,
    seen,
    /** 0: does not answer at all. */
    setReady(status: number) {
      ready = status;
    },
    async end() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

async function listen(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function balance(replicas: readonly { readonly origin: string }[], checkMs = 60_000): Promise<Balancer> {
  const made = await startBalancer({ replicas: replicas.map(({ origin }) => origin), checkMs, limitMs: 300 });
  closing.push(() => made.close());
  return made;
}

const OK: RequestListener = (_incoming, outgoing) => void outgoing.end("ok");

describe("the reverse proxy of npm run cluster", () => {
  it("BAL-01 requests are spread over all ready replicas, with their body, headers and Host", async () => {
    const heard: string[] = [];
    const echo: RequestListener = async (incoming, outgoing) => {
      const parts: Buffer[] = [];
      for await (const part of incoming) parts.push(part as Buffer);
      const { authorization, host, "x-forwarded-for": from } = incoming.headers;
      heard.push([Buffer.concat(parts).toString(), authorization, host, from].join("|"));
      outgoing.writeHead(202, { "x-own": "1" }).end("taken");
    };
    const replicas = [await replica(echo), await replica(echo)];
    const { url } = await balance(replicas);
    for (let at = 0; at < 4; at++) {
      const response = await fetch(`${url}/a?b=c`, { method: "POST", body: `m${at}`, headers: { authorization: "x" } });
      expect([response.status, response.headers.get("x-own"), await response.text()]).toEqual([202, "1", "taken"]);
    }
    const host = new URL(url).host;
    expect(heard.toSorted()).toEqual([0, 1, 2, 3].map((at) => `m${at}|x|${host}|127.0.0.1`));
    expect(replicas.map(({ seen }) => seen)).toEqual([
      ["POST /a?b=c", "POST /a?b=c"],
      ["POST /a?b=c", "POST /a?b=c"],
    ]);
  });

  it("BAL-02 an event stream arrives piece by piece, and ends upstream when the client leaves", async () => {
    const left = Promise.withResolvers<void>();
    const first = await replica((_incoming, outgoing) => {
      outgoing.writeHead(200, { "content-type": "text/event-stream" });
      outgoing.write("event: one\n\n");
      outgoing.on("close", () => left.resolve());
    });
    const { url } = await balance([first]);
    const end = new AbortController();
    const response = await fetch(`${url}/stream`, { signal: end.signal });
    const reader = response.body?.getReader();
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe("event: one\n\n");
    end.abort();
    await left.promise;
  });

  it("BAL-03 a replica that refuses the connection loses nothing: a POST goes to the next one, once", async () => {
    const [dead, alive] = [await replica(OK), await replica(OK)];
    const { url, states } = await balance([dead, alive]);
    await dead.end();
    for (let at = 0; at < 4; at++) expect((await fetch(url, { method: "POST", body: "x" })).status).toBe(200);
    expect(alive.seen).toHaveLength(4);
    expect([...states().values()]).toEqual(["gone", "ready"]);
  });

  it("BAL-04 a POST that was sent is never sent again; a GET is", async () => {
    const drop: RequestListener = (incoming) => void incoming.socket.destroy();
    const [broken, alive] = [await replica(drop), await replica(OK)];
    const { url } = await balance([broken, alive]);
    const posted = await Promise.all([1, 2, 3, 4].map(() => fetch(url, { method: "POST", body: "x" })));
    expect(posted.map(({ status }) => status).toSorted()).toEqual([200, 200, 502, 502]);
    const lost = posted.find(({ status }) => status === 502);
    expect(await lost?.json()).toMatchObject({ code: "REPLICA_LOST", fix: expect.stringContaining("Idempotency-Key") });
    expect([broken.seen.length, alive.seen.length]).toEqual([2, 2]);
    const read = await Promise.all([1, 2, 3, 4].map(() => fetch(url)));
    expect(read.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });

  it("BAL-05 a draining replica gets no new request and finishes what it has", async () => {
    const held: (() => void)[] = [];
    const slow: RequestListener = (_incoming, outgoing) => void held.push(() => outgoing.end("late"));
    const [draining, other] = [await replica(slow), await replica(OK)];
    const { url, states } = await balance([draining, other], 20);
    const pending = [fetch(url), fetch(url)];
    await expect.poll(() => held.length).toBe(1);
    draining.setReady(503);
    await expect.poll(() => states().get(draining.origin)).toBe("draining");
    for (let at = 0; at < 3; at++) expect(await (await fetch(url)).text()).toBe("ok");
    held[0]?.();
    const texts = await Promise.all(pending.map(async (one) => (await one).text()));
    expect(texts.toSorted()).toEqual(["late", "ok"]);
  });

  it("BAL-06 requests to a frozen replica are given up: a GET moves on, a POST is reported, a stream is cut", async () => {
    const frozen = await replica((incoming, outgoing) => {
      if (incoming.url === "/stream") outgoing.writeHead(200).write("begun");
    });
    const { url, states } = await balance([frozen], 20);
    const get = fetch(`${url}/get`);
    const post = fetch(`${url}/post`, { method: "POST", body: "x" });
    const stream = await fetch(`${url}/stream`);
    await expect.poll(() => frozen.seen.length).toBe(3);
    frozen.setReady(0);
    await expect.poll(() => states().get(frozen.origin)).toBe("gone");
    expect([(await get).status, (await post).status]).toEqual([503, 502]);
    await expect(stream.text()).rejects.toThrow();
    frozen.setReady(200);
    await expect.poll(() => states().get(frozen.origin)).toBe("ready");
  });

  it("BAL-07 without a ready replica the answer is 503 with a way out", async () => {
    const { url } = await balance([{ origin: "http://127.0.0.1:1" }]);
    const response = await fetch(url);
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ code: "NO_REPLICA", fix: "Try again in a second." });
  });
});
