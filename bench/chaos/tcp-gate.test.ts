import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { openTcpGate, throughGate } from "./tcp-gate.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A server that sends everything back, behind a gate. */
async function echoBehindGate() {
  const seen: string[] = [];
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.on("data", (chunk) => {
      seen.push(chunk.toString());
      socket.write(chunk);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closing.push(() => server.close());
  const gate = await openTcpGate((server.address() as AddressInfo).port);
  closing.push(() => gate.close());
  return { gate, seen };
}

async function client(port: number): Promise<{ readonly socket: Socket; text(): string }> {
  const socket = connect(port, "127.0.0.1");
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk.toString();
  });
  socket.on("error", () => undefined);
  closing.push(() => socket.destroy());
  await once(socket, "connect");
  return { socket, text: () => text };
}

describe("the loopback proxy that cuts a replica off", () => {
  it("CHAOS-10 forwards nothing while cut off, and everything afterwards, in order", async () => {
    const { gate, seen } = await echoBehindGate();
    const old = await client(gate.port);
    old.socket.write("one,");
    await expect.poll(old.text).toBe("one,");
    gate.setCut(true);
    old.socket.write("two,");
    const fresh = await client(gate.port);
    fresh.socket.write("new");
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(seen).toEqual(["one,"]);
    gate.setCut(false);
    old.socket.write("three");
    await expect.poll(old.text).toBe("one,two,three");
    await expect.poll(fresh.text).toBe("new");
  });

  it("CHAOS-11 a server that ends the connection ends the client's, and the URL keeps everything but the port", async () => {
    const server = createServer((socket) => socket.destroy());
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    closing.push(() => server.close());
    const gate = await openTcpGate((server.address() as AddressInfo).port);
    closing.push(() => gate.close());
    const { socket } = await client(gate.port);
    await once(socket, "close");
    expect(throughGate("postgres://ann:secret@127.0.0.1:5432/db?a=b", gate)).toBe(
      `postgres://ann:secret@127.0.0.1:${gate.port}/db?a=b`,
    );
  });
});
