import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A loopback proxy in front of a server. Cut off, it drops nothing and forwards nothing, as a lost network does. */
export type TcpGate = {
  readonly port: number;
  setCut(isCut: boolean): void;
  close(): Promise<void>;
};

/** Forwards each connection to `port` on loopback. */
export async function openTcpGate(port: number): Promise<TcpGate> {
  const sockets = new Set<Socket>();
  /** Connections that were opened while the gate was cut off. */
  const waiting = new Set<Socket>();
  let isCut = false;

  function join(client: Socket): void {
    const server = connect(port, "127.0.0.1");
    sockets.add(server);
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      // An error on one side is the end of both.
      from.on("error", () => from.destroy());
      from.on("close", () => {
        sockets.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  }

  const gate = createServer((client) => {
    sockets.add(client);
    client.on("error", () => client.destroy());
    if (!isCut) return join(client);
    client.pause();
    waiting.add(client);
    client.on("close", () => {
      waiting.delete(client);
      sockets.delete(client);
    });
  });
  gate.listen(0, "127.0.0.1");
  await once(gate, "listening");

  return {
    port: (gate.address() as AddressInfo).port,
    setCut(next) {
      isCut = next;
      for (const socket of sockets) {
        if (waiting.has(socket)) continue;
        if (isCut) socket.pause();
        else socket.resume();
      }
      if (isCut) return;
      for (const client of waiting) join(client);
      waiting.clear();
    },
    async close() {
      const closed = once(gate, "close");
      gate.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** The same URL, on another port of loopback. */
export function throughGate(url: string, { port }: TcpGate): string {
  const changed = new URL(url);
  changed.port = String(port);
  return changed.href;
}
