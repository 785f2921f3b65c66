import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { conductClient } from "./client.ts";

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

/** A gateway that sends what it is told, and then nothing more; its connections stay open. */
async function sending(...texts: readonly string[]) {
  const answers: ServerResponse[] = [];
  const server = createServer((_, answer) => {
    answers.push(answer);
    answer.writeHead(200, { "content-type": "text/event-stream" });
    answer.flushHeaders();
    for (const text of texts) answer.write(text);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, answers };
}

const NOTE = 'event: note\ndata: {"text":"one"}\n\n';

describe("a stream of the typed client", () => {
  it.each([
    ["that never says a word", [], []],
    ["that falls silent, in the middle of an event", [NOTE, "event: no"], ["one"]],
  ])("GW-51 a stream %s is treated as dead: the listener gets an error and can reconnect", async (_, texts, heard) => {
    const { url } = await sending(...texts);
    const client = conductClient({ url, silenceMs: 300 });
    const seen: unknown[] = [];
    let opened = 0;
    const read = async () => {
      for await (const { data } of client.stream("GET /api/stream", {}, new AbortController().signal, () => opened++))
        seen.push((data as { text: string }).text);
    };
    await expect(read()).rejects.toThrow("the gateway has sent nothing for 0.3 s");
    await expect(read()).rejects.toThrow("the gateway has sent nothing for 0.3 s");
    expect([opened, seen]).toEqual([2, [...heard, ...heard]]);
  });

  it("GW-52 heartbeats keep a stream open without reaching the listener", async () => {
    const { url, answers } = await sending(": still here\n\n");
    const client = conductClient({ url, silenceMs: 2_000 });
    const beat = setInterval(() => answers[0]?.write(": still here\n\n"), 100);
    setTimeout(() => answers[0]?.end(NOTE), 4_000);
    const seen: unknown[] = [];
    for await (const { event } of client.stream("GET /api/stream", {}, new AbortController().signal)) seen.push(event);
    clearInterval(beat);
    expect(seen).toEqual(["note"]);
  }, 60_000);

  it("GW-53 a listener that stops closes its connection", async () => {
    const { url, answers } = await sending(NOTE);
    const client = conductClient({ url });
    for await (const _ of client.stream("GET /api/stream", {}, new AbortController().signal)) break;
    await expect.poll(() => answers[0]?.destroyed || answers[0]?.closed, { timeout: 20_000 }).toBe(true);
  });
});
