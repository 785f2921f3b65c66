import { PassThrough } from "node:stream";
import { Client, type ClientOptions, ReadBuffer, serializeMessage, type Transport } from "@modelcontextprotocol/client";

/** With or without a handshake. */
export const PROTOCOLS = ["2025-11-25", "2026-07-28"] as const;
export type Protocol = (typeof PROTOCOLS)[number];

export function speaking(protocol: Protocol = "2025-11-25"): ClientOptions {
  return protocol === "2025-11-25" ? {} : { versionNegotiation: { mode: { pin: protocol } } };
}

/** The SDK's client on a server that reads and writes streams. `prepare` runs before the client connects. */
export async function streamClient(
  serve: (input: PassThrough, output: PassThrough) => Promise<void>,
  options: ClientOptions = {},
  prepare: (client: Client) => void = () => undefined,
) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const served = serve(input, output);
  const buffer = new ReadBuffer();
  const transport: Transport = {
    start: async () =>
      void output.on("data", (chunk) => {
        buffer.append(chunk);
        for (let message = buffer.readMessage(); message !== null; message = buffer.readMessage())
          transport.onmessage?.(message);
      }),
    send: async (message) => void input.write(serializeMessage(message)),
    close: async () => void input.end(),
  };
  const client = new Client({ name: "test", version: "1" }, options);
  prepare(client);
  await client.connect(transport);
  const end = async () => {
    await client.close();
    await served;
  };
  return { client, end };
}
