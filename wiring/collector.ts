import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Machine } from "./shipped.ts";

type Received = { readonly path: string; readonly headers: NodeJS.Dict<string | string[]>; readonly text: string };

/** A collector of OpenTelemetry on loopback, and what it received. */
export async function collector(machine: Machine): Promise<{ readonly url: string; readonly received: Received[] }> {
  const received: Received[] = [];
  const server = createServer((request, reply) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => void parts.push(part));
    request.on("end", () => {
      const { url: path = "", headers } = request;
      received.push({ path, headers, text: Buffer.concat(parts).toString() });
      reply.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  machine.onClose(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}
