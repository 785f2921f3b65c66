import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "vitest";
import type { CallArgs, ConductClient, Given, JsonKey, StreamKey } from "../../client.ts";

export const soon = <T>(look: () => Promise<T> | T) => expect.poll(look, { timeout: 20_000, interval: 100 });

/** Clients of two gateways, and the routes that they have called. `clients` may be filled later. */
export function twoClients(clients: readonly ConductClient[]) {
  const called = new Set<string>();
  const clientOf = (at: 0 | 1, key: string): ConductClient => {
    const client = clients[at];
    if (client === undefined) throw new Error("two gateways are expected");
    called.add(key);
    return client;
  };
  function on(at: 0 | 1) {
    return <K extends JsonKey>(key: K, ...given: CallArgs<K>) => clientOf(at, key).call(key, ...given);
  }

  /** Follows a stream on the second gateway until it has sent what `act` does on the first. */
  async function streamed<K extends StreamKey>(key: K, given: Given<K>, act: () => unknown, has: RegExp) {
    const leaving = new AbortController();
    const seen: string[] = [];
    const opened = Promise.withResolvers<void>();
    const reading = (async () => {
      for await (const one of clientOf(1, key).stream(key, given, leaving.signal, opened.resolve))
        seen.push(JSON.stringify(one));
    })().catch(opened.reject);
    await opened.promise;
    await act();
    await soon(() => seen.join("\n")).toMatch(has);
    leaving.abort();
    await reading;
  }
  return { called, write: on(0), read: on(1), streamed };
}

/** Receives webhooks. It answers that it is gone until `status` is changed. */
export async function webhookReceiver() {
  const receiver = { status: 410, ids: [] as unknown[] };
  const server = createServer(({ headers }, response) => {
    receiver.ids.push(headers["webhook-id"]);
    response.writeHead(receiver.status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const webhook = {
    kind: "webhook" as const,
    name: "ops",
    url,
    key: Buffer.alloc(32, 1),
    topics: [],
    allowPrivate: true,
  };
  return { receiver, webhook, close: () => void server.close() };
}
